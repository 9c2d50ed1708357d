/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intercepts functions whose callers are already loaded, which LD_PRELOAD cannot do. An object
 * keeps the addresses of functions that other objects define in slots (of its PLT and GOT). These
 * functions find the slots and write other addresses into them. Since 1.0.
 */
#ifndef STROBE_HELPERS_IMPORT_SLOTS_H
#define STROBE_HELPERS_IMPORT_SLOTS_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeImport {
    const char *name; /* the function's symbol */
    void *real;       /* the function; NULL: skip this entry */
    void *ours;       /* the function to call instead */
} StrobeImport;

/* Makes all objects that are loaded now call `ours` instead of `real`. Writes only slots that hold
 * `real`, or an address inside the object itself (such a slot is not bound yet). Any other address
 * comes from another tool and stays. Returns the number of written slots; always 0 on a processor
 * whose relocations these functions do not know. Control thread; other threads may call the
 * functions meanwhile.
 */
size_t strobe_imports_replace(const StrobeImport *imports, size_t n);
/* Writes `real` into all slots that hold `ours`, and returns the number of these slots. A thread
 * may still run in `ours` after the call, for any time. */
size_t strobe_imports_restore(const StrobeImport *imports, size_t n);

/* Returns the number of objects that the process has loaded so far. While this number stays the
 * same, there are no new slots. */
unsigned long long strobe_imports_n_loaded(void);

#if defined(__cplusplus)
}
#endif

#endif
