/* SPDX-License-Identifier: Apache-2.0 */
/* Where CPython keeps what a stack of Python frames is read from: CPython 3.11 to 3.13. */
#ifndef STROBE_CPU_SAMPLE_PYTHON_LAYOUT_H
#define STROBE_CPU_SAMPLE_PYTHON_LAYOUT_H

#include <stdint.h>

#include "process-memory.h"

/* Offsets in bytes. */
typedef struct PythonLayout {
    uint32_t runtime_interpreters; /* the first interpreter, in _PyRuntime */
    uint32_t interpreter_next, interpreter_threads;
    uint32_t thread_next, thread_number, thread_frame; /* number: the kernel's */
    uint32_t frame_pointer; /* thread_frame points to where the innermost frame's address is */
    uint32_t has_frame_pointer;
    uint32_t frame_previous, frame_code, frame_owner;
    uint32_t code_file, code_name, code_line;
    uint32_t text_length, text_state;
    uint32_t text_ascii, text_other; /* where the characters are */
} PythonLayout;

/* What frame_owner points to. */
enum { PYTHON_OWNER_GENERATOR = 1, PYTHON_OWNER_C = 3 };

/* By the version as the interpreter counts it (0x030b02f0: 3.11.2). `runtime` is the address of
 * _PyRuntime, which describes itself from 3.13 on. 0; -1: of another version, built without the
 * global lock, or what it says of itself cannot be. */
int python_layout_find(PythonLayout *layout, uint32_t version, ProcessMemory *memory,
                       uint64_t runtime);

#endif
