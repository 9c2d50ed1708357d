/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records to one HTML page. */
#include "report.h"

#include <errno.h>

#include "report-page.h"

static StrobeStatus report_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    ReportContent *content = g_new0(ReportContent, 1);

    content->source = (ReportSource){host, self, &content->budget};
    content->tables = report_tables_new();
    content->operators = report_operators_new();
    content->series = report_series_new(&content->source);
    content->spans = report_spans_new(&content->source);
    content->flames = report_flames_new(&content->source);
    content->memory = report_memory_new(&content->source);
    content->samples = report_samples_new(&content->source);
    *state = content;
    return STROBE_OK;
}

static void report_close(void *state)
{
    ReportContent *content = state;

    report_tables_free(content->tables);
    report_operators_free(content->operators);
    report_series_free(content->series);
    report_spans_free(content->spans);
    report_flames_free(content->flames);
    report_memory_free(content->memory);
    report_samples_free(content->samples);
    g_free(content);
}

static StrobeStatus report_batch(void *state, const StrobeView *records, size_t n)
{
    ReportContent *content = state;

    for (size_t i = 0; i < n; i++) {
        report_tables_add(content->tables, &records[i]);
        report_operators_add(content->operators, &records[i]);
        report_series_add(content->series, &records[i]);
        report_spans_add(content->spans, &records[i]);
        report_flames_add(content->flames, &records[i]);
        report_memory_add(content->memory, &records[i]);
        report_samples_add(content->samples, &records[i]);
    }
    return STROBE_OK;
}

static StrobeStatus report_end(void *state)
{
    ReportContent *content = state;
    const StrobeConsumerHost *host = content->source.host;
    StrobeInstance *self = content->source.self;
    const StrobeMetadata *metadata = host->metadata(self);
    const char *name = host->option_text(self, "file");
    StrobeSafeFile *file = strobe_safe_file_create(metadata->directory, name);
    int error = file ? report_page_write(content, file) : errno;

    if (file && error)
        strobe_safe_file_discard(file);
    else if (file)
        error = strobe_safe_file_finish(file);
    if (!error)
        return STROBE_OK;
    return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "Cannot write the report: file=\"%s\", folder=\"%s\": %s", name,
                      metadata->directory_path, g_strerror(error));
}

const StrobeConsumerOps report_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = report_open,
    .batch = report_batch,
    .end = report_end,
    .close = report_close,
};
