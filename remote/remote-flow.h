/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command on the board, and passes its input and output through this process. */
#ifndef STROBE_REMOTE_FLOW_H
#define STROBE_REMOTE_FLOW_H

#include "remote-session.h"

typedef struct StrobeFlowCalls {
    /* Gets input for the command. Returns the number of bytes; -1: the input has ended. NULL: the
     * command has no input. */
    gssize (*fill)(void *user, char *bytes, gsize size, GError **error);
    /* Accepts output of the command. Returns the number of accepted bytes; 0: none now; -1: the
     * error. */
    gssize (*take)(void *user, gboolean is_error, const char *bytes, gsize length, GError **error);
    void *user;
} StrobeFlowCalls;

typedef struct StrobeFlow StrobeFlow;

StrobeFlow *strobe_flow_begin(StrobeRemote *remote, const char *command,
                              const StrobeFlowCalls *calls);
/* Passes on all data that can be passed on now, and sets `moved` if there was any. FALSE: the
 * error. */
gboolean strobe_flow_step(StrobeFlow *flow, gboolean *moved, GError **error);
/* Has all output arrived, and was it accepted? */
gboolean strobe_flow_is_done(const StrobeFlow *flow);
/* Does output wait until `take` accepts it? */
gboolean strobe_flow_has_output(const StrobeFlow *flow);
const StrobeChannelEnd *strobe_flow_end(const StrobeFlow *flow);
guint64 strobe_flow_sent(const StrobeFlow *flow);
/* If the command still runs, it loses its input and output. */
void strobe_flow_free(StrobeFlow *flow);

/* Runs a command to its end. FALSE: the error; the connection may still work. */
gboolean strobe_flow_run(StrobeRemote *remote, const char *command, const StrobeFlowCalls *calls,
                         StrobeChannelEnd *end, GError **error);

/* The same with texts as input and output. `input` may be NULL. More than `max` bytes of output are
 * an error. A status other than 0 is an error whose message begins with "HOST: `what`". */
gboolean strobe_flow_text(StrobeRemote *remote, const char *what, const char *command,
                          const char *input, GString *output, gsize max, GError **error);

#endif
