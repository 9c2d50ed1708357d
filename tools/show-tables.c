/* SPDX-License-Identifier: Apache-2.0 */
#include "show-tables.h"

#include <string.h>

#define INCOMPLETE                                                                                 \
    {                                                                                              \
        "Incomplete", STROBE_COLUMN_INCOMPLETE, STROBE_CELL_MARK                                   \
    }

static const StrobeColumn operator_average[] = {
    {"Operator", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Calls", "calls", STROBE_CELL_INT},
    {"Self us", "host_self", STROBE_CELL_US_FIXED},
    {"Self %", "self_share", STROBE_CELL_FIXED2},
    {"Total us", "host_total", STROBE_CELL_US_FIXED},
    {"Min us", "host_min", STROBE_CELL_US_FIXED},
    {"Max us", "host_max", STROBE_CELL_US_FIXED},
    {"Shapes", "shapes", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn operator_detail[] = {
    {"Operator", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Total us", "host_total", STROBE_CELL_US_FIXED},
    {"Self us", "host_self", STROBE_CELL_US_FIXED},
    {"Thread", STROBE_COLUMN_TRACK, STROBE_CELL_INT},
    {"Begin", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED},
    {"Shapes", "shapes", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn step_summary[] = {
    {"Step", "number", STROBE_CELL_INT},
    {"Duration us", "duration", STROBE_CELL_US_FIXED},
    {"Operators", "operators", STROBE_CELL_INT},
    {"Operator self us", "operator_self", STROBE_CELL_US_FIXED},
    {"GC us", "gc", STROBE_CELL_US_FIXED},
    {"Markers", "markers", STROBE_CELL_INT},
    INCOMPLETE,
};

static const StrobeColumn loss[] = {
    {"Cause", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Lost", "count", STROBE_CELL_INT},
    {"Thread", "lane", STROBE_CELL_INT},
    {"Begin", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED},
    {"Duration us", STROBE_COLUMN_DURATION, STROBE_CELL_US_FIXED},
};

#define PRESENT(kind, sort)                                                                        \
    {                                                                                              \
        {NULL, #kind, kind, G_N_ELEMENTS(kind)}, sort                                              \
    }

static const StrobePresentation presentations[] = {
    PRESENT(operator_average, "host_self"),
    PRESENT(operator_detail, "host_self"),
    PRESENT(step_summary, NULL),
    PRESENT(loss, NULL),
};

const StrobePresentation *strobe_presentation_find(const char *kind)
{
    for (gsize i = 0; i < G_N_ELEMENTS(presentations); i++)
        if (strcmp(presentations[i].table.kind, kind) == 0)
            return &presentations[i];
    return NULL;
}
