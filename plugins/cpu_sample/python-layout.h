/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets in the structures of CPython 3.11 to 3.13 by which a stack of Python frames is read. */
#ifndef STROBE_CPU_SAMPLE_PYTHON_LAYOUT_H
#define STROBE_CPU_SAMPLE_PYTHON_LAYOUT_H

#include <stdint.h>

#include "process-memory.h"

/* Offsets in bytes. */
typedef struct PythonLayout {
    /* offset in _PyRuntime of the pointer to the first interpreter */
    uint32_t runtime_interpreters;
    uint32_t interpreter_next, interpreter_threads;
    uint32_t thread_next, thread_number, thread_frame; /* thread_number: the kernel's thread id */
    /* used if has_frame_pointer is set: the pointer at thread_frame leads to a structure that
     * contains the innermost frame's address at this offset */
    uint32_t frame_pointer;
    uint32_t has_frame_pointer;
    uint32_t frame_previous, frame_code, frame_owner;
    uint32_t code_file, code_name, code_line;
    uint32_t text_length, text_state;
    uint32_t text_ascii,
        text_other; /* offsets of the characters: in an ASCII text, and in any other text */
} PythonLayout;

/* Values of the byte at frame_owner. */
enum { PYTHON_OWNER_GENERATOR = 1, PYTHON_OWNER_C = 3 };

/* Sets `layout` to that of a version in CPython's form (0x030b02f0 is 3.11.2). `runtime` is the
 * address of _PyRuntime; from 3.13 on the layout is read from _PyRuntime. Returns 0, or -1 if the
 * version is not supported, CPython was built without the global lock, or the offsets in _PyRuntime
 * are not plausible. */
int python_layout_find(PythonLayout *layout, uint32_t version, ProcessMemory *memory,
                       uint64_t runtime);

#endif
