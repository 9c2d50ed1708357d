/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-report.h"

#include <string.h>
#include <strobe/strobe.h>

#include "terminal.h"

#define FOUND_WIDTH 90
#define TEXT_MAX 65536

typedef struct Finding {
    const char *section; /* one of StrobeDoctorReport.sections */
    char *name, *found, *next;
    StrobeVerdict verdict;
} Finding;

struct StrobeDoctorReport {
    GPtrArray *sections;    /* names of the sections */
    GPtrArray *findings;    /* of Finding */
    GPtrArray *attachments; /* of text: the title and the text of each attachment in turn */
};

static const char *const verdicts[] = {"-", "ok", "LIMITED", "FAILS"};
static const char *const json_verdicts[] = {"note", "ok", "limited", "fails"};

static void free_finding(gpointer data)
{
    Finding *finding = data;

    g_free(finding->name);
    g_free(finding->found);
    g_free(finding->next);
    g_free(finding);
}

StrobeDoctorReport *strobe_doctor_report_new(void)
{
    StrobeDoctorReport *report = g_new0(StrobeDoctorReport, 1);

    report->sections = g_ptr_array_new_with_free_func(g_free);
    report->findings = g_ptr_array_new_with_free_func(free_finding);
    report->attachments = g_ptr_array_new_with_free_func(g_free);
    return report;
}

void strobe_doctor_report_free(StrobeDoctorReport *report)
{
    if (!report)
        return;
    g_ptr_array_unref(report->sections);
    g_ptr_array_unref(report->findings);
    g_ptr_array_unref(report->attachments);
    g_free(report);
}

void strobe_doctor_section(StrobeDoctorReport *report, const char *name)
{
    g_ptr_array_add(report->sections, g_strdup(name));
}

void strobe_doctor_add(StrobeDoctorReport *report, StrobeVerdict verdict, const char *name,
                       const char *next, const char *format, ...)
{
    Finding *finding = g_new0(Finding, 1);
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_assert(report->sections->len > 0);
    finding->section = g_ptr_array_index(report->sections, report->sections->len - 1);
    finding->name = strobe_text_printable(name, strlen(name));
    finding->found = strobe_text_excerpt(text, strlen(text), 4096);
    finding->next = next ? strobe_text_printable(next, strlen(next)) : NULL;
    finding->verdict = verdict;
    g_ptr_array_add(report->findings, finding);
}

void strobe_doctor_attach(StrobeDoctorReport *report, const char *title, const char *text)
{
    g_ptr_array_add(report->attachments, g_strdup(title));
    g_ptr_array_add(report->attachments, g_strndup(text, TEXT_MAX));
}

guint strobe_doctor_count(const StrobeDoctorReport *report, StrobeVerdict verdict)
{
    guint n = 0;

    for (guint i = 0; i < report->findings->len; i++)
        n += ((const Finding *)g_ptr_array_index(report->findings, i))->verdict == verdict;
    return n;
}

/* ---- for people ---- */

static void print_section(const StrobeDoctorReport *report, const char *section, gboolean whole,
                          FILE *file)
{
    StrobeGrid *grid = strobe_grid_new();
    g_autofree char *title = g_strdup(section);

    strobe_grid_add_column(grid, title, FALSE, 0);
    strobe_grid_add_column(grid, "Verdict", FALSE, 0);
    strobe_grid_add_column(grid, "Found", FALSE, whole ? 0 : FOUND_WIDTH);
    for (guint i = 0; i < report->findings->len; i++) {
        const Finding *finding = g_ptr_array_index(report->findings, i);
        if (finding->section != section)
            continue;
        strobe_grid_add(grid, finding->name);
        strobe_grid_add(grid, verdicts[finding->verdict]);
        strobe_grid_add(grid, finding->found);
    }
    strobe_grid_print(grid, file);
    strobe_grid_free(grid);
    fputc('\n', file);
}

static void print_next_steps(const StrobeDoctorReport *report, FILE *file)
{
    guint n = 0;

    for (int verdict = STROBE_VERDICT_FAILURE; verdict >= STROBE_VERDICT_NOTE; verdict--)
        for (guint i = 0; i < report->findings->len; i++) {
            const Finding *finding = g_ptr_array_index(report->findings, i);
            if ((int)finding->verdict != verdict || !finding->next)
                continue;
            if (n++ == 0)
                fputs("Next steps, the most pressing first:\n", file);
            fprintf(file, "  %u. %s: %s\n", n, finding->name, finding->next);
        }
    if (n > 0)
        fputc('\n', file);
}

/* Prints a text from outside Strobe, without its control characters. */
static void print_attachment(const char *title, const char *text, FILE *file)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    fprintf(file, "==== %s ====\n", title);
    for (char **line = lines; *line; line++) {
        g_autofree char *shown = strobe_text_printable(*line, strlen(*line));
        fprintf(file, "%s\n", shown);
    }
}

void strobe_doctor_print(const StrobeDoctorReport *report, gboolean attachments, FILE *file)
{
    guint failures = strobe_doctor_count(report, STROBE_VERDICT_FAILURE);
    guint limits = strobe_doctor_count(report, STROBE_VERDICT_WARNING);

    for (guint i = 0; i < report->sections->len; i++)
        print_section(report, g_ptr_array_index(report->sections, i), attachments, file);
    print_next_steps(report, file);
    if (failures)
        fprintf(file, "%u %s not work; %u limited.\n", failures,
                failures == 1 ? "thing does" : "things do", limits);
    else if (limits)
        fprintf(file, "Strobe works here; %u limited.\n", limits);
    else
        fputs("Strobe works here.\n", file);
    for (guint i = 0; attachments && i < report->attachments->len; i += 2) {
        fputc('\n', file);
        print_attachment(g_ptr_array_index(report->attachments, i),
                         g_ptr_array_index(report->attachments, i + 1), file);
    }
}

/* ---- for programs ---- */

static void write_text(StrobeJsonWriter *json, const char *key, const char *text)
{
    strobe_json_key(json, key);
    if (text)
        strobe_json_string(json, text);
    else
        strobe_json_null(json);
}

void strobe_doctor_print_json(const StrobeDoctorReport *report)
{
    StrobeJsonWriter *json = strobe_json_open();

    strobe_json_begin_object(json);
    write_text(json, "strobe_version", strobe_version());
    strobe_json_key(json, "works");
    strobe_json_bool(json, strobe_doctor_count(report, STROBE_VERDICT_FAILURE) == 0);
    strobe_json_key(json, "findings");
    strobe_json_begin_array(json);
    for (guint i = 0; i < report->findings->len; i++) {
        const Finding *finding = g_ptr_array_index(report->findings, i);
        strobe_json_begin_object(json);
        write_text(json, "section", finding->section);
        write_text(json, "name", finding->name);
        write_text(json, "verdict", json_verdicts[finding->verdict]);
        write_text(json, "found", finding->found);
        write_text(json, "next", finding->next);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
    strobe_json_end_object(json);
    strobe_json_close(json);
}
