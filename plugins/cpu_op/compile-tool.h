/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that the collector gives to the Python package (python/strobe/compiled), in a
 * capsule with the name below. They open ranges of libtorch, record marks of compilations, and set
 * options of threads. The structure is static and outlives every session. All callers hold the
 * interpreter's lock.
 */
#ifndef STROBE_PLUGINS_COMPILE_TOOL_H
#define STROBE_PLUGINS_COMPILE_TOOL_H

#include <stdint.h>

#define COMPILE_TOOL "strobe.cpu_op"

/* An action of the compiler. An empty text, or the number STROBE_ABSENT_U64, means that the value
 * is unknown. */
typedef struct CompileMark {
    const char *name;
    const char *id;       /* id of the compilation, for example "0/1" */
    const char *function; /* the function that is compiled */
    const char *place;    /* file and line in the program, for example "train.py:12" */
    const char *reason;
    uint64_t begin, end; /* times from CompileTool.now */
    uint64_t nodes, guards, cache_size;
} CompileMark;

/* Options that determine what is recorded of a thread's operators. */
typedef struct CompileThread {
    int shapes, stack, flops, modules;
} CompileThread;

typedef struct CompileTool {
    uint32_t struct_size;
    uint32_t reserved;
    /* Returns the host's time; 0: there is no session. */
    uint64_t (*now)(void);
    /* Record a mark, if a window records. */
    void (*add_range)(const CompileMark *mark);
    void (*add_instant)(const CompileMark *mark);
    /* Begins a RecordFunction of libtorch, in the scope of a function or of a user's range. Returns
     * NULL if no callback records the function. end_function must be called on the same thread, at
     * any later time. */
    void *(*begin_function)(const char *name, int is_user_range);
    void (*end_function)(void *function);
    /* set_group sets the group of the operations that the thread issues; set_usual_group sets the
     * group for operations whose group is not known otherwise. See StrobeTorchCollectives. These
     * functions have no effect if communication is not recorded. */
    void (*set_group)(const char *name, int64_t peer);
    void (*set_usual_group)(const char *name);
    /* Sets what is recorded of the calling thread's operators from now on. NULL: what the session's
     * options say. */
    void (*set_thread)(const CompileThread *options);
} CompileTool;

#endif
