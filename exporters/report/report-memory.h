/* SPDX-License-Identifier: Apache-2.0 */
/* Memory over time by what it is for, of a recording whose records of memory can be held. */
#ifndef STROBE_REPORT_MEMORY_H
#define STROBE_REPORT_MEMORY_H

#include "report-cells.h"

/* Records of memory that are held, about 130 bytes each; of more, the maxima alone are kept. */
#define REPORT_MEMORY_MAX 1000000u
#define REPORT_MEMORY_DEVICES_MAX 4u

typedef struct ReportMemory ReportMemory;

ReportMemory *report_memory_new(const ReportSource *source);
void report_memory_free(ReportMemory *memory);
void report_memory_add(ReportMemory *memory, const StrobeView *record);
/* {limit, is_too_long, devices_left_out, devices: [what timeline_write_data() writes]}. */
void report_memory_write(ReportMemory *memory, StrobeJsonWriter *json);

#endif
