/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-answer.h"

#include <stdio.h>

#include "terminal.h"

static void write_text(StrobeJsonWriter *json, const char *key, const char *value)
{
    strobe_json_key(json, key);
    strobe_json_string(json, value ? value : "");
}

static void write_number(StrobeJsonWriter *json, const char *key, gint64 value)
{
    strobe_json_key(json, key);
    strobe_json_int(json, value);
}

static void write_jobs(StrobeJsonWriter *json, const GPtrArray *jobs)
{
    strobe_json_key(json, "jobs");
    strobe_json_begin_array(json);
    for (guint i = 0; i < jobs->len; i++)
        strobe_json_string(json, g_ptr_array_index(jobs, i));
    strobe_json_end_array(json);
}

static void write_end(StrobeJsonWriter *json, const StrobeChannelEnd *end)
{
    strobe_json_key(json, "main");
    strobe_json_begin_object(json);
    if (end && end->signal[0])
        write_text(json, "signal", end->signal);
    else if (end && end->is_known)
        write_number(json, "status", end->status);
    strobe_json_end_object(json);
}

static void write_board(StrobeJsonWriter *json, const StrobeCollectAnswer *answer)
{
    strobe_json_key(json, "board");
    strobe_json_begin_object(json);
    write_text(json, "machine", answer->properties->machine);
    write_text(json, "libc", answer->properties->libc);
    write_text(json, "kernel", answer->properties->kernel);
    write_number(json, "date_skew_ns", answer->properties->date_skew_ns);
    write_number(json, "clock_error_ns", answer->clock_error_ns);
    strobe_json_end_object(json);
}

static void print_json(const StrobeCollectAnswer *answer)
{
    StrobeJsonWriter *json = strobe_json_open();

    strobe_json_begin_object(json);
    write_jobs(json, answer->jobs);
    write_board(json, answer);
    write_end(json, answer->end);
    write_text(json, "recorder", answer->recorder);
    write_number(json, "uploaded_bytes", (gint64)answer->sent->sent_bytes);
    write_number(json, "reused_bytes", (gint64)answer->sent->reused_bytes);
    write_number(json, "fetched_bytes", (gint64)answer->fetched->fetched_bytes);
    strobe_json_key(json, "lost");
    strobe_json_begin_object(json);
    write_number(json, "refused_files", answer->fetched->n_refused);
    strobe_json_end_object(json);
    strobe_json_end_object(json);
    strobe_json_close(json);
}

void strobe_collect_answer_print(const StrobeCollectAnswer *answer, gboolean is_json)
{
    if (is_json) {
        print_json(answer);
        return;
    }
    for (guint i = 0; i < answer->jobs->len; i++)
        printf("%s\n", (const char *)g_ptr_array_index(answer->jobs, i));
}
