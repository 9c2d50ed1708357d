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

/* How many objects are loaded now; 0: not known now. And is `address` in an object that was loaded
 * after the first `n_before` of them? -1: not known now. */
uint64_t strobe_loaded_present(void);
int strobe_loaded_after(uint64_t n_before, const void *address);

/* Of the preloaded library: void (*)(StrobeLoadedFunction *). The function is called from now on in
 * the program's calls of dlopen and dlsym, before these go on, if a library was loaded since its
 * last call and the caller is not one of these libraries: their constructors may still run. It
 * returns 0 for "not now": then the next call of the program calls it again. NULL: no more. */
#define STROBE_ON_LOAD_SYMBOL "strobe_run_on_load"

typedef int StrobeLoadedFunction(void);
typedef void StrobeOnLoad(StrobeLoadedFunction *function);

#endif
