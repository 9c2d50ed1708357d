/* SPDX-License-Identifier: Apache-2.0 */
#include "remote-flow.h"

#include <string.h>

#include "error.h"
#include "remote-error.h"

#define INPUT_CHUNK 65536
/* bytes of one read, at least the size of libssh's window. After a smaller read, libssh would
 * enlarge the window although most of the received data is unread, and would keep more and more
 * data in memory. */
#define OUTPUT_CHUNK (2 << 20)
#define ERRORS_MAX 4096
#define GRACE_US (2 * G_USEC_PER_SEC)

/* Data that has been read but could not be passed on yet. */
typedef struct Pending {
    char *bytes;
    gsize begin, end;
} Pending;

struct StrobeFlow {
    StrobeRemote *remote;
    StrobeChannel *channel;
    StrobeFlowCalls calls;
    Pending input, output[2];
    gboolean has_input, is_open[2];
    guint64 n_sent;
};

StrobeFlow *strobe_flow_begin(StrobeRemote *remote, const char *command,
                              const StrobeFlowCalls *calls)
{
    StrobeFlow *flow = g_new0(StrobeFlow, 1);

    flow->remote = remote;
    flow->calls = *calls;
    flow->is_open[0] = flow->is_open[1] = TRUE;
    flow->has_input = calls->fill != NULL;
    flow->input.bytes = g_malloc(INPUT_CHUNK);
    for (int stream = 0; stream < 2; stream++)
        flow->output[stream].bytes = g_malloc(OUTPUT_CHUNK);
    flow->channel = remote->api->exec(remote->link, command);
    if (!flow->has_input)
        remote->api->end_input(flow->channel);
    return flow;
}

void strobe_flow_free(StrobeFlow *flow)
{
    if (!flow)
        return;
    flow->remote->api->free(flow->channel);
    g_free(flow->input.bytes);
    g_free(flow->output[0].bytes);
    g_free(flow->output[1].bytes);
    g_free(flow);
}

/* ---- one step ---- */

static void end_input(StrobeFlow *flow)
{
    flow->has_input = FALSE;
    flow->remote->api->end_input(flow->channel);
}

static gboolean fill_input(StrobeFlow *flow, GError **error)
{
    Pending *input = &flow->input;
    GError *failure = NULL;
    gssize n;

    if (input->begin < input->end)
        return TRUE;
    input->begin = input->end = 0;
    n = flow->calls.fill(flow->calls.user, input->bytes, INPUT_CHUNK, &failure);
    if (failure) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    if (n < 0)
        end_input(flow);
    else
        input->end = (gsize)n;
    return TRUE;
}

static gboolean send_input(StrobeFlow *flow, gboolean *moved, GError **error)
{
    Pending *input = &flow->input;
    gssize n;

    if (!flow->has_input)
        return TRUE;
    if (!fill_input(flow, error))
        return FALSE;
    if (!flow->has_input || input->begin == input->end)
        return TRUE;
    n = flow->remote->api->write(flow->channel, input->bytes + input->begin,
                                 input->end - input->begin);
    if (n < 0) { /* the command has ended, and its status will give the reason */
        flow->has_input = FALSE;
        return TRUE;
    }
    input->begin += (gsize)n;
    flow->n_sent += (gsize)n;
    *moved |= n > 0;
    return TRUE;
}

static gboolean pass_output(StrobeFlow *flow, int stream, gboolean *moved, GError **error)
{
    Pending *output = &flow->output[stream];
    gssize n;

    while (output->begin < output->end) {
        n = flow->calls.take(flow->calls.user, stream, output->bytes + output->begin,
                             output->end - output->begin, error);
        if (n < 0)
            return FALSE;
        if (n == 0)
            return TRUE;
        output->begin += (gsize)n;
        *moved = TRUE;
    }
    return TRUE;
}

static gboolean take_output(StrobeFlow *flow, int stream, gboolean *moved, GError **error)
{
    Pending *output = &flow->output[stream];
    gssize n;

    if (!pass_output(flow, stream, moved, error))
        return FALSE;
    if (output->begin < output->end || !flow->is_open[stream])
        return TRUE;
    n = flow->remote->api->read(flow->channel, stream, output->bytes, OUTPUT_CHUNK);
    if (n < 0)
        flow->is_open[stream] = FALSE;
    output->begin = 0;
    output->end = n > 0 ? (gsize)n : 0;
    return pass_output(flow, stream, moved, error);
}

gboolean strobe_flow_step(StrobeFlow *flow, gboolean *moved, GError **error)
{
    return send_input(flow, moved, error) && take_output(flow, 0, moved, error) &&
           take_output(flow, 1, moved, error);
}

gboolean strobe_flow_has_output(const StrobeFlow *flow)
{
    return flow->output[0].begin < flow->output[0].end ||
           flow->output[1].begin < flow->output[1].end;
}

gboolean strobe_flow_is_done(const StrobeFlow *flow)
{
    return !flow->is_open[0] && !flow->is_open[1] && !strobe_flow_has_output(flow);
}

const StrobeChannelEnd *strobe_flow_end(const StrobeFlow *flow)
{
    return flow->remote->api->end(flow->channel);
}

guint64 strobe_flow_sent(const StrobeFlow *flow)
{
    return flow->n_sent;
}

/* ---- to the end ---- */

/* Waits for the command's status, which may arrive after the end of its output. FALSE with an
 * error. */
static gboolean await_status(StrobeFlow *flow, GError **error)
{
    const gint64 end_us = g_get_monotonic_time() + GRACE_US;
    gboolean moved;

    while (!strobe_flow_end(flow)->is_known && g_get_monotonic_time() < end_us)
        if (!strobe_remote_turn(flow->remote, 20, error) || !strobe_flow_step(flow, &moved, error))
            return FALSE;
    return TRUE;
}

static gboolean run_flow(StrobeFlow *flow, GError **error)
{
    while (!strobe_flow_is_done(flow)) {
        gboolean moved = FALSE;

        if (!strobe_flow_step(flow, &moved, error) ||
            !strobe_remote_turn(flow->remote, moved ? 0 : 20, error))
            return FALSE;
    }
    return await_status(flow, error);
}

gboolean strobe_flow_run(StrobeRemote *remote, const char *command, const StrobeFlowCalls *calls,
                         StrobeChannelEnd *end, GError **error)
{
    StrobeFlow *flow = strobe_flow_begin(remote, command, calls);
    const gboolean good = run_flow(flow, error);

    *end = *strobe_flow_end(flow);
    strobe_flow_free(flow);
    return good;
}

/* ---- texts ---- */

typedef struct Texts {
    StrobeRemote *remote;
    const char *what, *input;
    GString *output, *errors;
    gsize max;
} Texts;

static gssize fill_text(void *user, char *bytes, gsize size, GError **error)
{
    Texts *texts = user;
    const gsize length = MIN(strlen(texts->input), size);

    memcpy(bytes, texts->input, length);
    texts->input += length;
    return length ? (gssize)length : -1;
}

static gssize take_text(void *user, gboolean is_error, const char *bytes, gsize length,
                        GError **error)
{
    Texts *texts = user;

    if (is_error) {
        g_string_append_len(texts->errors, bytes,
                            (gssize)MIN(length, ERRORS_MAX - MIN(ERRORS_MAX, texts->errors->len)));
        return (gssize)length;
    }
    if (texts->output->len + length > texts->max) {
        strobe_remote_refuse(error, "%s: %s: the board sent more than %" G_GSIZE_FORMAT " bytes",
                             texts->remote->name, texts->what, texts->max);
        return -1;
    }
    g_string_append_len(texts->output, bytes, (gssize)length);
    return (gssize)length;
}

static gboolean check_end(const Texts *texts, const StrobeChannelEnd *end, GError **error)
{
    g_autofree char *said = strobe_remote_excerpt(texts->errors->str, texts->errors->len);

    if (end->is_known && end->status == 0)
        return TRUE;
    if (strstr(said, "No space left")) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "%s: %s: %s", texts->remote->name,
                    texts->what, said);
        return FALSE;
    }
    if (!*said && end->reason[0]) {
        g_free(said);
        said = strobe_remote_excerpt(end->reason, strlen(end->reason));
    }
    if (*said)
        return strobe_remote_refuse(error, "%s: %s: %s", texts->remote->name, texts->what, said);
    return strobe_remote_refuse(error, "%s: %s: the command ended with %s%d", texts->remote->name,
                                texts->what, end->signal, end->status);
}

gboolean strobe_flow_text(StrobeRemote *remote, const char *what, const char *command,
                          const char *input, GString *output, gsize max, GError **error)
{
    Texts texts = {remote, what, input, output, g_string_new(NULL), max};
    const StrobeFlowCalls calls = {input ? fill_text : NULL, take_text, &texts};
    StrobeChannelEnd end;
    const gboolean good =
        strobe_flow_run(remote, command, &calls, &end, error) && check_end(&texts, &end, error);

    g_string_free(texts.errors, TRUE);
    return good;
}
