/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for the descriptions of kinds. */
#ifndef STROBE_HELPERS_KIND_MACROS_H
#define STROBE_HELPERS_KIND_MACROS_H

#include <strobe/record.h>

#define FIELD STROBE_FIELD
#define KIND(symbol_, ...) const StrobeKind strobe_kind_##symbol_ = STROBE_KIND(__VA_ARGS__)

/* One of the numbered value fields of a kind with a list of metrics. */
#define VALUE(name_) STROBE_FIELD(name_, F64, "", "Value of the metric at this place.")

#endif
