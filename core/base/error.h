/* SPDX-License-Identifier: Apache-2.0 */
/* Errors inside Strobe: GError in one domain, whose codes are StrobeStatus values. */
#ifndef STROBE_CORE_ERROR_H
#define STROBE_CORE_ERROR_H

#include <glib.h>
#include <strobe/status.h>

#define STROBE_ERROR (strobe_error_quark())
GQuark strobe_error_quark(void);

/* Returns the status of an error: its code if its domain is STROBE_ERROR; STROBE_ERROR_IO for
 * G_FILE_ERROR and G_IO_ERROR; STROBE_ERROR_FAILED for any other domain. */
StrobeStatus strobe_status_of(const GError *error);

/* Returns the process exit code for an error: 3 configuration, 4 plugin, 5 unreadable input, 6
 * cannot write, 1 otherwise. */
int strobe_exit_code(const GError *error);

/* Returns the text ", did you mean \"x\"?" for the candidate nearest to `name`, "" if none is near
 * (free it). `candidates` is NULL-terminated. */
char *strobe_nearest_hint(const char *name, const char *const *candidates);

#endif
