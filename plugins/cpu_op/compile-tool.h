/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of the collector to the Python package (python/strobe/compiled), in a capsule of
 * the name below: ranges of libtorch that Python opens, and marks of compilations. It is static and
 * outlives every session. All calls hold the interpreter's lock.
 */
#ifndef STROBE_PLUGINS_COMPILE_TOOL_H
#define STROBE_PLUGINS_COMPILE_TOOL_H

#include <stdint.h>

#define COMPILE_TOOL "strobe.cpu_op"

/* One thing that the compiler did. An empty text and a number of STROBE_ABSENT_U64 are not known.
 */
typedef struct CompileMark {
    const char *name;
    const char *id;       /* of the compilation: "0/1" */
    const char *function; /* that is compiled */
    const char *place;    /* in the program: "train.py:12" */
    const char *reason;
    uint64_t begin, end; /* of CompileTool.now */
    uint64_t nodes, guards, cache_size;
} CompileMark;

typedef struct CompileTool {
    uint32_t struct_size;
    uint32_t reserved;
    /* The host's clock, 0 without a session. */
    uint64_t (*now)(void);
    /* Without effect while no window records. */
    void (*add_range)(const CompileMark *mark);
    void (*add_instant)(const CompileMark *mark);
    /* A RecordFunction of libtorch, in the scope of a function or of a user's range. NULL: there is
     * no callback. It ends on the thread on which it began, at any time. */
    void *(*begin_function)(const char *name, int is_user_range);
    void (*end_function)(void *function);
} CompileTool;

#endif
