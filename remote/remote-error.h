/* SPDX-License-Identifier: Apache-2.0 */
/* The errors in the work with a board that have exit codes of their own. */
#ifndef STROBE_REMOTE_ERROR_H
#define STROBE_REMOTE_ERROR_H

#include <glib.h>

#define STROBE_REMOTE_ERROR (strobe_remote_error_quark())
GQuark strobe_remote_error_quark(void);

/* The error codes, which are exit codes. */
enum {
    /* the address, host key or authentication is wrong, or the connection was lost */
    STROBE_REMOTE_ERROR_UNREACHED = 9,
    STROBE_REMOTE_ERROR_INTERRUPTED = 128, /* plus the number of the signal */
};

/* Sets an error with the code STROBE_REMOTE_ERROR_UNREACHED and the message, and returns FALSE. */
gboolean strobe_remote_refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the text, which comes from a board, in a form that is safe in a message: one line, no
 * control characters, at most 400 bytes. Free it. */
char *strobe_remote_excerpt(const char *bytes, gsize length);

#endif
