/* SPDX-License-Identifier: Apache-2.0 */
#include "completeness-report.h"

#include <string.h>

#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>

#include "string-table.h"
#include "terminal.h"

#define DIAGNOSTICS_MAX 100
#define DAMAGE_MAX 3
#define NAME_MAX_BYTES 100
#define TEXT_MAX_BYTES 1000

static const char *const loss_texts[] = {
    [STROBE_LOSS_POOL_EMPTY] = "no free buffer (a larger buffer.size helps)",
    [STROBE_LOSS_DISK_FULL] = "the capture could not be written",
    [STROBE_LOSS_TOO_LARGE] = "larger than a buffer block",
    [STROBE_LOSS_NESTED] = "recorded inside another recording",
    [STROBE_LOSS_LATE] = "arrived after the window was closed",
    [STROBE_LOSS_COLLECTOR_FAILED] = "their collector failed",
    [STROBE_LOSS_NO_THREAD_BUFFER] = "more threads at once than can record",
    [STROBE_LOSS_SPAN_DEPTH] = "spans begun inside 1024 open ones",
    [STROBE_LOSS_STRING_CUT] = "their records are kept",
    [STROBE_LOSS_COLLECTOR_DROPPED] = "dropped by their source",
    [STROBE_LOSS_OVERWRITTEN] = "older than what the flight recorder keeps",
    [STROBE_LOSS_WRITER_GONE] = "no free buffer, and the writer had ended",
};
G_STATIC_ASSERT(G_N_ELEMENTS(loss_texts) == STROBE_LOSS_CAUSES);

const char *strobe_loss_text(guint cause)
{
    return cause < G_N_ELEMENTS(loss_texts) ? loss_texts[cause] : NULL;
}

const char *strobe_loss_what(guint cause)
{
    return cause == STROBE_LOSS_STRING_CUT ? "texts cut or left out" : "records lost";
}

StrobeCompletenessReport *strobe_completeness_report_new(void)
{
    StrobeCompletenessReport *completeness_report = g_new0(StrobeCompletenessReport, 1);

    completeness_report->diagnostics = g_ptr_array_new_with_free_func(g_free);
    return completeness_report;
}

void strobe_completeness_report_free(StrobeCompletenessReport *completeness_report)
{
    if (!completeness_report)
        return;
    g_ptr_array_unref(completeness_report->diagnostics);
    g_free(completeness_report);
}

/* ---- the consumer ---- */

typedef struct Watch {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeCompletenessReport *completeness_report;
} Watch;

/* Kinds of records about the recording itself, not about the work of the program. */
static const char *const own_kinds[] = {"diagnostic", "metadata",   "collector_call", "sampling",
                                        "loss",       "clock_sync", "device_info",    NULL};

/* The report of the current run. It is a global variable, because a consumer receives no user
 * pointer; this command runs one pipeline at a time. */
static StrobeCompletenessReport *watched;

static StrobeStatus watch_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Watch *watch = g_new0(Watch, 1);

    watch->host = host;
    watch->self = self;
    watch->completeness_report = watched;
    *state = watch;
    return STROBE_OK;
}

static void note_diagnostic(const Watch *watch, const StrobeView *record)
{
    StrobeCompletenessReport *completeness_report = watch->completeness_report;
    guint32 offset = G_MAXUINT32;
    guint32 level = strobe_field_offset(record->kind, "level", STROBE_FIELD_U32);

    completeness_report->n_diagnostics++;
    /* Only diagnostics about a dropped part of a source have this level. */
    completeness_report->n_dropped += strobe_field_u32(record, level, 0) == STROBE_LOG_ERROR;
    if (completeness_report->diagnostics->len >= DIAGNOSTICS_MAX)
        return;
    for (guint32 i = 0; i < record->kind->n_fields; i++)
        if (strcmp(record->kind->fields[i].name, "text") == 0 &&
            record->kind->fields[i].type == STROBE_FIELD_STRING)
            offset = record->kind->fields[i].offset;
    if (offset == G_MAXUINT32)
        return;
    StrobeText name = watch->host->string(watch->self, record->name);
    StrobeText text = watch->host->string(watch->self, strobe_view_u32(record, offset));
    g_autofree char *clean_name = strobe_text_excerpt(name.bytes, name.length, NAME_MAX_BYTES);
    g_autofree char *clean_text = strobe_text_excerpt(text.bytes, text.length, TEXT_MAX_BYTES);
    g_ptr_array_add(completeness_report->diagnostics,
                    g_strdup_printf("%s: %s", clean_name, clean_text));
}

static StrobeStatus watch_batch(void *state, const StrobeView *records, size_t n)
{
    Watch *watch = state;

    for (size_t i = 0; i < n; i++) {
        watch->completeness_report->n_own += g_strv_contains(own_kinds, records[i].kind->name);
        if (strcmp(records[i].kind->name, "step") == 0)
            watch->completeness_report->n_steps++;
        else if (strcmp(records[i].kind->name, "diagnostic") == 0)
            note_diagnostic(watch, &records[i]);
    }
    return STROBE_OK;
}

static StrobeStatus watch_end(void *state)
{
    return STROBE_OK;
}

gboolean strobe_completeness_report_watch(StrobeCompletenessReport *completeness_report,
                                          StrobePipeline *pipeline, GError **error)
{
    static const char *const wants[] = {"step",           "diagnostic",  "metadata",
                                        "collector_call", "sampling",    "loss",
                                        "clock_sync",     "device_info", NULL};
    static const StrobeConsumerOps ops = {.struct_size = sizeof ops,
                                          .open = watch_open,
                                          .batch = watch_batch,
                                          .end = watch_end,
                                          .close = g_free};
    static const StrobeComponent component = {.struct_size = sizeof component,
                                              .type = STROBE_COMPONENT_EXPORTER,
                                              .name = "shortfall",
                                              .summary = "What the result lacks.",
                                              .wants = wants,
                                              .ops = &ops};

    watched = completeness_report;
    return strobe_pipeline_add_consumer(pipeline, &component, error);
}

/* ---- lines ---- */

static void add_losses(GPtrArray *lines, const StrobeReaderStats *stats)
{
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        if (stats->lost[i] > 0)
            g_ptr_array_add(lines, g_strdup_printf("%" G_GUINT64_FORMAT " %s: %s (%s)",
                                                   stats->lost[i], strobe_loss_what(i),
                                                   strobe_loss_name(i), loss_texts[i]));
    guint64 stored = strobe_reader_stats_stored(stats), lost = strobe_reader_stats_lost(stats);
    if (lost > 0)
        g_ptr_array_add(lines,
                        g_strdup_printf("%" G_GUINT64_FORMAT " records offered = %" G_GUINT64_FORMAT
                                        " stored + %" G_GUINT64_FORMAT " lost",
                                        stored + lost, stored, lost));
}

GArray *strobe_completeness_report_incomplete(const StrobePipeline *pipeline)
{
    GArray *incomplete = g_array_new(FALSE, FALSE, sizeof(StrobeDerivedCount));
    const StrobeDerivedCount *count;

    for (guint i = 0; (count = strobe_pipeline_derived(pipeline, i)); i++)
        if (count->n_incomplete > 0)
            g_array_append_vals(incomplete, count, 1);
    return incomplete;
}

/* Adds lines about derived records that touch a gap, because files in another tool's format have no
 * column to mark them. */
static void add_incomplete(GPtrArray *lines, const StrobePipeline *pipeline)
{
    g_autoptr(GArray) incomplete = strobe_completeness_report_incomplete(pipeline);
    g_autoptr(GString) line = g_string_new("Incomplete, because records were lost in their time: ");

    for (guint i = 0; i < incomplete->len; i++) {
        const StrobeDerivedCount *count = &g_array_index(incomplete, StrobeDerivedCount, i);
        g_string_append_printf(line, "%s%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s",
                               i ? ", " : "", count->n_incomplete, count->n, count->kind);
    }
    if (incomplete->len > 0)
        g_ptr_array_add(lines, g_strdup(line->str));
}

static void add_damage(GPtrArray *lines, const StrobeReaderStats *stats, const char *const *damage)
{
    if (!stats->sealed)
        g_ptr_array_add(lines, g_strdup("The capture was not closed: its end may be missing"));
    if (stats->recovered)
        g_ptr_array_add(lines,
                        g_strdup("The program and its writer ended without closing the capture; "
                                 "what was recorded was recovered"));
    for (guint i = 0; damage && damage[i] && i < DAMAGE_MAX; i++)
        g_ptr_array_add(lines, g_strdup_printf("Damaged: %s", damage[i]));
    if (stats->n_damaged > DAMAGE_MAX)
        g_ptr_array_add(lines, g_strdup_printf("%" G_GUINT64_FORMAT " damaged places in all",
                                               stats->n_damaged));
}

static void add_clock(GPtrArray *lines, const StrobeClockSummary *clock)
{
    if (clock->broken_ns == 0)
        return;
    g_autofree char *broken = strobe_text_duration((gint64)MIN(clock->broken_ns, G_MAXINT64));
    g_ptr_array_add(lines, g_strdup_printf("The clock jumped: times in %s of the window may be off "
                                           "by as much (\"strobe info\" says where)",
                                           broken));
}

static void add_device_clocks(GPtrArray *lines, const StrobeReaderStats *stats)
{
    if (stats->n_unsure)
        g_ptr_array_add(
            lines, g_strdup_printf("%" G_GUINT64_FORMAT " records of devices: their time on the "
                                   "host clock is uncertain (\"strobe info\" prints the error of "
                                   "the clock)",
                                   stats->n_unsure));
    if (stats->n_device_outside)
        g_ptr_array_add(lines, g_strdup_printf("%" G_GUINT64_FORMAT
                                               " records of devices are left out: by the "
                                               "device's clock they begin outside of the window",
                                               stats->n_device_outside));
}

GPtrArray *strobe_completeness_report_lines(const StrobeCompletenessReport *completeness_report,
                                            const StrobePipeline *pipeline)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    const StrobeReaderStats *stats = strobe_pipeline_stats(pipeline);

    if (stats) {
        add_losses(lines, stats);
        add_incomplete(lines, pipeline);
    }
    for (guint i = 0; i < completeness_report->diagnostics->len; i++)
        g_ptr_array_add(lines, g_strdup(g_ptr_array_index(completeness_report->diagnostics, i)));
    if (completeness_report->n_diagnostics > DIAGNOSTICS_MAX)
        g_ptr_array_add(lines, g_strdup_printf("%" G_GUINT64_FORMAT " diagnostics in all",
                                               completeness_report->n_diagnostics));
    if (stats) {
        add_damage(lines, stats, strobe_pipeline_damage(pipeline));
        add_clock(lines, &stats->clock);
        add_device_clocks(lines, stats);
    }
    return lines;
}
