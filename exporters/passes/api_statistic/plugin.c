/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "api-statistic.h"

static const StrobeKind *const kinds[] = {&strobe_kind_api_statistic};
static const char *const wants[] = {"api_call", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "api_statistic",
    .summary = "Totals of the calls of one interface function.",
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof kinds[0],
    .wants = wants,
    .ops = &api_statistic_ops,
};

STROBE_PLUGIN(component, .name = "api_statistic", .version = STROBE_PLUGIN_VERSION,
              .summary = "Totals of the calls of one interface function.", .license = "Apache-2.0",
              .vendor = "Strobe");
