/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/steps.h>

#include <stdlib.h>

#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>

#define FIRST_ROOM 64u
#define SLACK_NS 1000  /* us since the epoch, as doubles, are 0.25 us apart */
#define OVERLAPPING 16 /* number of steps that may begin before a time and still contain it */

typedef int (*HoldsTime)(const StrobeStep *step, int64_t at_ns);

void strobe_steps_clear(StrobeSteps *steps)
{
    free(steps->items);
    *steps = (StrobeSteps){0};
}

static StrobeStep read_step(const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;

    return (StrobeStep){
        .begin_ns = record->begin_ns,
        .end_ns = record->end_ns,
        .host_begin_ns = strobe_field_i64(
            record, strobe_field_offset(kind, "host_begin", STROBE_FIELD_I64), record->begin_ns),
        .number =
            strobe_field_i64(record, strobe_field_offset(kind, "number", STROBE_FIELD_I64), -1),
        .device =
            strobe_field_i32(record, strobe_field_offset(kind, "device", STROBE_FIELD_I32), -1)};
}

/* Returns the last added step if it is the same step as `step`, but on another device; otherwise
 * NULL. */
static StrobeStep *find_same(const StrobeSteps *steps, const StrobeStep *step)
{
    StrobeStep *last = steps->n ? &steps->items[steps->n - 1] : NULL;

    return last && last->number == step->number && last->host_begin_ns == step->host_begin_ns &&
                   last->device != step->device
               ? last
               : NULL;
}

/* Makes room for one more step. Returns -1 when out of memory. */
static int make_room(StrobeSteps *steps)
{
    const size_t room = steps->room ? 2 * steps->room : FIRST_ROOM;
    StrobeStep *grown;

    if (steps->n < steps->room)
        return 0;
    grown = realloc(steps->items, room * sizeof *grown);
    if (!grown)
        return -1;
    steps->items = grown;
    steps->room = room;
    return 0;
}

void strobe_steps_add(StrobeSteps *steps, const StrobeView *record)
{
    StrobeStep step = read_step(record);

    steps->has_devices |= find_same(steps, &step) != NULL;
    steps->is_sorted = 0;
    if (steps->n >= STROBE_STEPS_MAX || make_room(steps)) {
        steps->n_dropped++;
        return;
    }
    step.place = (uint32_t)steps->n;
    steps->items[steps->n++] = step;
}

void strobe_steps_add_joined(StrobeSteps *steps, const StrobeView *record)
{
    const StrobeStep step = read_step(record);
    StrobeStep *same = find_same(steps, &step);

    if (!same) {
        strobe_steps_add(steps, record);
        return;
    }
    same->begin_ns = step.begin_ns < same->begin_ns ? step.begin_ns : same->begin_ns;
    same->end_ns = step.end_ns > same->end_ns ? step.end_ns : same->end_ns;
}

static int compare_steps(const void *a, const void *b)
{
    const StrobeStep *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Is the step, in the order of compare_steps, not after the time `at_ns` on the device? Counts a
 * step that begins at most SLACK_NS after `at_ns` as not after it. */
static int is_before(const StrobeSteps *steps, const StrobeStep *step, int32_t device,
                     int64_t at_ns)
{
    if (steps->has_devices && step->device != device)
        return step->device < device;
    return at_ns > INT64_MAX - SLACK_NS || step->begin_ns <= at_ns + SLACK_NS;
}

/* Returns the number of steps for which is_before() is true. */
static size_t count_before(const StrobeSteps *steps, int32_t device, int64_t at_ns)
{
    size_t low = 0, high = steps->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (is_before(steps, &steps->items[middle], device, at_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Finds the step that contains the time. Steps of one program follow each other, so the search
 * starts with the last step that begins at this time or before. Device times of steps may overlap
 * slightly, so a few earlier steps are checked too, and the earliest match is returned. */
static const StrobeStep *find_step(StrobeSteps *steps, int32_t device, int64_t at_ns,
                                   HoldsTime holds_time)
{
    const StrobeStep *found = NULL;
    size_t n;

    if (steps->has_devices && !steps->is_sorted)
        qsort(steps->items, steps->n, sizeof *steps->items, compare_steps);
    steps->is_sorted = 1;
    n = count_before(steps, device, at_ns);
    for (size_t back = 0; n > 0 && back < OVERLAPPING; back++, n--) {
        const StrobeStep *step = &steps->items[n - 1];

        if ((!steps->has_devices || step->device == device) && holds_time(step, at_ns))
            found = step;
    }
    return found;
}

static int holds_closed(const StrobeStep *step, int64_t at_ns)
{
    return step->begin_ns <= at_ns && at_ns <= step->end_ns;
}

static int holds_open(const StrobeStep *step, int64_t at_ns)
{
    return step->begin_ns <= at_ns && at_ns < step->end_ns;
}

static int holds_us(const StrobeStep *step, int64_t at_ns)
{
    const double at = strobe_us_of_ns(at_ns);

    return strobe_us_of_ns(step->begin_ns) <= at && at < strobe_us_of_ns(step->end_ns);
}

const StrobeStep *strobe_steps_find_closed(StrobeSteps *steps, int32_t device, int64_t at_ns)
{
    return find_step(steps, device, at_ns, holds_closed);
}

const StrobeStep *strobe_steps_find(StrobeSteps *steps, int32_t device, int64_t at_ns)
{
    return find_step(steps, device, at_ns, holds_open);
}

const StrobeStep *strobe_steps_find_us(StrobeSteps *steps, int32_t device, int64_t at_ns)
{
    return find_step(steps, device, at_ns, holds_us);
}
