/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python frames of a thread, read from the memory of its process while that runs. What is read
 * may change meanwhile or be made to mislead: every pointer is checked, and a stack that cannot be
 * is torn. One thread at a time.
 */
#ifndef STROBE_CPU_SAMPLE_PYTHON_FRAMES_H
#define STROBE_CPU_SAMPLE_PYTHON_FRAMES_H

#include <strobe/collector.h>

#include "number-table.h"
#include "process-memory.h"
#include "python-layout.h"

#define PYTHON_FRAMES_MAX 256

/* An interpreter in a process. */
typedef struct PythonInterpreter {
    PythonLayout layout;
    uint64_t runtime;    /* address of _PyRuntime */
    uint64_t code_type;  /* address of PyCode_Type */
    NumberTable threads; /* number of the kernel -> address of its state */
    NumberTable codes;   /* address -> PythonCode */
    int is_outdated;     /* another code object lies at an address that is known */
} PythonInterpreter;

/* A code object, as its frames are recorded. */
typedef struct PythonCode {
    uint64_t file, name; /* addresses of the texts: others are another code object's */
    uint32_t line;       /* of the definition */
    StrobeStringId id;   /* 0: its text is interned for each record */
    char text[];         /* "file(line): function" */
} PythonCode;

typedef struct PythonStack {
    uint32_t n;
    PythonCode *frames[PYTHON_FRAMES_MAX]; /* innermost first; the outer ones are left out */
} PythonStack;

enum { PYTHON_STACK_TORN = -1, PYTHON_STACK_NONE = 0, PYTHON_STACK_READ = 1 };

/* Reads the stack of the thread with that number of the kernel. The stack is valid until the next
 * call. */
int python_frames_read(PythonInterpreter *interpreter, ProcessMemory *memory, pid_t tid,
                       PythonStack *stack);

/* The id of a frame's text. */
StrobeStringId python_code_intern(const StrobeHost *host, StrobeWriter *writer, PythonCode *code);

void python_interpreter_clear(PythonInterpreter *interpreter);

#endif
