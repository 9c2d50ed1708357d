/* SPDX-License-Identifier: Apache-2.0 */
/* Records which component a thread of the command is calling, so that a message can name a
 * component that ends the process. Not used for calls in a profiled program. */
#ifndef STROBE_CORE_COMPONENT_CALL_H
#define STROBE_CORE_COMPONENT_CALL_H

#include <strobe/plugin.h>

typedef struct StrobeComponentCall {
    const StrobeComponent *component;
    const char *call; /* the called member of the operations table, such as "open" */
} StrobeComponentCall;

/* Records in this thread that a call of a component begins, or ends. Calls may be nested: the call
 * of one component may cause a call of another. */
void strobe_component_call_begin(const StrobeComponent *component, const char *call);
void strobe_component_call_end(void);

/* Returns the innermost call of this thread, NULL: none. Takes no lock and no memory, so a signal
 * handler may use it. */
const StrobeComponentCall *strobe_component_call_present(void);

#endif
