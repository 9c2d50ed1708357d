/* SPDX-License-Identifier: Apache-2.0 */
/* Loads plugin files outside of Strobe's own folders in a separate process first: a file that
 * crashes, hangs or ends the process there is left out here. */
#ifndef STROBE_TOOLS_PLUGIN_TRIAL_H
#define STROBE_TOOLS_PLUGIN_TRIAL_H

#include <glib.h>

#define STROBE_PLUGIN_TRIAL_US (10 * G_USEC_PER_SEC) /* a file may lie on a slow disk */
/* The internal argument for the process below. */
#define STROBE_PLUGIN_TRIAL "--try-plugin"

/* From here on, in this process. */
void strobe_plugin_trial_begin(void);

/* `strobe --try-plugin FILE`: loads it and ends the process. */
G_NORETURN void strobe_plugin_trial_run(const char *path);

#endif
