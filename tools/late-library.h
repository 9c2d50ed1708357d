/* SPDX-License-Identifier: Apache-2.0 */
/* Notices the libraries that the program loads: interposes dlopen and dlsym in the preloaded
 * library, and calls a function if there are new libraries. Needs only libc. */
#ifndef STROBE_TOOLS_LATE_LIBRARY_H
#define STROBE_TOOLS_LATE_LIBRARY_H

#include "loaded-objects.h"

/* Sets the function that is called for libraries that are loaded from now on (see
 * STROBE_ON_LOAD_SYMBOL). NULL: removes the function. Any thread may call this. */
void late_library_call(StrobeLoadedFunction *function);

#endif
