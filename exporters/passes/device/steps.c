/* SPDX-License-Identifier: Apache-2.0 */
#include "steps.h"

#include "device-record.h"

void steps_init(Steps *steps)
{
    steps->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    steps->n_dropped = 0;
}

void steps_clear(Steps *steps)
{
    g_array_unref(steps->steps);
}

void steps_add(Steps *steps, const StrobeView *record)
{
    const Step step = {
        .begin_ns = record->begin_ns,
        .end_ns = record->end_ns,
        .host_begin_ns = strobe_field_i64(
            record, strobe_field_offset(record->kind, "host_begin", STROBE_FIELD_I64),
            record->begin_ns),
        .number = strobe_field_i64(
            record, strobe_field_offset(record->kind, "number", STROBE_FIELD_I64), -1)};

    if (steps->steps->len < STEPS_MAX)
        g_array_append_val(steps->steps, step);
    else
        steps->n_dropped++;
}

/* Steps of one program follow each other: the search begins at the last one that begins no later.
 * Device times may overlap a little, so a few before it are looked at, and the earliest is taken.
 */
static const Step *find(const Steps *steps, gint64 at_ns,
                        gboolean (*holds)(const Step *step, gint64 at_ns))
{
    const Step *found = NULL;
    guint low = 0, high = steps->steps->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        /* A microsecond of slack: doubles of microseconds are a quarter of one apart. */
        if (g_array_index(steps->steps, Step, middle).begin_ns <= at_ns + 1000)
            low = middle + 1;
        else
            high = middle;
    }
    for (guint back = 0; low > 0 && back < 16; back++, low--) {
        const Step *step = &g_array_index(steps->steps, Step, low - 1);

        if (holds(step, at_ns))
            found = step;
    }
    return found;
}

static gboolean holds_closed(const Step *step, gint64 at_ns)
{
    return step->begin_ns <= at_ns && at_ns <= step->end_ns;
}

static gboolean holds(const Step *step, gint64 at_ns)
{
    return step->begin_ns <= at_ns && at_ns < step->end_ns;
}

static gboolean holds_us(const Step *step, gint64 at_ns)
{
    double at = device_us(at_ns);

    return device_us(step->begin_ns) <= at && at < device_us(step->end_ns);
}

const Step *steps_find_closed(const Steps *steps, gint64 at_ns)
{
    return find(steps, at_ns, holds_closed);
}

const Step *steps_find(const Steps *steps, gint64 at_ns)
{
    return find(steps, at_ns, holds);
}

const Step *steps_find_us(const Steps *steps, gint64 at_ns)
{
    return find(steps, at_ns, holds_us);
}
