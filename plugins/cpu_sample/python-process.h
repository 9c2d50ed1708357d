/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Python interpreter of a process. */
#ifndef STROBE_CPU_SAMPLE_PYTHON_PROCESS_H
#define STROBE_CPU_SAMPLE_PYTHON_PROCESS_H

#include "address-space.h"
#include "python-frames.h"

enum {
    PYTHON_UNKNOWN = 0, /* no interpreter has been found yet */
    PYTHON_FOUND = 1,
    PYTHON_UNSUPPORTED = 2, /* the layout of this version is not known */
    PYTHON_REFUSED = 3      /* reading the process's memory is not permitted */
};

typedef struct PythonProcess {
    int state;              /* PYTHON_* */
    uint32_t version;       /* in CPython's form (0x030b02f0 is 3.11.2); 0: older than 3.11 */
    uint64_t n_searched;    /* n_changes of the address space at the time of the last search */
    const CodeObject *code; /* the object that contains the interpreter's code */
    PythonInterpreter interpreter;
} PythonProcess;

/* Looks for an interpreter, if code has been mapped since the last call. Returns whether the
 * process has one whose frames can be read. */
int python_process_search(PythonProcess *python, ProcessMemory *memory, pid_t pid,
                          const AddressSpace *space);

void python_process_clear(PythonProcess *python);

#endif
