/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface that the plugin python_call offers to other collectors: the calling thread's
 * Python call stack.
 *
 * A collector asks its host for the companion STROBE_PYTHON_STACK_FILE, opens it with dlopen (which
 * gives the plugin that is loaded already) and takes the symbol. Since 1.0.
 */
#ifndef STROBE_HELPERS_PYTHON_STACK_H
#define STROBE_HELPERS_PYTHON_STACK_H

#include <strobe/collector.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_PYTHON_STACK_FILE "python_call.so"
#define STROBE_PYTHON_STACK_SYMBOL "strobe_python_stack_1"

typedef struct StrobePythonStack {
    uint32_t struct_size;
    uint32_t reserved;

    /* Returns the id of the calling thread's Python stack in the session that records. Each frame
     * is a text `path(line): function` with the line being executed, innermost frame first. 0: the
     * thread runs no Python code that the collector python_call sees, or there is no room for the
     * texts. The id is valid for the thread's next record. Never takes the interpreter's lock. */
    StrobeStackId (*stack)(StrobeWriter *writer);

    /* windows returns how often python_call has been started in this process; the second function,
     * whether it records now. */
    uint32_t (*windows)(void);
    int (*records)(void);
} StrobePythonStack;

#if defined(__cplusplus)
}
#endif

#endif
