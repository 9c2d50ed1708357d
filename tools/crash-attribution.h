/* SPDX-License-Identifier: Apache-2.0 */
/* A component that crashes or ends the command is named. */
#ifndef STROBE_TOOLS_CRASH_ATTRIBUTION_H
#define STROBE_TOOLS_CRASH_ATTRIBUTION_H

/* Handlers of the signals that faults bring, and of exit(). Such a signal still ends the process,
 * such an exit is one with STROBE_EXIT_PLUGIN; what is half made is removed. */
void strobe_crash_attribution_begin(void);

#endif
