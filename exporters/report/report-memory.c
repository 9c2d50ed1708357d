/* SPDX-License-Identifier: Apache-2.0 */
#include "report-memory.h"

#include <timeline-data.h>

/* number of parts of all timelines together, because a screen has no more columns */
#define PARTS 1200u

struct ReportMemory {
    ReportSource source;
    MemoryRecords *records;
    gboolean is_too_long;
};

ReportMemory *report_memory_new(const ReportSource *source)
{
    ReportMemory *memory = g_new0(ReportMemory, 1);

    memory->source = *source;
    memory->records = memory_records_new(source->host, source->self, MEMORY_ALL_DEVICES);
    return memory;
}

void report_memory_free(ReportMemory *memory)
{
    memory_records_free(memory->records);
    g_free(memory);
}

void report_memory_add(ReportMemory *memory, const StrobeView *record)
{
    memory_records_add(memory->records, record);
    if (!memory->is_too_long && memory_records_count(memory->records) > REPORT_MEMORY_MAX) {
        memory->is_too_long = TRUE;
        memory_records_drop(memory->records);
    }
}

static void write_device(ReportMemory *memory, const MemoryDevice *device, guint parts,
                         StrobeJsonWriter *json)
{
    TimelineText *text =
        timeline_text_new(memory->source.host, memory->source.self, memory->records, device);

    timeline_write_data(text, parts, json);
    timeline_text_free(text);
}

void report_memory_write(ReportMemory *memory, StrobeJsonWriter *json)
{
    const GArray *devices = memory_records_devices(memory->records);
    guint n = MIN(devices->len, REPORT_MEMORY_DEVICES_MAX);
    guint parts = report_limit(&memory->source, PARTS) / MAX(n, 1);

    strobe_json_begin_object(json);
    strobe_json_key(json, "limit");
    strobe_json_uint(json, REPORT_MEMORY_MAX);
    strobe_json_key(json, "is_too_long");
    strobe_json_bool(json, memory->is_too_long);
    strobe_json_key(json, "devices_left_out");
    strobe_json_uint(json, devices->len - n);
    strobe_json_key(json, "devices");
    strobe_json_begin_array(json);
    for (guint i = 0; i < n; i++)
        write_device(memory, &g_array_index(devices, MemoryDevice, i), MAX(parts, 1), json);
    strobe_json_end_array(json);
    strobe_json_end_object(json);
}
