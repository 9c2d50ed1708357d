/* SPDX-License-Identifier: Apache-2.0 */
/* Loads plugin files outside of Strobe's own folders in a separate process first. If a file
 * crashes, hangs or ends that process, this process does not load it. */
#ifndef STROBE_TOOLS_PLUGIN_TRIAL_H
#define STROBE_TOOLS_PLUGIN_TRIAL_H

#include <glib.h>

/* maximum time to load a file, which may be on a slow disk */
#define STROBE_PLUGIN_TRIAL_US (10 * G_USEC_PER_SEC)
/* The internal option of strobe that runs strobe_plugin_trial_run. */
#define STROBE_PLUGIN_TRIAL "--try-plugin"

/* From now on every plugin file is tried before this process loads it. */
void strobe_plugin_trial_begin(void);

/* Runs `strobe --try-plugin FILE`: loads the file and ends the process. */
G_NORETURN void strobe_plugin_trial_run(const char *path);

#endif
