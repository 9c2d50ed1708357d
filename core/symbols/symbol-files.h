/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and lines of ELF objects by address, from their symbols and debug information. */
#ifndef STROBE_CORE_SYMBOL_FILES_H
#define STROBE_CORE_SYMBOL_FILES_H

#include <strobe/helpers/native-frame.h>

#define SOURCE_FUNCTIONS_MAX 32

typedef struct SourceFunction {
    /* linkage name; "+0x1200": the begin of a function without a name, in the object */
    const char *name;
    const char *file; /* NULL: not known */
    int line;         /* 0: not known */
} SourceFunction;

/* Writes the functions at the frame's address to `functions`, innermost first: inlined functions
 * before the function that contains them. The object is the file at the frame's path if it has the
 * frame's build-id, otherwise its debug file. Returns the number of functions, 0 if none is known.
 * The texts are valid until the next call. */
size_t symbol_files_resolve(const StrobeNativeFrame *frame,
                            SourceFunction functions[SOURCE_FUNCTIONS_MAX]);

void symbol_files_close(void);

#endif
