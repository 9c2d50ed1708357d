/* SPDX-License-Identifier: Apache-2.0 */
/* Finishing the capture of a program that died, from its pool. */
#ifndef STROBE_CORE_RECOVER_H
#define STROBE_CORE_RECOVER_H

#include <glib.h>

/* See strobe_result_recover. `capture` is the path of the capture file. */
gboolean strobe_recover(const char *capture, gboolean *live, GError **error);

#endif
