/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Python interpreter of a process, and reads its threads' Python frames. */
#ifndef STROBE_CPU_SAMPLE_PYTHON_PROCESS_H
#define STROBE_CPU_SAMPLE_PYTHON_PROCESS_H

#include "address-space.h"
#include "python-frames.h"

enum {
    PYTHON_UNKNOWN = 0, /* no interpreter is mapped so far */
    PYTHON_FOUND = 1,
    PYTHON_UNSUPPORTED = 2, /* a version whose layout is not known */
    PYTHON_REFUSED = 3      /* the process's memory may not be read */
};

typedef struct PythonProcess {
    int state;              /* PYTHON_* */
    uint32_t version;       /* as CPython counts it; 0: before 3.11 */
    uint64_t n_searched;    /* state of the address space when it was searched last */
    const CodeObject *code; /* the interpreter's own code */
    PythonInterpreter interpreter;
} PythonProcess;

/* Looks for an interpreter where code has been mapped since the last call. Returns whether there is
 * one whose frames can be read. */
int python_process_search(PythonProcess *python, ProcessMemory *memory, pid_t pid,
                          const AddressSpace *space);

void python_process_clear(PythonProcess *python);

#endif
