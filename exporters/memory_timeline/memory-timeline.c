/* SPDX-License-Identifier: Apache-2.0 */
/* Writes memory over time by category, from the kinds of MEMORY_FLOW_KINDS. */
#include "memory-timeline.h"

#include <errno.h>
#include <gzip-file.h>
#include <stdlib.h>
#include <string.h>

#include "timeline-file.h"

/* maximum number of records, because blocks and versions are counted in 32 bits */
#define RECORDS_MAX (1u << 30)

typedef struct MemoryTimeline {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    MemoryRecords *records;
} MemoryTimeline;

/* Sets `device` to the number of the device that `text` names: -1 for "cpu", 2 for "npu:2", 0 for
 * "npu". Returns FALSE if the text names no device. */
static gboolean parse_device(const char *text, gint32 *device)
{
    guint64 number = 0;

    *device = -1;
    if (!strcmp(text, "cpu"))
        return TRUE;
    if (strcmp(text, "npu") &&
        (strncmp(text, "npu:", 4) ||
         !g_ascii_string_to_unsigned(text + 4, 10, 0, G_MAXINT16, &number, NULL)))
        return FALSE;
    *device = (gint32)number;
    return TRUE;
}

static StrobeStatus memory_timeline_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                         void **state)
{
    const char *device = host->option_text(self, "device");
    MemoryTimeline *out;
    gint32 number;

    if (!parse_device(device, &number))
        return host->fail(self, STROBE_ERROR_CONFIG, __FILE__, __LINE__,
                          "Cannot write memory timeline: device=\"%s\", expected cpu or npu:NUMBER",
                          device);
    out = g_new0(MemoryTimeline, 1);
    out->host = host;
    out->self = self;
    out->records = memory_records_new(host, self, number);
    *state = out;
    return STROBE_OK;
}

static void memory_timeline_close(void *state)
{
    MemoryTimeline *out = state;

    memory_records_free(out->records);
    g_free(out);
}

static StrobeStatus memory_timeline_batch(void *state, const StrobeView *records, size_t n)
{
    MemoryTimeline *out = state;

    for (size_t i = 0; i < n; i++)
        memory_records_add(out->records, &records[i]);
    if (memory_records_count(out->records) <= RECORDS_MAX)
        return STROBE_OK;
    return out->host->fail(out->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                           "Cannot write memory timeline: more than %u records; "
                           "record fewer steps",
                           RECORDS_MAX);
}

/* ---- writing ---- */

static int write_form(const TimelineText *text, const char *name, StrobeSafeFile *file)
{
    g_autofree char *plain =
        g_str_has_suffix(name, ".gz") ? g_strndup(name, strlen(name) - 3) : g_strdup(name);

    if (g_str_has_suffix(plain, ".html"))
        return timeline_write_page(text, file);
    if (g_str_has_suffix(plain, "raw.json"))
        return timeline_write_raw(text, file);
    return timeline_write_json(text, file);
}

static StrobeStatus write_file(MemoryTimeline *out, const TimelineText *text)
{
    const StrobeMetadata *metadata = out->host->metadata(out->self);
    const char *name = out->host->option_text(out->self, "file");
    StrobeSafeFile *file =
        gzip_file_create(metadata->directory, name, out->host->option_bool(out->self, "gzip"));
    int error = file ? write_form(text, name, file) : errno;

    if (file && error)
        strobe_safe_file_discard(file);
    else if (file)
        error = strobe_safe_file_finish(file);
    if (!error)
        return STROBE_OK;
    return out->host->fail(out->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                           "Cannot write memory timeline: file=\"%s\", folder=\"%s\": %s", name,
                           metadata->directory_path, g_strerror(error));
}

static StrobeStatus memory_timeline_end(void *state)
{
    MemoryTimeline *out = state;
    const GArray *devices = memory_records_devices(out->records);
    const MemoryDevice *device =
        devices->len ? &g_array_index(devices, MemoryDevice, 0) : NULL; /* the requested device */

    if (!device || !device->n_events) {
        out->host->log(out->self, STROBE_LOG_WARNING,
                       "No file is written: no memory of the device \"%s\" was recorded (option "
                       "device)",
                       out->host->option_text(out->self, "device"));
        return STROBE_OK;
    }
    TimelineText *text = timeline_text_new(out->host, out->self, out->records, device);
    StrobeStatus status = write_file(out, text);

    timeline_text_free(text);
    return status;
}

const StrobeConsumerOps memory_timeline_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = memory_timeline_open,
    .batch = memory_timeline_batch,
    .end = memory_timeline_end,
    .close = memory_timeline_close,
};
