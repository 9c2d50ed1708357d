/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libstrobe-preload.so: what `strobe run` puts into LD_PRELOAD.
 *
 * It runs in every dynamically linked program below the command, most of which have nothing to do
 * with profiling: so it is libc only, has no constructor, and where it is not wanted costs a few
 * lookups before main; and where a collector is wanted whose library may come late, a thread that
 * looks for that. It stands in front of __libc_start_main, so that it acts after the static
 * initialisers of the program and its libraries, just before main. See core/attach.h.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Of core/attach.h, which cannot be included: it would make libstrobe a need of every program. */
enum { PROCESS_NATIVE = 1, PROCESS_LINKED = 2 };

typedef int32_t AttachFunction(int process, void **session, void **error);
typedef const char *MessageFunction(const void *error);

typedef int MainFunction(int argc, char **argv, char **envp);
typedef int StartFunction(MainFunction *main, int argc, char **argv, void (*init)(void),
                          void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

/* Written once, before main, by the only thread. */
static MainFunction *program_main;

static int path_in_run_folder(char *path, size_t size, const char *name)
{
    const char *folder = getenv("STROBE_RUN_DIR");
    int length = folder ? snprintf(path, size, "%s/%s", folder, name) : -1;

    return length > 0 && (size_t)length < size;
}

/* Leaves a line for `strobe run` to print: this process must not print anything. */
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
    (void)written; /* a note that is lost is lost */
    close(file);
}

/* Somebody records already, and only one process is wanted. */
static int is_taken(void)
{
    char path[PATH_MAX];
    const char *follow = getenv("STROBE_RUN_FOLLOW");

    if (follow && strcmp(follow, "1") == 0)
        return 0;
    return !path_in_run_folder(path, sizeof path, "claim") || access(path, F_OK) == 0;
}

/* The run is over, or the folder is not for this user. */
static int is_over(void)
{
    char path[PATH_MAX];

    return !path_in_run_folder(path, sizeof path, "config.json") || access(path, R_OK) != 0;
}

/* In a Python interpreter, or a program that embeds one, the Python bootstrap attaches. */
static int is_python(void)
{
    const char *name = program_invocation_short_name;

    return strncmp(name, "python", 6) == 0 || strncmp(name, "pypy", 4) == 0 ||
           dlsym(RTLD_DEFAULT, "Py_BytesMain") || dlsym(RTLD_DEFAULT, "Py_InitializeEx");
}

/* A program that uses an Ascend NPU: nothing of CANN's wakes us. */
static int is_cann(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    (void)user;
    return name && strncmp(name, "/libascendcl.so", 15) == 0;
}

static int is_torch(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *name = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    (void)user;
    return name && strncmp(name, "/libtorch_cpu.so", 16) == 0;
}

/* The entry into libstrobe: the program's own copy, else ours where a collector can work. */
static void *find_libstrobe(int *process, int is_woken)
{
    const char *any = getenv("STROBE_RUN_ANY");
    const char *path = getenv("STROBE_RUN_LIBRARY");

    if (dlsym(RTLD_DEFAULT, "strobe_run_attach")) {
        *process = PROCESS_LINKED;
        return RTLD_DEFAULT;
    }
    *process = PROCESS_NATIVE;
    if (!is_woken && !(any && strcmp(any, "1") == 0) && !dl_iterate_phdr(is_torch, NULL) &&
        !dl_iterate_phdr(is_cann, NULL))
        return NULL;
    if (!path || path[0] != '/')
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *reason = dlerror();
        leave_note(reason ? reason : "libstrobe cannot be loaded");
    }
    return library;
}

static void attach(int is_woken)
{
    int process;
    void *session = NULL, *error = NULL;

    if (!getenv("STROBE_RUN_DIR") || getauxval(AT_SECURE) || is_over() || is_taken())
        return;
    void *library = find_libstrobe(&process, is_woken);
    if (library == NULL && process == PROCESS_NATIVE)
        return;
    AttachFunction *run_attach = (AttachFunction *)dlsym(library, "strobe_run_attach");
    MessageFunction *message = (MessageFunction *)dlsym(library, "strobe_error_message");
    if (run_attach && run_attach(process, &session, &error) < 0)
        leave_note(error && message ? message(error) : "it cannot be profiled");
}

/* ---- libraries that are loaded late ---- */

#define LOOK_INTERVAL_NS 20000000

static atomic_flag is_awake = ATOMIC_FLAG_INIT;

/* Held while the loader's list is locked, and during a fork: a child that is made meanwhile would
 * have that list locked for ever. */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

static void hold_look(void)
{
    pthread_mutex_lock(&looking);
}

static void give_look(void)
{
    pthread_mutex_unlock(&looking);
}

typedef struct Look {
    unsigned long long n_loaded, n_before; /* objects, so far */
    int has_cann, has_torch;
} Look;

/* The first object tells whether there are others than before. */
static int look_at(struct dl_phdr_info *info, size_t size, void *user)
{
    Look *look = user;

    look->n_loaded = info->dlpi_adds;
    look->has_cann |= is_cann(info, size, NULL);
    look->has_torch |= is_torch(info, size, NULL);
    return look->n_loaded == look->n_before;
}

/* Python with PyTorch attaches by itself. */
static int has_reason(Look *look)
{
    look->has_cann = look->has_torch = 0;
    look->n_before = look->n_loaded;
    hold_look();
    dl_iterate_phdr(look_at, look);
    give_look();
    return look->has_torch ? !is_python() : look->has_cann;
}

/* The program is in the midst of something: it neither waits for this thread nor is waited for, but
 * by constructors of the library that it loads. */
static void *look_for_libraries(void *user)
{
    const struct timespec pause = {.tv_nsec = LOOK_INTERVAL_NS};
    Look look = {0};

    (void)user;
    prctl(PR_SET_NAME, "strobe-look");
    for (;;) {
        nanosleep(&pause, NULL);
        if (!has_reason(&look))
            continue;
        if (is_taken() || is_over())
            return NULL;
        if (!atomic_flag_test_and_set(&is_awake))
            attach(1);
        return NULL;
    }
}

static void begin_to_look(void)
{
    const char *late = getenv("STROBE_RUN_LATE");
    pthread_t thread;
    sigset_t all, old;

    if (!late || strcmp(late, "1") != 0 || getauxval(AT_SECURE) || is_over() || is_taken())
        return;
    pthread_atfork(hold_look, give_look, give_look);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (pthread_create(&thread, NULL, look_for_libraries, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- the begin of the program ---- */

/* STROBE_ATTACHING_SYMBOL of strobe/plugin.h. */
__attribute__((visibility("default"))) atomic_int strobe_run_is_attaching;

static int main_after_attach(int argc, char **argv, char **envp)
{
    int saved = errno;

    strobe_run_is_attaching = 1;
    if (!is_python())
        attach(0);
    strobe_run_is_attaching = 0;
    begin_to_look();
    errno = saved;
    return program_main(argc, argv, envp);
}

/* STROBE_WAKE_SYMBOL of strobe/plugin.h. Once only; Python with PyTorch attaches by itself. */
__attribute__((visibility("default"))) void strobe_run_wake(void);

void strobe_run_wake(void)
{
    int saved = errno;

    if (!atomic_flag_test_and_set(&is_awake) && !(is_python() && dl_iterate_phdr(is_torch, NULL)))
        attach(1);
    errno = saved;
}

/* The C library's start function is declared nowhere. */
__attribute__((visibility("default"))) int
__libc_start_main(MainFunction *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(MainFunction *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    StartFunction *start = (StartFunction *)dlsym(RTLD_NEXT, "__libc_start_main");

    program_main = main;
    return start(getenv("STROBE_RUN_DIR") ? main_after_attach : main, argc, argv, init, fini,
                 rtld_fini, stack_end);
}
