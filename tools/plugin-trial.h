/* SPDX-License-Identifier: Apache-2.0 */
/* Loads plugin files outside of Strobe's own folders in a separate process first. If a file
 * crashes, hangs or ends that process, this process does not load it. */
#ifndef STROBE_TOOLS_PLUGIN_TRIAL_H
#define STROBE_TOOLS_PLUGIN_TRIAL_H

#include <glib.h>

#define STROBE_PLUGIN_TRIAL_US (10 * G_USEC_PER_SEC) /* a file may lie on a slow disk */
/* The internal argument for the process below. */
#define STROBE_PLUGIN_TRIAL "--try-plugin"

/* Tries every plugin file that this process loads from now on. */
void strobe_plugin_trial_begin(void);

/* `strobe --try-plugin FILE`: loads it and ends the process. */
G_NORETURN void strobe_plugin_trial_run(const char *path);

#endif
