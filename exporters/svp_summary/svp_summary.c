/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables of the layers, operators and calls of a board, in the vendor's format. */
#include "svp_summary.h"

#include <errno.h>
#include <strobe/helpers/storage.h>
#include <string.h>

static StrobeStatus summary_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Summary *summary = g_new0(Summary, 1);

    summary->host = host;
    summary->self = self;
    summary->rows = svp_rows_new(host, self);
    summary->is_json = strcmp(host->option_text(self, "format"), "json") == 0;
    summary->is_per_iter = host->option_bool(self, "per_iter");
    summary->has_details = host->option_bool(self, "details");
    *state = summary;
    return STROBE_OK;
}

static void summary_close(void *state)
{
    Summary *summary = state;

    svp_rows_free(summary->rows);
    g_free(summary);
}

static StrobeStatus summary_batch(void *state, const StrobeView *records, size_t n)
{
    Summary *summary = state;
    int error = svp_rows_take(summary->rows, records, n);

    return error
               ? strobe_storage_fail(summary->host, summary->self, "the records of a board", error)
               : STROBE_OK;
}

SummaryFile *summary_begin(const Summary *summary, const char *name, const char *const *titles)
{
    return summary_file_new(summary->host->metadata(summary->self)->directory, name, titles,
                            summary->is_json);
}

/* ---- details ---- */

static int write_captures(const Summary *summary)
{
    static const char *const titles[] = {"Capture", "Device ID", "Model ID", "Current Pic Count",
                                         "First",   "Whole",     NULL};
    SummaryFile *file = NULL;

    for (guint i = 0; i < svp_rows_n_captures(summary->rows); i++) {
        const SvpCapture *capture = svp_rows_capture(summary->rows, i);

        if (!capture->is_reported)
            continue;
        if (!file)
            file = summary_begin(summary, "captures", titles);
        if (!file)
            return errno;
        summary_file_uint(file, capture->number);
        summary_file_uint(file, capture->device);
        summary_file_uint(file, capture->model);
        summary_file_uint(file, capture->current_pic);
        summary_file_uint(file, capture->is_first != 0);
        summary_file_uint(file, !svp_capture_is_cut(capture));
    }
    return file ? summary_file_finish(file) : 0;
}

static void put_mhz(SummaryFile *file, double mhz)
{
    char text[SVP_NUMBER_MAX];

    svp_format_whole(text, (guint64)(mhz + 0.5));
    summary_file_number(file, text);
}

/* Writes the samples of one core, which begin at the index `first`. Returns the index after
 * them. */
static guint put_core(SummaryFile *file, const GArray *samples, guint first)
{
    const SvpFrequency *core = &g_array_index(samples, SvpFrequency, first);
    double least = core->mhz, most = core->mhz, sum = 0;
    guint end = first;

    for (; end < samples->len; end++) {
        const SvpFrequency *sample = &g_array_index(samples, SvpFrequency, end);

        if (sample->device != core->device || sample->core != core->core)
            break;
        least = MIN(least, sample->mhz);
        most = MAX(most, sample->mhz);
        sum += sample->mhz;
    }
    summary_file_uint(file, core->device);
    summary_file_uint(file, core->core);
    put_mhz(file, sum / (end - first));
    put_mhz(file, least);
    put_mhz(file, most);
    summary_file_uint(file, end - first);
    return end;
}

static int write_frequency(const Summary *summary)
{
    static const char *const titles[] = {"Device ID", "Core", "Frequency(MHz)", "Min", "Max",
                                         "Samples",   NULL};
    const GArray *samples = svp_rows_frequencies(summary->rows);
    SummaryFile *file = samples->len ? summary_begin(summary, "frequency", titles) : NULL;

    if (!samples->len)
        return 0;
    if (!file)
        return errno;
    for (guint at = 0; at < samples->len;)
        at = put_core(file, samples, at);
    return summary_file_finish(file);
}

static StrobeStatus summary_end(void *state)
{
    Summary *summary = state;
    int error = svp_rows_join(summary->rows);

    if (error)
        return strobe_storage_fail(summary->host, summary->self, "the records of a board", error);
    error = task_summary_write(summary);
    if (!error)
        error = call_summary_write(summary);
    if (!error && summary->has_details)
        error = write_captures(summary);
    if (!error && summary->has_details)
        error = write_frequency(summary);
    if (!error)
        return STROBE_OK;
    return summary->host->fail(summary->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                               "Cannot write a table: folder=\"%s\": %s",
                               summary->host->metadata(summary->self)->directory_path,
                               g_strerror(error));
}

const StrobeConsumerOps svp_summary_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = summary_open,
    .batch = summary_batch,
    .end = summary_end,
    .close = summary_close,
};
