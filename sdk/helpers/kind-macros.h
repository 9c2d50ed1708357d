/* SPDX-License-Identifier: Apache-2.0 */
/* How the descriptions of kinds are written down. */
#ifndef STROBE_HELPERS_KIND_MACROS_H
#define STROBE_HELPERS_KIND_MACROS_H

#define FIELD(name_, type_, unit_, summary_)                                                       \
    {.name = name_, .type = STROBE_FIELD_##type_, .unit = unit_, .summary = summary_}

#define KIND(symbol_, name_, shape_, fields_, summary_)                                            \
    const StrobeKind strobe_kind_##symbol_ = {                                                     \
        .struct_size = sizeof(StrobeKind),                                                         \
        .shape = STROBE_SHAPE_##shape_,                                                            \
        .name = name_,                                                                             \
        .summary = summary_,                                                                       \
        .fields = fields_,                                                                         \
        .n_fields = sizeof(fields_) / sizeof((fields_)[0]),                                        \
    }

/* One of the numbered values of a kind with a list of metrics. */
#define VALUE(name_) FIELD(name_, F64, "", "Value of the metric at this place.")

#endif
