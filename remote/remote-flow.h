/* SPDX-License-Identifier: Apache-2.0 */
/* A command on the board whose input and output pass through this process. */
#ifndef STROBE_REMOTE_FLOW_H
#define STROBE_REMOTE_FLOW_H

#include "remote-session.h"

typedef struct StrobeFlowCalls {
    /* Bytes of its input; -1: its end. NULL: no input. */
    gssize (*fill)(void *user, char *bytes, gsize size, GError **error);
    /* Its output: how many bytes were taken, which may be none now; -1: the error. */
    gssize (*take)(void *user, gboolean is_error, const char *bytes, gsize length, GError **error);
    void *user;
} StrobeFlowCalls;

typedef struct StrobeFlow StrobeFlow;

StrobeFlow *strobe_flow_begin(StrobeRemote *remote, const char *command,
                              const StrobeFlowCalls *calls);
/* Moves what can be moved now. `moved`: something was. FALSE: the error. */
gboolean strobe_flow_step(StrobeFlow *flow, gboolean *moved, GError **error);
/* Has everything come, and the command's end? */
gboolean strobe_flow_is_done(const StrobeFlow *flow);
/* Does output wait until `take` accepts it? */
gboolean strobe_flow_has_output(const StrobeFlow *flow);
const StrobeChannelEnd *strobe_flow_end(const StrobeFlow *flow);
guint64 strobe_flow_sent(const StrobeFlow *flow);
/* A command that still runs loses its input and output. */
void strobe_flow_free(StrobeFlow *flow);

/* Runs a command to its end. FALSE: the error; the connection may still work. */
gboolean strobe_flow_run(StrobeRemote *remote, const char *command, const StrobeFlowCalls *calls,
                         StrobeChannelEnd *end, GError **error);

/* The same with texts. `input` may be NULL. `output` gets at most `max` bytes; more is an error.
 * A status other than 0 is an error that begins with "HOST: `what`". */
gboolean strobe_flow_text(StrobeRemote *remote, const char *what, const char *command,
                          const char *input, GString *output, gsize max, GError **error);

#endif
