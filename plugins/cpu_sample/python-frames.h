/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the Python frames of a thread from the memory of its process while the process runs. The
 * memory may change while it is read, and a program may have prepared it to mislead the reader. So
 * every pointer is checked, and an inconsistent stack counts as torn. Only one thread at a time may
 * use the reader.
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
    NumberTable threads; /* kernel thread id -> address of its PyThreadState */
    NumberTable codes;   /* address -> PythonCode */
    int is_outdated;     /* a known address now contains another code object */
} PythonInterpreter;

/* A code object, with the text by which its frames are recorded. */
typedef struct PythonCode {
    /* addresses of its texts; a different code object has different addresses */
    uint64_t file, name;
    uint32_t line; /* line where the function is defined */
    /* id of `text`; 0: there is no lasting id, so the text is interned for each record */
    StrobeStringId id;
    char text[]; /* for example "train.py(12): step" */
} PythonCode;

typedef struct PythonStack {
    uint32_t n;
    /* innermost first; if there are more frames, the outermost ones are omitted */
    PythonCode *frames[PYTHON_FRAMES_MAX];
} PythonStack;

enum { PYTHON_STACK_TORN = -1, PYTHON_STACK_NONE = 0, PYTHON_STACK_READ = 1 };

/* Reads the stack of the thread with this kernel thread id. Returns PYTHON_STACK_*. The stack is
 * valid until the next call. */
int python_frames_read(PythonInterpreter *interpreter, ProcessMemory *memory, pid_t tid,
                       PythonStack *stack);

/* Returns the string id of the code object's text. */
StrobeStringId python_code_intern(const StrobeHost *host, StrobeWriter *writer, PythonCode *code);

void python_interpreter_clear(PythonInterpreter *interpreter);

#endif
