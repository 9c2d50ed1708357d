/* SPDX-License-Identifier: Apache-2.0 */
/* Notes which component a thread of the command is calling, so that a component that ends the
 * process can be named. Not used for calls in a profiled program. */
#ifndef STROBE_CORE_COMPONENT_CALL_H
#define STROBE_CORE_COMPONENT_CALL_H

#include <strobe/plugin.h>

typedef struct StrobeComponentCall {
    const StrobeComponent *component;
    const char *call; /* "open": the called member of the operations table */
} StrobeComponentCall;

/* Calls may nest: a called component may cause calls of others. */
void strobe_component_call_begin(const StrobeComponent *component, const char *call);
void strobe_component_call_end(void);

/* The innermost call of this thread, NULL: none. Takes no lock and no memory, so a signal
 * handler may use it. */
const StrobeComponentCall *strobe_component_call_present(void);

#endif
