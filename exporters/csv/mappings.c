/* SPDX-License-Identifier: Apache-2.0 */
#include "mappings.h"

static const StrobeColumn operator_details[] = {
    {"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Input Shapes", "shapes", STROBE_CELL_LIST},
    {"Call Stack", "stack", STROBE_CELL_LIST},
    {"Host Self Duration(us)", "host_self", STROBE_CELL_US_REPR},
    {"Host Total Duration(us)", "host_total", STROBE_CELL_US_REPR},
    {"Device Self Duration(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO},
    {"Device Total Duration(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO},
    {"Device Self Duration With AICore(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO},
    {"Device Total Duration With AICore(us)", STROBE_COLUMN_NONE, STROBE_CELL_ZERO},
};

const CsvMapping csv_mappings[] = {
    {{"operator_details.csv", "operator_detail", operator_details, G_N_ELEMENTS(operator_details)},
     .by_begin = TRUE,
     .skip_prefix = "ProfilerStep#"},
};

const guint n_csv_mappings = G_N_ELEMENTS(csv_mappings);

const char *const csv_kinds_on_request[] = {
    "cpu_op", /* operator_details.csv has every operator */
    "collector_call", "diagnostic", "metadata", NULL,
};
