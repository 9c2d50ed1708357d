/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries loaded in this process. libc only; also part of the preloaded library. */
#ifndef STROBE_CORE_LOADED_OBJECTS_H
#define STROBE_CORE_LOADED_OBJECTS_H

#include <stdint.h>

/* Returns the number of objects that the loader has added to this process so far. The number grows
 * with each loaded library, before the library's constructors run. The call is short: it takes a
 * lock of the loader that is free while constructors run. Returns 0 if the number is unknown now,
 * because another thread forks or makes the same call. Any thread. */
uint64_t strobe_loaded_objects(void);

/* Is a library loaded whose file name begins with `name` ("libtorch_cpu.so")? -1: unknown now,
 * because another thread forks or makes such a call. Any thread. */
int strobe_loaded_has(const char *name);

/* strobe_loaded_present returns the number of currently loaded objects; 0: unknown now.
 * strobe_loaded_after: is `address` in an object that was loaded after the first `n_before`
 * objects? -1: unknown now. */
uint64_t strobe_loaded_present(void);
int strobe_loaded_after(uint64_t n_before, const void *address);

/* Symbol of the preloaded library: void (*)(StrobeLoadedFunction *). Registers a function that is
 * called at the begin of the program's calls of dlopen and dlsym, if libraries were loaded since
 * the function's last call. It is not called if one of these libraries makes the call, because
 * their constructors may still run. The function returns 0 for "not now"; the program's next dlopen
 * or dlsym then calls it again. NULL: unregisters it. */
#define STROBE_ON_LOAD_SYMBOL "strobe_run_on_load"

typedef int StrobeLoadedFunction(void);
typedef void StrobeOnLoad(StrobeLoadedFunction *function);

#endif
