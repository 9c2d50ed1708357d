/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the memory over time by its purpose, if the recording has at most REPORT_MEMORY_MAX
 * records of memory. */
#ifndef STROBE_REPORT_MEMORY_H
#define STROBE_REPORT_MEMORY_H

#include "report-cells.h"

/* Maximum number of records of memory that are kept, each of about 130 bytes. If there are more,
 * only the maxima are kept. */
#define REPORT_MEMORY_MAX 1000000u
#define REPORT_MEMORY_DEVICES_MAX 4u

typedef struct ReportMemory ReportMemory;

ReportMemory *report_memory_new(const ReportSource *source);
void report_memory_free(ReportMemory *memory);
void report_memory_add(ReportMemory *memory, const StrobeView *record);
/* Writes {limit, is_too_long, devices_left_out, devices: [output of timeline_write_data()]}. */
void report_memory_write(ReportMemory *memory, StrobeJsonWriter *json);

#endif
