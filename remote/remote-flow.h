/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command on the board, and passes its input and output through this process. */
#ifndef STROBE_REMOTE_FLOW_H
#define STROBE_REMOTE_FLOW_H

#include "remote-session.h"

typedef struct StrobeFlowCalls {
    /* Writes input for the command into `bytes`. Returns the number of bytes; 0: there is none yet;
     * -1: the input has ended. NULL: the command has no input. */
    gssize (*fill)(void *user, char *bytes, gsize size, GError **error);
    /* Accepts output of the command or, if `is_error`, error output. Returns the number of accepted
     * bytes; 0: it accepts none yet; -1 with an error. */
    gssize (*take)(void *user, gboolean is_error, const char *bytes, gsize length, GError **error);
    void *user;
} StrobeFlowCalls;

typedef struct StrobeFlow StrobeFlow;

StrobeFlow *strobe_flow_begin(StrobeRemote *remote, const char *command,
                              const StrobeFlowCalls *calls);
/* Passes on all data that can be passed on without waiting, and sets *moved to TRUE if there was
 * any. FALSE with an error. */
gboolean strobe_flow_step(StrobeFlow *flow, gboolean *moved, GError **error);
/* Whether all output has arrived and was accepted. */
gboolean strobe_flow_is_done(const StrobeFlow *flow);
/* Whether there is output that `take` has not accepted yet. */
gboolean strobe_flow_has_output(const StrobeFlow *flow);
const StrobeChannelEnd *strobe_flow_end(const StrobeFlow *flow);
guint64 strobe_flow_sent(const StrobeFlow *flow);
/* Closes the channel and frees the flow. If the command still runs, it loses its input and
 * output. */
void strobe_flow_free(StrobeFlow *flow);

/* Runs a command to its end. FALSE with an error; the connection may still work. */
gboolean strobe_flow_run(StrobeRemote *remote, const char *command, const StrobeFlowCalls *calls,
                         StrobeChannelEnd *end, GError **error);

/* Runs a command to its end, with the text `input` (may be NULL) as its input, and appends its
 * output to `output`. FALSE with an error, also if the output has more than `max` bytes or the
 * status is not 0; for such a status the message begins with the host and `what`. */
gboolean strobe_flow_text(StrobeRemote *remote, const char *what, const char *command,
                          const char *input, GString *output, gsize max, GError **error);

#endif
