/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of marks, with the fields that mstx and NVTX add to the standard fields. Collectors and
 * importers of marks take their fields from here: one capture may contain marks of several
 * collectors, whose fields of the same name must then be equal. Since 1.0.
 */
#ifndef STROBE_HELPERS_MARK_KINDS_H
#define STROBE_HELPERS_MARK_KINDS_H

#include <strobe/kinds.h>

/* ---- entries of a list of fields; the standard kinds have only the first entry ---- */

#define STROBE_MARK_ARGUMENT                                                                       \
    {"argument", STROBE_FIELD_U64, 0, "", "Number that the program gave with the mark."}
#define STROBE_MARK_DOMAIN {"marker.domain", STROBE_FIELD_STRING, 0, "", "Domain."}
#define STROBE_MARK_EVENT                                                                          \
    {"marker.event", STROBE_FIELD_U32, 0, "",                                                      \
     "0 instant, 1 push and pop, 2 start and end, 3 instant with attributes."}
#define STROBE_MARK_RANGE_ID                                                                       \
    {"marker.range", STROBE_FIELD_U64, 0, "", "Id of the range in the program."}
#define STROBE_MARK_CATEGORY {"marker.category", STROBE_FIELD_I64, 0, "", "Category."}
#define STROBE_MARK_END_THREAD                                                                     \
    {"marker.end_thread", STROBE_FIELD_U64, 0, "",                                                 \
     "Process and thread that ended it; absent: the thread that began it."}
#define STROBE_MARK_CATEGORY_NAME                                                                  \
    {"marker.category_name", STROBE_FIELD_STRING, 0, "", "Name of the category."}
#define STROBE_MARK_CONNECTION                                                                     \
    {"marker.connection", STROBE_FIELD_LINK, 0, "",                                                \
     "Id that this mark shares with the same mark on a stream."}

/* ---- kinds that have the first `n_` fields of a list ---- */

#define STROBE_MARK_KIND(shape_, name_, summary_, fields_, n_)                                     \
    {.struct_size = sizeof(StrobeKind),                                                            \
     .shape = shape_,                                                                              \
     .name = name_,                                                                                \
     .summary = summary_,                                                                          \
     .fields = fields_,                                                                            \
     .n_fields = n_}
#define STROBE_MARK_RANGE_KIND(fields_, n_)                                                        \
    STROBE_MARK_KIND(STROBE_SHAPE_SPAN, "marker", "A range that the program marked itself.",       \
                     fields_, n_)
#define STROBE_MARK_INSTANT_KIND(fields_, n_)                                                      \
    STROBE_MARK_KIND(STROBE_SHAPE_INSTANT, "marker_instant",                                       \
                     "An instant that the program marked itself.", fields_, n_)

#endif
