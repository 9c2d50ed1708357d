/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include "device-record.h"

void steps_init(Steps *steps)
{
    steps->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    steps->n_dropped = 0;
    steps->has_devices = steps->is_sorted = FALSE;
}

void steps_clear(Steps *steps)
{
    g_array_unref(steps->steps);
}

static Step step_of(const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;

    return (Step){
        .begin_ns = record->begin_ns,
        .end_ns = record->end_ns,
        .host_begin_ns = strobe_field_i64(
            record, strobe_field_offset(kind, "host_begin", STROBE_FIELD_I64), record->begin_ns),
        .number =
            strobe_field_i64(record, strobe_field_offset(kind, "number", STROBE_FIELD_I64), -1),
        .device =
            strobe_field_i32(record, strobe_field_offset(kind, "device", STROBE_FIELD_I32), -1)};
}

/* The last one if it is the same step on another device; otherwise NULL. */
static Step *same_step(const Steps *steps, const Step *step)
{
    Step *last =
        steps->steps->len ? &g_array_index(steps->steps, Step, steps->steps->len - 1) : NULL;
    gboolean is_same = last && last->number == step->number &&
                       last->host_begin_ns == step->host_begin_ns && last->device != step->device;

    return is_same ? last : NULL;
}

void steps_add(Steps *steps, const StrobeView *record)
{
    const Step step = step_of(record);

    steps->has_devices |= same_step(steps, &step) != NULL;
    steps->is_sorted = FALSE;
    if (steps->steps->len < STEPS_MAX)
        g_array_append_val(steps->steps, step);
    else
        steps->n_dropped++;
}

void steps_add_joined(Steps *steps, const StrobeView *record)
{
    const Step step = step_of(record);
    Step *same = same_step(steps, &step);

    if (!same) {
        steps_add(steps, record);
        return;
    }
    same->begin_ns = MIN(same->begin_ns, step.begin_ns);
    same->end_ns = MAX(same->end_ns, step.end_ns);
}

static gint compare_steps(gconstpointer a, gconstpointer b)
{
    const Step *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Does the step begin at that time of that device, or before? */
static gboolean is_before(const Steps *steps, const Step *step, gint32 device, gint64 at_ns)
{
    if (steps->has_devices && step->device != device)
        return step->device < device;
    /* A microsecond of slack: doubles of microseconds are a quarter of one apart. */
    return step->begin_ns <= at_ns + 1000;
}

/* Steps of one program are successive: the search begins at the last step that begins no later.
 * Device times may overlap slightly, so it also checks a few before, and takes the earliest. */
static const Step *find_step(Steps *steps, gint32 device, gint64 at_ns,
                             gboolean (*holds_time)(const Step *step, gint64 at_ns))
{
    const Step *found = NULL;
    guint low = 0, high = steps->steps->len;

    if (steps->has_devices && !steps->is_sorted)
        g_array_sort(steps->steps, compare_steps);
    steps->is_sorted = TRUE;
    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (is_before(steps, &g_array_index(steps->steps, Step, middle), device, at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    for (guint back = 0; low > 0 && back < 16; back++, low--) {
        const Step *step = &g_array_index(steps->steps, Step, low - 1);

        if ((!steps->has_devices || step->device == device) && holds_time(step, at_ns))
            found = step;
    }
    return found;
}

static gboolean holds_closed(const Step *step, gint64 at_ns)
{
    return step->begin_ns <= at_ns && at_ns <= step->end_ns;
}

static gboolean holds_time(const Step *step, gint64 at_ns)
{
    return step->begin_ns <= at_ns && at_ns < step->end_ns;
}

static gboolean holds_us(const Step *step, gint64 at_ns)
{
    double at = device_us(at_ns);

    return device_us(step->begin_ns) <= at && at < device_us(step->end_ns);
}

const Step *steps_find_closed(Steps *steps, gint32 device, gint64 at_ns)
{
    return find_step(steps, device, at_ns, holds_closed);
}

const Step *steps_find(Steps *steps, gint32 device, gint64 at_ns)
{
    return find_step(steps, device, at_ns, holds_time);
}

const Step *steps_find_us(Steps *steps, gint32 device, gint64 at_ns)
{
    return find_step(steps, device, at_ns, holds_us);
}
