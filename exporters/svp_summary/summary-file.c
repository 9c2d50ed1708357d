/* SPDX-License-Identifier: Apache-2.0 */
#include "summary-file.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>

struct SummaryFile {
    StrobeSafeFile *out;
    const char *const *titles;
    guint n_titles, column;
    gboolean is_json;
    StrobeJsonWriter json;
};

static void write_bytes(SummaryFile *file, const char *bytes, gsize length)
{
    strobe_safe_file_write(file->out, bytes, length);
}

/* Writes the text, with quotes if it needs them. */
static void write_csv_text(SummaryFile *file, const char *bytes, gsize length)
{
    g_autofree char *text = g_utf8_make_valid(bytes, (gssize)length);
    const char *at = text;

    if (!text[strcspn(text, ",\"\r\n")]) {
        write_bytes(file, text, strlen(text));
        return;
    }
    write_bytes(file, "\"", 1);
    for (gsize n; *at; at += n) {
        n = strcspn(at, "\"");
        write_bytes(file, at, n);
        if (at[n]) {
            write_bytes(file, "\"\"", 2);
            n++;
        }
    }
    write_bytes(file, "\"", 1);
}

static void begin_cell(SummaryFile *file)
{
    const char *title = file->titles[file->column];

    if (!file->is_json) {
        if (file->column)
            write_bytes(file, ",", 1);
        return;
    }
    if (file->column == 0)
        strobe_json_begin_object(&file->json);
    strobe_json_key_text(&file->json, title, strlen(title));
}

static void end_cell(SummaryFile *file)
{
    if (++file->column < file->n_titles)
        return;
    file->column = 0;
    if (file->is_json)
        strobe_json_end_object(&file->json);
    else
        write_bytes(file, "\r\n", 2);
}

void summary_file_text(SummaryFile *file, const char *bytes, gsize length)
{
    begin_cell(file);
    if (file->is_json)
        strobe_json_text(&file->json, bytes, length);
    else
        write_csv_text(file, bytes, length);
    end_cell(file);
}

void summary_file_number(SummaryFile *file, const char *text)
{
    if (!g_ascii_isdigit(*text)) {
        summary_file_text(file, text, strlen(text));
        return;
    }
    begin_cell(file);
    if (file->is_json)
        strobe_json_raw(&file->json, text, strlen(text));
    else
        write_bytes(file, text, strlen(text));
    end_cell(file);
}

void summary_file_uint(SummaryFile *file, guint64 value)
{
    char text[STROBE_NUMBER_MAX];

    strobe_format_uint(text, value);
    summary_file_number(file, text);
}

SummaryFile *summary_file_new(int directory, const char *name, const char *const *titles,
                              gboolean is_json)
{
    g_autofree char *whole = g_strconcat(name, is_json ? ".json" : ".csv", NULL);
    StrobeSafeFile *out = strobe_safe_file_create(directory, whole);
    SummaryFile *file;

    if (!out)
        return NULL;
    file = g_new0(SummaryFile, 1);
    file->out = out;
    file->titles = titles;
    file->n_titles = g_strv_length((char **)titles);
    file->is_json = is_json;
    if (is_json) {
        strobe_json_init(&file->json, strobe_safe_file_write, out, STROBE_JSON_LINES);
        strobe_json_begin_array(&file->json);
        return file;
    }
    for (guint i = 0; i < file->n_titles; i++)
        summary_file_text(file, titles[i], strlen(titles[i]));
    return file;
}

int summary_file_finish(SummaryFile *file)
{
    int error = 0;

    if (file->is_json) {
        strobe_json_end_array(&file->json);
        error = strobe_json_flush(&file->json);
    }
    if (error)
        strobe_safe_file_discard(file->out);
    else
        error = strobe_safe_file_finish(file->out);
    g_free(file);
    return error;
}
