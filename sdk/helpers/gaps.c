/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/gaps.h>

#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/fields.h>

typedef struct Gap {
    int64_t begin, end; /* begin is less than end */
    StrobeTrackId track;
} Gap;

/* The gaps of one track, or of all tracks. If `is_sorted`, the gaps are in order and do not
 * overlap. */
typedef struct GapList {
    Gap *gaps;
    size_t n, room;
    int is_sorted;
} GapList;

struct StrobeGaps {
    GapList by_track;
    GapList all;    /* the gaps of all tracks together */
    int everywhere; /* 1: memory ran out, so every time counts as a gap */
};

StrobeGaps *strobe_gaps_new(void)
{
    return calloc(1, sizeof(StrobeGaps));
}

void strobe_gaps_free(StrobeGaps *gaps)
{
    if (!gaps)
        return;
    free(gaps->by_track.gaps);
    free(gaps->all.gaps);
    free(gaps);
}

static int compare_gaps(const void *a, const void *b)
{
    const Gap *x = a, *y = b;

    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Are the two gaps on the same track and at most `distance` apart? `next` must not begin before
 * `gap`. */
static int is_near(const Gap *gap, const Gap *next, uint64_t distance)
{
    if (gap->track != next->track)
        return 0;
    return next->begin <= gap->end || (uint64_t)next->begin - (uint64_t)gap->end <= distance;
}

/* Sorts the gaps, and merges gaps of the same track that are at most `distance` apart. */
static void merge_gaps(GapList *list, uint64_t distance)
{
    size_t kept = 0;

    qsort(list->gaps, list->n, sizeof *list->gaps, compare_gaps);
    for (size_t i = 1; i < list->n; i++) {
        Gap *last = &list->gaps[kept];
        const Gap *next = &list->gaps[i];

        if (!is_near(last, next, distance))
            list->gaps[++kept] = *next;
        else if (next->end > last->end)
            last->end = next->end;
    }
    list->n = list->n ? kept + 1 : 0;
    list->is_sorted = 1;
}

/* Reduces the number of gaps to at most half of the maximum: merges gaps over growing distances,
 * and if there are too many tracks, makes the gaps apply to all tracks. */
static void thin_out(GapList *list)
{
    merge_gaps(list, 0);
    for (uint64_t distance = 1000; list->n > STROBE_GAPS_MAX / 2; distance *= 2) {
        if (distance > UINT64_MAX / 4) {
            for (size_t i = 0; i < list->n; i++)
                list->gaps[i].track = 0;
            distance = 1000;
        }
        merge_gaps(list, distance);
    }
}

/* Appends a gap to the list. Returns -1 when out of memory. */
static int append_gap(GapList *list, Gap gap)
{
    if (list->n == STROBE_GAPS_MAX)
        thin_out(list);
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        Gap *grown = realloc(list->gaps, room * sizeof *grown);

        if (!grown)
            return -1;
        list->gaps = grown;
        list->room = room;
    }
    list->gaps[list->n++] = gap;
    list->is_sorted = 0;
    return 0;
}

/* Widens an interval of zero length, so that it overlaps the gaps around it. */
static Gap make_gap(StrobeTrackId track, int64_t begin, int64_t end)
{
    if (begin == INT64_MAX)
        begin--;
    return (Gap){begin, end > begin ? end : begin + 1, track};
}

void strobe_gaps_add(StrobeGaps *gaps, StrobeTrackId track, int64_t begin_ns, int64_t end_ns)
{
    if (!gaps)
        return;
    if (append_gap(&gaps->by_track, make_gap(track, begin_ns, end_ns)) ||
        append_gap(&gaps->all, make_gap(0, begin_ns, end_ns)))
        gaps->everywhere = 1;
}

void strobe_gaps_add_record(StrobeGaps *gaps, const StrobeView *record)
{
    const StrobeKindView *kind = record->kind;
    uint32_t count, cause, thread_buffer;

    if (strcmp(kind->name, "loss"))
        return;
    count = strobe_field_offset(kind, "count", STROBE_FIELD_U64);
    cause = strobe_field_offset(kind, "cause", STROBE_FIELD_U32);
    thread_buffer = strobe_field_offset(kind, "thread", STROBE_FIELD_TRACK);
    if (strobe_field_u64(record, count, 0) == 0 ||
        strobe_field_u32(record, cause, 0) == STROBE_LOSS_STRING_CUT)
        return;
    strobe_gaps_add(gaps, strobe_field_u32(record, thread_buffer, 0), record->begin_ns,
                    record->end_ns);
}

/* Does a gap of exactly the track of `wanted` overlap `wanted`? */
static int has_overlap(GapList *list, Gap wanted)
{
    size_t low = 0, high;

    if (!list->is_sorted)
        merge_gaps(list, 0);
    high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const Gap *gap = &list->gaps[middle];

        if (gap->track < wanted.track || (gap->track == wanted.track && gap->begin < wanted.end))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && list->gaps[low - 1].track == wanted.track &&
           list->gaps[low - 1].end > wanted.begin;
}

int strobe_gaps_touch(StrobeGaps *gaps, StrobeTrackId track, int64_t begin_ns, int64_t end_ns)
{
    Gap wanted = make_gap(track, begin_ns, end_ns);

    if (!gaps || gaps->everywhere)
        return 1;
    if (gaps->all.n == 0)
        return 0;
    if (track == 0)
        return has_overlap(&gaps->all, wanted);
    if (has_overlap(&gaps->by_track, wanted))
        return 1;
    wanted.track = 0;
    return has_overlap(&gaps->by_track, wanted);
}
