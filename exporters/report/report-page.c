/* SPDX-License-Identifier: Apache-2.0 */
#include "report-page.h"

#include <page-escape.h>
#include <string.h>

#include "report-library.h"
#include "report-text.h"

#define SCHEMA 1 /* version of the page's data */

/* Reads the file that an option names. NULL: the option names none, or the file cannot be read,
 * which is logged. */
static char *read_option(const ReportSource *source, const char *option, gsize *length,
                         const char *without)
{
    const char *path = source->host->option_text(source->self, option);
    g_autofree char *problem = NULL;

    if (!*path)
        return NULL;
    char *text = report_file_read(path, length, &problem);
    if (!text)
        source->host->log(source->self, STROBE_LOG_WARNING, "%s (option %s, \"%s\": %s)", without,
                          option, path, problem);
    return text;
}

static void write_metadata(const ReportSource *source, StrobeJsonWriter *json)
{
    const StrobeMetadata *metadata = source->host->metadata(source->self);
    const struct {
        const char *key;
        gint64 value;
    } numbers[] = {
        {"pid", (gint64)metadata->pid},       {"rank", metadata->rank},
        {"begin", metadata->window_begin_ns}, {"end", metadata->window_end_ns},
        {"lost", (gint64)metadata->n_lost},   {"stored", (gint64)metadata->n_stored},
        {"complete", metadata->complete},
    };

    strobe_json_key(json, "metadata");
    strobe_json_begin_object(json);
    strobe_json_key(json, "command");
    report_write_text(source, (StrobeText){metadata->command, strlen(metadata->command)}, json);
    strobe_json_key(json, "host");
    report_write_text(source, (StrobeText){metadata->host, strlen(metadata->host)}, json);
    strobe_json_key(json, "strobe_version");
    strobe_json_string(json, metadata->strobe_version);
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        strobe_json_key_text(json, numbers[i].key, strlen(numbers[i].key));
        strobe_json_int(json, numbers[i].value);
    }
    strobe_json_end_object(json);
}

/* Writes JSON that `strobe report` made; it is escaped like all data. */
static void write_given(const ReportSource *source, const char *option, const char *without,
                        StrobeJsonWriter *json)
{
    gsize length = 0;
    g_autofree char *text = read_option(source, option, &length, without);

    strobe_json_key_text(json, option, strlen(option));
    if (text && length)
        strobe_json_raw(json, text, length);
    else
        strobe_json_null(json);
}

static void write_licence(const ReportSource *source, StrobeJsonWriter *json)
{
    gsize length = 0;
    g_autofree char *text =
        read_option(source, "licence", &length, "The page lacks the licence of its charts");

    strobe_json_key(json, "licence");
    strobe_json_text(json, text ? text : "", length);
}

static void write_data(ReportContent *content, gboolean has_library, StrobeJsonWriter *json)
{
    strobe_json_begin_object(json);
    strobe_json_key(json, "schema");
    strobe_json_int(json, SCHEMA);
    write_metadata(&content->source, json);
    strobe_json_key(json, "steps");
    report_operators_write_steps(content->operators, json);
    strobe_json_key(json, "tables");
    report_tables_write(content->tables, &content->source, json);
    strobe_json_key(json, "series");
    report_series_write(content->series, json);
    strobe_json_key(json, "timeline");
    report_spans_write(content->spans, json);
    strobe_json_key(json, "flames");
    report_flames_write(content->flames, json);
    strobe_json_key(json, "samples");
    report_samples_write(content->samples, json);
    strobe_json_key(json, "memory");
    report_memory_write(content->memory, json);
    strobe_json_key(json, "percentiles");
    report_operators_write(content->operators, &content->source, json);
    strobe_json_key(json, "has_all_texts");
    strobe_json_bool(json, content->text_bytes < REPORT_TEXTS_MAX);
    write_given(&content->source, "comparison", "There is no comparison", json);
    write_given(&content->source, "ranks", "There are no rows of ranks", json);
    write_given(&content->source, "source", "The page does not name the result's files", json);
    if (has_library)
        write_licence(&content->source, json);
    strobe_json_end_object(json);
}

/* NULL: the page has tables in place of charts. */
static char *read_library(const ReportSource *source)
{
    gsize length = 0;
    char *library = read_option(source, "library", &length,
                                "Tables replace the charts: the library is missing; install "
                                "Debian's node-d3");

    if (library && !report_script_is_safe(library)) {
        source->host->log(source->self, STROBE_LOG_WARNING,
                          "Tables replace the charts: \"%s\" cannot be put into a page",
                          source->host->option_text(source->self, "library"));
        g_clear_pointer(&library, g_free);
    }
    return library;
}

int report_page_write(ReportContent *content, StrobeSafeFile *file)
{
    g_autofree char *library = read_library(&content->source);
    StrobeJsonWriter json;
    int error = strobe_safe_file_write(file, (const char *)report_head, sizeof report_head);

    strobe_json_init(&json, page_write_escaped, file, 0);
    write_data(content, library != NULL, &json);
    if (!error)
        error = strobe_json_flush(&json);
    if (!error)
        error = strobe_safe_file_write(file, (const char *)report_middle, sizeof report_middle);
    if (!error && library)
        error = strobe_safe_file_puts(file, library);
    return error ? error
                 : strobe_safe_file_write(file, (const char *)report_tail, sizeof report_tail);
}
