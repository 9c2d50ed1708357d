/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin has one exported const descriptor and no undefined Strobe symbol.
 *
 * The file NAME.so exports `strobe_plugin_1` (1 is the ABI major), a StrobePlugin whose `name`
 * is NAME. The host checks the integers at its start before it follows any pointer. A plugin
 * contains one or more components. The host never unloads it. Since ABI 1.0.
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

/* Memory and temporary files of helpers (helpers/record-log.h, external-sorter.h). */
typedef struct StrobeStorage StrobeStorage;

enum {
    STROBE_COMPONENT_COLLECTOR = 1, /* ops: StrobeCollectorOps */
    STROBE_COMPONENT_IMPORTER = 2,  /* ops: StrobeImporterOps */
    STROBE_COMPONENT_PASS = 3,      /* ops: StrobeConsumerOps */
    STROBE_COMPONENT_EXPORTER = 4   /* ops: StrobeConsumerOps */
};

enum {
    /* Works in any process (it samples the system or generates data). If `strobe run` records a
     * process in which only such collectors work, such as a shell, a later process in which other
     * requested collectors work takes over, and the result of the first is dropped. */
    STROBE_COMPONENT_ANY_PROCESS = 1u << 0,
    /* The component's results are simulated; every list and output marks them as simulated. */
    STROBE_COMPONENT_SIMULATED = 1u << 1,
    /* A collector whose calls take a lock (an interpreter's) that the program's threads may hold
     * when they call the session. After its open returned STROBE_AGAIN, the host calls open again
     * only in calls of the session, never in the program's calls of the loader. */
    STROBE_COMPONENT_ASK_CALLER = 1u << 2,
    /* A collector whose library is CANN or libtorch, which programs load at any time. Under
     * `strobe run` each process of the command begins its session when it loads one of them,
     * unless another process records. */
    STROBE_COMPONENT_LATE_LIBRARY = 1u << 3,
    /* A collector whose `sample` must be called in the program, because it empties buffers of a
     * library there. A thread in the program then calls `sample`. Without this flag a collector
     * with a `sample` runs in the writer process, and identifies the program by its process id
     * (StrobeHost.pid). */
    STROBE_COMPONENT_INSIDE = 1u << 4,
    /* A collector that shows where any program spends its time. As a default collector of `strobe
     * run` it makes any process worth recording. The collector stops in a window in which another
     * collector records operators (kind "cpu_op"). */
    STROBE_COMPONENT_STAND_IN = 1u << 5
};

/* How to set a variable that already has a value. */
enum {
    STROBE_VARIABLE_UNLESS_SET = 1, /* keep the value: the user has chosen another tool */
    STROBE_VARIABLE_PREPEND = 2,    /* prepend to a list joined by ':' */
    STROBE_VARIABLE_APPEND = 3      /* append to a list joined by ':' */
};

/* An environment variable that makes programs, or libraries in them, load a collector's library.
 * `strobe run` sets it for the command and all its children. */
typedef struct StrobeVariable {
    uint32_t struct_size;
    uint32_t how;       /* STROBE_VARIABLE_* */
    const char *name;   /* for example "OPENCL_LAYERS" */
    const char *value;  /* the value; "{folder}" is replaced by the folder of the plugin's file */
    const char *option; /* set the variable only if this bool option is true, or if this list
                           option contains `text`; NULL: always */
    const char *text;
} StrobeVariable;

/* If the program itself loads a collector's library (because of such a variable), the library
 * calls this function, and Strobe then records in this process. Look it up with
 * dlsym(RTLD_DEFAULT); outside `strobe run` it does not exist. Its type is void (*)(void). Any
 * thread may call it, more than once, also before main. It opens and starts the session, or
 * opens the waiting collectors of a running session, so the host may call the collector before
 * this function returns. */
#define STROBE_WAKE_SYMBOL "strobe_run_wake"

/* Looked up like STROBE_WAKE_SYMBOL: an atomic int that is not 0 while Strobe makes a session just
 * before main. The main thread then works for Strobe, not for the program. */
#define STROBE_ATTACHING_SYMBOL "strobe_run_is_attaching"

/* Looked up like STROBE_WAKE_SYMBOL: char **, the environment before main if the session is made
 * inside a call of the loader; otherwise NULL. For `strobe/helpers/environment.h`. */
#define STROBE_ENVIRONMENT_SYMBOL "strobe_run_environment"

/* Looked up like STROBE_WAKE_SYMBOL: int (*)(void (*call)(void)). Registers `call`, which runs when
 * the program's exit begins, before exit handlers and destructors. Returns 0, or -1 if there is no
 * room for another function. The exit of a forked child runs it too. */
#define STROBE_BEFORE_EXIT_SYMBOL "strobe_run_before_exit"

typedef struct StrobeComponent {
    uint32_t struct_size;
    uint32_t type;  /* STROBE_COMPONENT_* */
    uint32_t flags; /* STROBE_COMPONENT_ANY_PROCESS ... */
    uint32_t n_options;
    const char *name; /* snake_case */
    const char *summary;
    const StrobeOption *options;
    /* kinds that the component emits (none for exporters); n_kinds entries */
    const StrobeKind *const *kinds;
    const char *const *wants; /* kinds that a pass or exporter consumes, NULL-terminated; "*": every
                                 raw kind; NULL for a collector or importer */
    uint32_t n_kinds;
    uint32_t n_variables;
    const void *ops;                 /* depends on type; begins with its own struct_size */
    const StrobeVariable *variables; /* only for a collector */
} StrobeComponent;

typedef struct StrobePlugin {
    uint32_t struct_size;    /* sizeof(StrobePlugin) */
    uint32_t abi_minor;      /* lowest ABI minor of a host that can load the plugin; may be lower
                              * than STROBE_ABI_MINOR of its build */
    uint32_t record_version; /* STROBE_RECORD_VERSION */
    uint32_t n_components;
    const char *name; /* equals the file's name without .so */
    const char *version;
    const char *summary;
    const char *license; /* SPDX identifier */
    const char *vendor;
    const char *url;
    const StrobeComponent *const *components;
    /* end of base ABI 1.0; later fields are read only when struct_size covers them */
} StrobePlugin;

/* Defines the descriptor of a plugin with one component. The further arguments are members of
 * the descriptor:
 *
 *     STROBE_PLUGIN(component, .name = "example", .version = "1.0.0", ...);
 *
 * Set `.abi_minor` here if it is not 0. C only. */
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

/* The question of a probe. MACHINE: can the component work on this machine, in a suitable process
 * (for a list of components)? PROCESS: can it work in the calling process, now or once a library is
 * loaded into the process? */
enum { STROBE_PROBE_MACHINE = 1, STROBE_PROBE_PROCESS = 2 };

/* Result of a component's probe. The texts are static or owned by the plugin. */
typedef struct StrobeProbe {
    uint32_t struct_size;
    int32_t available; /* 1: can work here; 0: cannot; 2: unknown yet, or only partly */
    /* why the component is not available, or its limits; NULL: nothing to report */
    const char *reason;
    const char *hint; /* advice for the user; NULL: none */
} StrobeProbe;

#endif
