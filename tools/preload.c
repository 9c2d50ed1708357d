/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libstrobe-preload.so: the library that `strobe run` puts into LD_PRELOAD.
 *
 * It runs in every dynamically linked program of the command, most of which are not profiled. For
 * this reason it depends only on libc, has no constructor, and costs only a few lookups before
 * main. If a program may load the library of a requested collector at any time, each dlopen and
 * dlsym also checks the loaded objects. It interposes __libc_start_main, so that it acts after the
 * static initialisers of the program and its libraries, just before main. See
 * core/session/attach.h.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "late-library.h"
#include "launchers.h"
#include "loaded-objects.h"
#include "run-claim.h"

/* Values of core/session/attach.h, which cannot be included, because every program would then need
 * libstrobe. */
enum { PROCESS_NATIVE = 1, PROCESS_LINKED = 2, PROCESS_STARTING = 4 };

typedef int32_t AttachFunction(int process, void **session, void **error);
typedef const char *MessageFunction(const void *error);

typedef void ExitFunction(int code);
typedef int MainFunction(int argc, char **argv, char **envp);
typedef int StartFunction(MainFunction *main, int argc, char **argv, void (*init)(void),
                          void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

/* Written once, before main, by the only thread. */
static MainFunction *program_main;

/* The variable that STROBE_ENVIRONMENT_SYMBOL of strobe/plugin.h describes. */
extern char **strobe_run_environment;
__attribute__((visibility("default"))) char **strobe_run_environment;

/* Copies of environment variables, made before main, because the program may change the environment
 * at any time. Empty: not set. */
static struct {
    char folder[PATH_MAX], library[PATH_MAX];
    int follows, is_any, awaits_library;
} run;

static void copy_path(char path[PATH_MAX], const char *name)
{
    const char *value = getenv(name);

    if (value && value[0] == '/' && strlen(value) < PATH_MAX)
        strcpy(path, value);
}

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value && strcmp(value, "1") == 0;
}

static void read_variables(void)
{
    copy_path(run.folder, "STROBE_RUN_DIR");
    copy_path(run.library, "STROBE_RUN_LIBRARY");
    run.follows = is_set("STROBE_RUN_FOLLOW");
    run.is_any = is_set("STROBE_RUN_ANY");
    run.awaits_library = is_set("STROBE_RUN_LATE");
}

/* Returns a copy of the environment, in one block of memory that is never freed. NULL: no
 * memory. */
static char **copy_environment(void)
{
    size_t n = 0, bytes = 0;

    for (char **at = environ; at && *at; at++, n++)
        bytes += strlen(*at) + 1;
    char **copy = malloc((n + 1) * sizeof *copy + bytes);
    if (!copy)
        return NULL;
    char *text = (char *)(copy + n + 1);
    for (size_t i = 0; i < n; i++) {
        copy[i] = text;
        text = stpcpy(text, environ[i]) + 1;
    }
    copy[n] = NULL;
    return copy;
}

static int path_in_run_folder(char *path, size_t size, const char *name)
{
    int length = snprintf(path, size, "%s/%s", run.folder, name);

    return run.folder[0] && length > 0 && (size_t)length < size;
}

/* Writes a line into the file "notes" of the run, which `strobe run` prints, because this process
 * must not print anything. */
static void leave_note(const char *text)
{
    char path[PATH_MAX], line[1024];
    int length = snprintf(line, sizeof line, "%s: %s\n", program_invocation_short_name, text);

    if (length < 0 || !path_in_run_folder(path, sizeof path, "notes"))
        return;
    if ((size_t)length >= sizeof line) {
        length = sizeof line - 1;
        line[length - 1] = '\n';
    }
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    ssize_t written = write(file, line, (size_t)length);
    (void)written; /* ignored: a note that cannot be written is lost */
    close(file);
}

/* Whether another process records, and this one may not take over. A process may take over from one
 * that records provisionally, unless only collectors that work in any process can work in it
 * (`by_any`). */
static int is_taken(int by_any)
{
    StrobeClaim claim;

    if (run.follows || !run.folder[0] || !strobe_claim_read(run.folder, &claim))
        return 0;
    return (by_any || claim.rank != STROBE_CLAIM_FOR_NOW) && !strobe_claim_is_mine(&claim);
}

/* Whether the run has ended, or this user cannot access its folder. */
static int is_over(void)
{
    char path[PATH_MAX];

    return !path_in_run_folder(path, sizeof path, "config.json") || access(path, R_OK) != 0;
}

/* Whether the process is a Python interpreter or contains one. The Python bootstrap, not this
 * library, attaches such a process. */
static int is_python(void)
{
    const char *name = program_invocation_short_name;

    return strncmp(name, "python", 6) == 0 || strncmp(name, "pypy", 4) == 0 ||
           dlsym(RTLD_DEFAULT, "Py_BytesMain") || dlsym(RTLD_DEFAULT, "Py_InitializeEx");
}

/* Returns the function of libstrobe that attaches a process: in the libstrobe that the program has
 * loaded or, if a collector can work, in Strobe's own, which it loads. NULL: the process is not
 * attached. */
static void *find_libstrobe(int *process, int is_woken)
{
    if (dlsym(RTLD_DEFAULT, "strobe_run_attach")) {
        *process = PROCESS_LINKED;
        return RTLD_DEFAULT;
    }
    int is_wanted = is_woken || strobe_loaded_has("libtorch_cpu.so") == 1 ||
                    strobe_loaded_has("libascendcl.so") == 1; /* CANN never calls strobe_run_wake */
    *process = is_wanted ? PROCESS_NATIVE : PROCESS_STARTING;
    if (!run.library[0] || !(is_wanted || (run.is_any && !is_taken(1))))
        return NULL;
    void *library = dlopen(run.library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *reason = dlerror();
        leave_note(reason ? reason : "libstrobe cannot be loaded");
    }
    return library;
}

static void attach_process(int is_woken)
{
    int process;
    void *session = NULL, *error = NULL;

    if (!run.folder[0] || getauxval(AT_SECURE) || is_over() || is_taken(0))
        return;
    void *library = find_libstrobe(&process, is_woken);
    if (library == NULL && process != PROCESS_LINKED)
        return;
    AttachFunction *run_attach = (AttachFunction *)dlsym(library, "strobe_run_attach");
    MessageFunction *message = (MessageFunction *)dlsym(library, "strobe_error_message");
    if (run_attach && run_attach(process, &session, &error) < 0)
        leave_note(error && message ? message(error) : "it cannot be profiled");
}

/* ---- while the program runs ---- */

#define EXIT_PATIENCE_MS 5000

static atomic_flag is_awake = ATOMIC_FLAG_INIT;
static atomic_int is_exiting;
/* process id << 32 | number of the process's threads between enter_library() and its end */
static _Atomic uint64_t inside;
/* number of this thread's calls of enter_library() that are open */
static _Thread_local int is_entering;
static StrobeLoadedFunction *_Atomic session_on_load;
static char **before_main; /* the environment before main */

/* Adds `change` to the number of threads in `inside`. In a forked child the number starts from 0,
 * because the child has only the thread that forked. */
static void count_inside(uint64_t change)
{
    uint64_t process = (uint64_t)getpid() << 32, before = atomic_load(&inside), after;

    do
        after = (before >> 32 == process >> 32 ? before : process) + change;
    while (!atomic_compare_exchange_weak(&inside, &before, after));
}

static void leave_library(void)
{
    if (--is_entering == 0)
        count_inside(UINT64_MAX);
}

/* Makes the end of the program wait for this thread. Call this before the thread opens collectors,
 * because their libraries are unloaded at the end of the program. 0: the end has already begun. */
static int enter_library(void)
{
    if (is_entering++ == 0)
        count_inside(1);
    if (!atomic_load(&is_exiting))
        return 1;
    leave_library();
    return 0;
}

/* Whether other threads have entered the library. If no thread has, makes no system call, for which
 * a seccomp filter might end the program. */
static int has_others_inside(void)
{
    uint64_t now = atomic_load(&inside);

    return (uint32_t)now > (is_entering > 0) && (pid_t)(now >> 32) == getpid();
}

/* Whether a library that was loaded late is a reason to attach: CANN, or PyTorch in a program that
 * is not Python (Python attaches itself). -1: not known yet. */
static int has_reason(void)
{
    int has_torch = strobe_loaded_has("libtorch_cpu.so");

    if (has_torch == 1)
        return !is_python();
    return has_torch == 0 ? strobe_loaded_has("libascendcl.so") : -1;
}

/* Attaches the process while the program runs. Uses the environment from before main, because the
 * program may have changed the variables that name the folder of the run. */
static void attach_late(void)
{
    strobe_run_environment = before_main;
    attach_process(1);
}

static int attach_with_reason(void)
{
    int reason = has_reason();

    if (reason == 1 && !atomic_flag_test_and_set(&is_awake))
        attach_late();
    return reason >= 0;
}

/* Called when the program has loaded new libraries (StrobeLoadedFunction). Attaches the process if
 * one of them is a reason. */
static int library_loaded(void)
{
    StrobeLoadedFunction *of_session = atomic_load(&session_on_load);
    int is_done = 1;

    if (!enter_library())
        return 0;
    if (of_session)
        is_done = of_session();
    else if (run.awaits_library)
        is_done = attach_with_reason();
    leave_library();
    return is_done;
}

/* The function that STROBE_ON_LOAD_SYMBOL of core/base/loaded-objects.h describes. */
__attribute__((visibility("default"))) void strobe_run_on_load(StrobeLoadedFunction *function);

void strobe_run_on_load(StrobeLoadedFunction *function)
{
    atomic_store(&session_on_load, function);
    late_library_call(function || run.awaits_library ? library_loaded : NULL);
}

#define EXIT_CALLS_MAX 8

typedef void ExitCall(void);

static ExitCall *_Atomic exit_calls[EXIT_CALLS_MAX];

/* The function that STROBE_BEFORE_EXIT_SYMBOL of strobe/plugin.h describes. */
__attribute__((visibility("default"))) int strobe_run_before_exit(ExitCall *call);

int strobe_run_before_exit(ExitCall *call)
{
    for (int i = 0; i < EXIT_CALLS_MAX; i++) {
        ExitCall *none = NULL;
        if (atomic_compare_exchange_strong(&exit_calls[i], &none, call))
            return 0;
    }
    return -1;
}

static void call_before_exit(void)
{
    for (int i = 0; i < EXIT_CALLS_MAX; i++) {
        ExitCall *call = atomic_load(&exit_calls[i]);
        if (call)
            call();
    }
}

/* Calls the registered functions at the end of the program, just before the destructors. */
static void before_exit(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int saved = errno;

    atomic_store(&is_exiting, 1);
    for (int i = 0; i < EXIT_PATIENCE_MS && has_others_inside(); i++)
        nanosleep(&pause, NULL);
    call_before_exit();
    errno = saved;
}

static void await_library(void)
{
    run.awaits_library = run.awaits_library && !getauxval(AT_SECURE) && !is_over() && !is_taken(0);
    if (!run.awaits_library)
        return;
    before_main = copy_environment();
    strobe_run_on_load(atomic_load(&session_on_load));
}

/* ---- the start of the program ---- */

/* The variable that STROBE_ATTACHING_SYMBOL of strobe/plugin.h describes. */
__attribute__((visibility("default"))) atomic_int strobe_run_is_attaching;

static int main_after_attach(int argc, char **argv, char **envp)
{
    int saved = errno;

    strobe_run_is_attaching = 1;
    if (!is_python())
        attach_process(0);
    strobe_run_is_attaching = 0;
    await_library();
    errno = saved;
    int code = program_main(argc, argv, envp);
    before_exit();
    return code;
}

/* The function that STROBE_WAKE_SYMBOL of strobe/plugin.h describes. Attaches the process only at
 * the first call. */
__attribute__((visibility("default"))) void strobe_run_wake(void);

void strobe_run_wake(void)
{
    StrobeLoadedFunction *of_session;
    int saved = errno;

    if (enter_library()) {
        if (!(is_python() && strobe_loaded_has("libtorch_cpu.so") == 1) &&
            !atomic_flag_test_and_set(&is_awake))
            attach_process(1);
        of_session = atomic_load(&session_on_load);
        if (of_session)
            of_session();
        leave_library();
    }
    errno = saved;
}

/* The C library's start function, which no header declares. */
__attribute__((visibility("default"))) int
__libc_start_main(MainFunction *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(MainFunction *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    StartFunction *start = (StartFunction *)dlsym(RTLD_NEXT, "__libc_start_main");

    program_main = main;
    if (!strobe_is_launcher(program_invocation_short_name))
        read_variables();
    return start(run.folder[0] ? main_after_attach : main, argc, argv, init, fini, rtld_fini,
                 stack_end);
}

__attribute__((visibility("default"))) void exit(int code)
{
    ExitFunction *next = (ExitFunction *)dlsym(RTLD_NEXT, "exit");

    before_exit();
    next(code);
    __builtin_unreachable();
}
