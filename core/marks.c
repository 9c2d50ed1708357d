/* SPDX-License-Identifier: Apache-2.0 */
/* Marking calls of strobe.h. */
#include <string.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include "kind-table.h"
#include "lane.h"

StrobeRange strobe_range_begin_recorded(const char *name, uint64_t argument)
{
    StrobeWriter *writer = strobe_lane_writer();
    StrobeRange range = {0};

    if (!writer)
        return range;
    uint32_t id = name ? strobe_lane_intern(writer, name, strlen(name), 0) : 0;
    range.token = strobe_lane_span_begin(writer, STROBE_KIND_ID_MARKER, id, argument).token;
    return range;
}

void strobe_range_end_recorded(StrobeRange range)
{
    StrobeWriter *writer = strobe_lane_writer();
    StrobeSpan span = {range.token};

    if (!writer)
        return;
    uint64_t argument;
    struct strobe_marker *fields = strobe_lane_span_end_argument(writer, span, &argument);
    if (!fields)
        return;
    fields->argument = argument;
    strobe_lane_commit(writer);
}

void strobe_mark_recorded(const char *name, uint64_t argument)
{
    StrobeWriter *writer = strobe_lane_writer();

    if (!writer)
        return;
    uint32_t id = name ? strobe_lane_intern(writer, name, strlen(name), 0) : 0;
    struct strobe_marker *fields =
        strobe_lane_reserve(writer, STROBE_KIND_ID_MARKER_INSTANT, 0, id, strobe_clock_now(), 0);
    if (!fields)
        return;
    fields->argument = argument;
    strobe_lane_commit(writer);
}

void strobe_counter_recorded(const char *name, double value)
{
    StrobeWriter *writer = strobe_lane_writer();

    if (!writer)
        return;
    uint32_t id = name ? strobe_lane_intern(writer, name, strlen(name), 0) : 0;
    struct strobe_counter *fields =
        strobe_lane_reserve(writer, STROBE_KIND_ID_COUNTER, 0, id, strobe_clock_now(), 0);
    if (!fields)
        return;
    fields->value = value;
    strobe_lane_commit(writer);
}

const char *strobe_version(void)
{
    return STROBE_VERSION;
}
