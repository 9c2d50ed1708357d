/* SPDX-License-Identifier: Apache-2.0 */
/* Which component a thread of the command is calling: a component that ends the process is found by
 * it. Not around calls in a program that is profiled, of which nobody asks. */
#ifndef STROBE_CORE_COMPONENT_CALL_H
#define STROBE_CORE_COMPONENT_CALL_H

#include <strobe/plugin.h>

typedef struct StrobeComponentCall {
    const StrobeComponent *component;
    const char *call; /* "open": its member of the table of operations */
} StrobeComponentCall;

/* Calls may nest: a component that is called may have others called. */
void strobe_component_call_begin(const StrobeComponent *component, const char *call);
void strobe_component_call_end(void);

/* The innermost of this thread, NULL: none. Takes no lock and no memory: for signal handlers too.
 */
const StrobeComponentCall *strobe_component_call_present(void);

#endif
