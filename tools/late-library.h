/* SPDX-License-Identifier: Apache-2.0 */
/* Notices the libraries that the program loads: interposes dlopen and dlsym in the preloaded
 * library, and calls a function if there are new libraries. Needs only libc. */
#ifndef STROBE_TOOLS_LATE_LIBRARY_H
#define STROBE_TOOLS_LATE_LIBRARY_H

#include "loaded-objects.h"

/* Sets the function that is called when the program has loaded new libraries (see
 * STROBE_ON_LOAD_SYMBOL). Libraries that are loaded already do not count. NULL: no function is
 * called. Any thread may call this. */
void late_library_call(StrobeLoadedFunction *function);

#endif
