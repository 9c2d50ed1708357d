/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plugin is: one exported const descriptor, no undefined Strobe symbol.
 *
 * The file NAME.so exports `strobe_plugin_1` (1 is the ABI major), a StrobePlugin whose `name` is
 * NAME. The host checks the integers at its head before it follows any pointer. A plugin holds one
 * or more components; it is never unloaded. Since ABI 1.0.
 */
#ifndef STROBE_PLUGIN_H
#define STROBE_PLUGIN_H

#include <strobe/option.h>
#include <strobe/record.h>
#include <strobe/status.h>

#define STROBE_ABI_MAJOR 1
#define STROBE_ABI_MINOR 0
#define STROBE_RECORD_VERSION 1
#define STROBE_PLUGIN_SYMBOL "strobe_plugin_1"

#if defined(__cplusplus)
#define STROBE_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define STROBE_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* Where helpers keep what exceeds their memory (helpers/record-log.h, external-sorter.h). */
typedef struct StrobeStorage StrobeStorage;

enum {
    STROBE_COMPONENT_COLLECTOR = 1, /* ops: StrobeCollectorOps */
    STROBE_COMPONENT_IMPORTER = 2,  /* ops: StrobeImporterOps */
    STROBE_COMPONENT_PASS = 3,      /* ops: StrobeConsumerOps */
    STROBE_COMPONENT_EXPORTER = 4   /* ops: StrobeConsumerOps */
};

enum {
    /* Works in any process (samples the system, makes its own data). Under `strobe run` a process
     * in which only such collectors work, a shell say, gives way to one in which others work. */
    STROBE_COMPONENT_ANY_PROCESS = 1u << 0,
    /* Results are simulated; every listing and output says so. */
    STROBE_COMPONENT_SIMULATED = 1u << 1,
    /* A collector whose calls need a lock that threads of the program may hold when they call the
     * session (an interpreter's): where its open answered STROBE_AGAIN, it is opened in calls of
     * the session only, and never in the program's calls of the loader. */
    STROBE_COMPONENT_ASK_CALLER = 1u << 2,
    /* A collector whose library, CANN or libtorch, programs load at any time: under `strobe run`
     * each process of the command begins its session when it loads one of these, unless another one
     * records. */
    STROBE_COMPONENT_LATE_LIBRARY = 1u << 3,
    /* A collector with a `sample` that must be called in the program: it empties buffers of a
     * library there. A thread of the program then calls it. Without this flag a collector that has
     * a `sample` runs outside, in the process that writes the capture, and reads what it samples
     * by the program's number (StrobeHost.pid). */
    STROBE_COMPONENT_INSIDE = 1u << 4,
    /* A collector that shows of any program where its time goes. As a default collector of
     * `strobe run` it is a reason to record any process, and it ends in a window in which another
     * collector records operators (kind "cpu_op"). */
    STROBE_COMPONENT_STAND_IN = 1u << 5
};

/* How a variable is set that has a value already. */
enum {
    STROBE_VARIABLE_UNLESS_SET = 1, /* the value stays: the user has chosen another tool */
    STROBE_VARIABLE_PREPEND = 2,    /* a list joined by ':', ours first */
    STROBE_VARIABLE_APPEND = 3      /* ... ours last */
};

/* A variable of the environment by which programs, or libraries in them, let a collector in.
 * `strobe run` sets it for the command and all its children. */
typedef struct StrobeVariable {
    uint32_t struct_size;
    uint32_t how;       /* STROBE_VARIABLE_* */
    const char *name;   /* "OPENCL_LAYERS" */
    const char *value;  /* "{folder}" stands for the folder of the plugin's file */
    const char *option; /* set only if this bool option is true, or this list option has `text` in
                           it; NULL: always */
    const char *text;
} StrobeVariable;

/* A library of a collector that the program itself loads (by such a variable) calls this function
 * when that happens: it then knows that the process is one to collect from. Looked up by
 * dlsym(RTLD_DEFAULT); void (*)(void), may be called more than once, by any thread, before main
 * too; not found outside `strobe run`. It opens and starts the session, or opens the collectors of
 * one that runs, so that the collector's calls may come before it returns. */
#define STROBE_WAKE_SYMBOL "strobe_run_wake"

/* Of the same library: an atomic int that is not 0 while Strobe makes a session just before main.
 * What the main thread does then is not the program's. */
#define STROBE_ATTACHING_SYMBOL "strobe_run_is_attaching"

/* Of the same library: char **, the environment as it was before main, where the session is made
 * in a call of the loader; else NULL. For `strobe/helpers/environment.h`. */
#define STROBE_ENVIRONMENT_SYMBOL "strobe_run_environment"

/* Of the same library: int (*)(void (*call)(void)). Calls `call` when the program's exit begins,
 * before exit handlers and destructors run. Returns 0, or -1: there is no room for another one. A
 * forked child's exit calls it too. */
#define STROBE_BEFORE_EXIT_SYMBOL "strobe_run_before_exit"

typedef struct StrobeComponent {
    uint32_t struct_size;
    uint32_t type;  /* STROBE_COMPONENT_* */
    uint32_t flags; /* STROBE_COMPONENT_ANY_PROCESS ... */
    uint32_t n_options;
    const char *name; /* snake_case */
    const char *summary;
    const StrobeOption *options;
    const StrobeKind *const *kinds; /* what it emits, exporters nothing; n_kinds entries */
    const char *const *wants;       /* kinds it consumes (pass, exporter), NULL-terminated;
                                       "*": every raw kind; NULL for collector, importer */
    uint32_t n_kinds;
    uint32_t n_variables;
    const void *ops;                 /* by type; begins with its own struct_size */
    const StrobeVariable *variables; /* of a collector */
} StrobeComponent;

typedef struct StrobePlugin {
    uint32_t struct_size;    /* sizeof(StrobePlugin) */
    uint32_t abi_minor;      /* the least host minor it needs, not the one it was built with */
    uint32_t record_version; /* STROBE_RECORD_VERSION */
    uint32_t n_components;
    const char *name; /* equals the file's stem */
    const char *version;
    const char *summary;
    const char *license; /* SPDX identifier */
    const char *vendor;
    const char *url;
    const StrobeComponent *const *components;
    /* end of base ABI 1.0; later fields are read only when struct_size covers them */
} StrobePlugin;

/* Defines the descriptor of a plugin with one component. What follows are its other members:
 *     STROBE_PLUGIN(component, .name = "example", .version = "1.0.0", ...);
 * A later `.abi_minor` than 0 is one of them. C only. */
#define STROBE_PLUGIN(component_, ...)                                                             \
    static const StrobeComponent *const strobe_plugin_components[] = {&(component_)};              \
    STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {                                    \
        .struct_size = sizeof(StrobePlugin),                                                       \
        .record_version = STROBE_RECORD_VERSION,                                                   \
        .n_components = 1,                                                                         \
        .components = strobe_plugin_components,                                                    \
        __VA_ARGS__}

/* Log levels of StrobeHost.log and StrobeConsumerHost.log. */
enum { STROBE_LOG_ERROR = 1, STROBE_LOG_WARNING = 2, STROBE_LOG_INFO = 3, STROBE_LOG_DEBUG = 4 };

/* What a probe is asked: may the component work on this machine, in a suitable process (a listing),
 * or in the calling process, now or once a library has been loaded into it. */
enum { STROBE_PROBE_MACHINE = 1, STROBE_PROBE_PROCESS = 2 };

/* Answer of a component's probe. The texts are static or owned by the plugin. */
typedef struct StrobeProbe {
    uint32_t struct_size;
    int32_t available;  /* 1: can work here; 0: cannot; 2: cannot tell yet, or only partly */
    const char *reason; /* why not, or what is limited; NULL if nothing to say */
    const char *hint;   /* what the user can do about it; NULL if nothing */
} StrobeProbe;

#endif
