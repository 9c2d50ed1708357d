/* SPDX-License-Identifier: Apache-2.0 */
/* Notices libraries that the program loads: the preloaded library interposes dlopen and dlsym,
 * and calls a function if there are new ones. libc only. */
#ifndef STROBE_TOOLS_LATE_LIBRARY_H
#define STROBE_TOOLS_LATE_LIBRARY_H

#include "loaded-objects.h"

/* Sets the function, as STROBE_ON_LOAD_SYMBOL describes, for libraries loaded from now on. NULL:
 * removes it. Any thread. */
void late_library_call(StrobeLoadedFunction *function);

#endif
