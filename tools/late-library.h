/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that the program loads: the preloaded library stands in front of dlopen and dlsym, and
 * calls a function when there are new ones. libc only. */
#ifndef STROBE_TOOLS_LATE_LIBRARY_H
#define STROBE_TOOLS_LATE_LIBRARY_H

#include "loaded-objects.h"

/* Calls the function, as STROBE_ON_LOAD_SYMBOL says, for what is loaded from now on. NULL: calls
 * none any more. Any thread. */
void late_library_call(StrobeLoadedFunction *function);

#endif
