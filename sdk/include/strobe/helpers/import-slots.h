/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places in which the objects of this process keep the addresses of functions that another
 * object defines. By writing there one stands before a function whose callers are loaded already,
 * which LD_PRELOAD cannot. Since 1.0.
 */
#ifndef STROBE_HELPERS_IMPORT_SLOTS_H
#define STROBE_HELPERS_IMPORT_SLOTS_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeImport {
    const char *name; /* the function's symbol */
    void *real;       /* the function; NULL: this one is left out */
    void *ours;       /* is called instead */
} StrobeImport;

/* Has all objects that are loaded now call `ours` instead of `real`. A place that holds neither
 * `real` nor what the object itself has put there until its first call belongs to someone else and
 * is left alone. Returns how many places were written: 0 too where this machine's are not known.
 * Control thread; other threads may call the functions meanwhile. */
size_t strobe_imports_replace(const StrobeImport *imports, size_t n);
/* Puts `real` back wherever `ours` is. A thread may be in `ours` still, for any time. */
size_t strobe_imports_restore(const StrobeImport *imports, size_t n);

/* Counts the objects that were ever loaded: the same number, nothing new to replace. */
unsigned long long strobe_imports_n_loaded(void);

#if defined(__cplusplus)
}
#endif

#endif
