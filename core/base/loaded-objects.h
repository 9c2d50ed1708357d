/* SPDX-License-Identifier: Apache-2.0 */
/* What libraries are loaded into this process. libc only; part of the preloaded library too. */
#ifndef STROBE_CORE_LOADED_OBJECTS_H
#define STROBE_CORE_LOADED_OBJECTS_H

#include <stdint.h>

/* How many objects the loader has added to this process so far; grows with each library that is
 * loaded, by whomever, and before its constructors run. Short: it takes a lock of the loader's that
 * is not held while these run. 0: not known now, as another thread forks or counts. Any thread. */
uint64_t strobe_loaded_objects(void);

/* Is a library loaded whose file's name begins so ("libtorch_cpu.so")? -1: not known now, as above.
 * Any thread. */
int strobe_loaded_has(const char *name);

#endif
