/* SPDX-License-Identifier: Apache-2.0 */
#include "report-page.h"

#include <errno.h>
#include <page-escape.h>
#include <string.h>

#include "report-library.h"
#include "report-text.h"

#define SCHEMA 1 /* version of the page's data */

/* Maximum number of bytes of the page, and maximum number of times that its limits are halved to
 * make it small enough. */
#define PAGE_MAX 4900000u
#define HALVINGS_MAX 10u
#define LICENCE_MAX 32768u /* maximum number of bytes of the licence */

/* Files that become part of the data. */
enum { COMPARISON, RANKS, SOURCE, LICENCE, N_FILES };

static const struct {
    const char *option, *without;
} options[N_FILES] = {
    [COMPARISON] = {"comparison", "There is no comparison"},
    [RANKS] = {"ranks", "There are no rows of ranks"},
    [SOURCE] = {"source", "The page does not name the result's files"},
    [LICENCE] = {"licence", "The page lacks the licence of its charts"},
};

typedef struct PageFiles {
    char *texts[N_FILES]; /* NULL: there is no such file */
    gsize lengths[N_FILES];
} PageFiles;

/* The page's data, which have at most `most` bytes. */
typedef struct PageData {
    GString *text;
    gsize n_bytes, most; /* n_bytes: number of bytes with escapes; most: its maximum */
} PageData;

/* Reads the file that an option names. Returns NULL if the option is empty, or the file cannot be
 * read or is too large. Logs the reason if there is a file. */
static char *read_option(const ReportSource *source, const char *option, gsize *length,
                         const char *without)
{
    const char *path = source->host->option_text(source->self, option);
    g_autofree char *problem = NULL;

    if (!*path)
        return NULL;
    char *text = report_file_read(path, length, &problem);
    if (text && page_escaped_length(text, *length) > REPORT_FILE_MAX) {
        problem = g_strdup_printf("expected at most %u bytes in the page", REPORT_FILE_MAX);
        g_clear_pointer(&text, g_free);
    }
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
    report_write_text(
        source, (StrobeText){metadata->strobe_version, strlen(metadata->strobe_version)}, json);
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        strobe_json_key_text(json, numbers[i].key, strlen(numbers[i].key));
        strobe_json_int(json, numbers[i].value);
    }
    strobe_json_end_object(json);
}

/* Writes JSON from a file that `strobe report` made. The JSON is escaped like all data. */
static void write_given(const PageFiles *files, guint place, StrobeJsonWriter *json)
{
    strobe_json_key_text(json, options[place].option, strlen(options[place].option));
    if (files->lengths[place])
        strobe_json_raw(json, files->texts[place], files->lengths[place]);
    else
        strobe_json_null(json);
}

static void write_licence(const PageFiles *files, StrobeJsonWriter *json)
{
    strobe_json_key(json, "licence");
    strobe_json_text(json, files->texts[LICENCE], MIN(files->lengths[LICENCE], LICENCE_MAX));
}

static void write_data(ReportContent *content, const PageFiles *files, StrobeJsonWriter *json)
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
    strobe_json_key(json, "series_left_out");
    strobe_json_uint(json, report_series_left_out(content->series));
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
    strobe_json_bool(json, report_has_texts(&content->source));
    strobe_json_key(json, "halvings");
    strobe_json_uint(json, content->budget.n_halvings);
    for (guint i = 0; i < LICENCE; i++)
        write_given(files, i, json);
    if (files->lengths[LICENCE])
        write_licence(files, json);
    strobe_json_end_object(json);
}

/* The write function of the data's JSON writer. */
static int add_data(void *user, const char *bytes, size_t length)
{
    PageData *data = user;

    data->n_bytes += page_escaped_length(bytes, length);
    if (data->n_bytes > data->most)
        return EFBIG;
    g_string_append_len(data->text, bytes, (gssize)length);
    return 0;
}

/* Makes the data. Halves all limits until the data fit. Returns 0 or an errno value. */
static int make_data(ReportContent *content, const PageFiles *files, PageData *data)
{
    ReportBudget *budget = &content->budget;
    StrobeJsonWriter json;
    int error = EFBIG;

    for (guint i = 0; error == EFBIG && i <= HALVINGS_MAX; i++) {
        *budget = (ReportBudget){.n_halvings = i};
        data->n_bytes = 0;
        g_string_truncate(data->text, 0);
        strobe_json_init(&json, add_data, data, 0);
        write_data(content, files, &json);
        error = strobe_json_flush(&json);
    }
    return error;
}

static void read_files(const ReportSource *source, gboolean has_library, PageFiles *files)
{
    for (guint i = 0; i < N_FILES; i++)
        if (i != LICENCE || has_library)
            files->texts[i] =
                read_option(source, options[i].option, &files->lengths[i], options[i].without);
    for (guint i = 0; i < N_FILES; i++)
        if (!files->texts[i])
            files->lengths[i] = 0;
}

static void free_files(PageFiles *files)
{
    for (guint i = 0; i < N_FILES; i++)
        g_free(files->texts[i]);
}

/* Reads the library of charts. Returns NULL if there is none; the page then has tables in place of
 * charts. */
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

/* Writes the page with the data and the library. */
static int write_page(const GString *data, const char *library, StrobeSafeFile *file)
{
    int error = strobe_safe_file_write(file, (const char *)report_head, sizeof report_head);

    if (!error)
        error = page_write_escaped(file, data->str, data->len);
    if (!error)
        error = strobe_safe_file_write(file, (const char *)report_middle, sizeof report_middle);
    if (!error && library)
        error = strobe_safe_file_puts(file, library);
    return error ? error
                 : strobe_safe_file_write(file, (const char *)report_tail, sizeof report_tail);
}

int report_page_write(ReportContent *content, StrobeSafeFile *file)
{
    g_autofree char *library = read_library(&content->source);
    gsize others = sizeof report_head + sizeof report_middle + sizeof report_tail +
                   (library ? strlen(library) : 0);
    PageFiles files = {0};
    PageData data = {.text = g_string_new(NULL), .most = PAGE_MAX - others};

    read_files(&content->source, library != NULL, &files);
    int error = make_data(content, &files, &data);
    if (!error)
        error = write_page(data.text, library, file);
    free_files(&files);
    g_string_free(data.text, TRUE);
    return error;
}
