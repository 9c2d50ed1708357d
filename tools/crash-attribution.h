/* SPDX-License-Identifier: Apache-2.0 */
/* Names the component that crashes or exits the command. */
#ifndef STROBE_TOOLS_CRASH_ATTRIBUTION_H
#define STROBE_TOOLS_CRASH_ATTRIBUTION_H

/* Installs handlers for fault signals and for exit(). A fault still ends the process; an exit()
 * gets the code STROBE_EXIT_PLUGIN. Incomplete files are removed. */
void strobe_crash_attribution_begin(void);

#endif
