/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of work on a board that have their own exit codes. */
#ifndef STROBE_REMOTE_ERROR_H
#define STROBE_REMOTE_ERROR_H

#include <glib.h>

#define STROBE_REMOTE_ERROR (strobe_remote_error_quark())
GQuark strobe_remote_error_quark(void);

/* The codes are exit codes. */
enum {
    STROBE_REMOTE_ERROR_UNREACHED = 9,     /* address, host key, authentication, lost connection */
    STROBE_REMOTE_ERROR_INTERRUPTED = 128, /* and the signal's number */
};

/* Sets STROBE_REMOTE_ERROR_UNREACHED with the message, and returns FALSE. */
gboolean strobe_remote_refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Text from a board, safe for a message: one line, no control characters, at most 400 bytes.
 * Free it. */
char *strobe_remote_excerpt(const char *bytes, gsize length);

#endif
