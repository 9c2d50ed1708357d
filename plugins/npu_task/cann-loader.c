/* SPDX-License-Identifier: Apache-2.0 */
#include "cann-loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "npu-environment.h"

#define TRIAL_MS 10000 /* maximum time of the child that first loads the libraries */
#define TRIES 2
#define END_MS 1000 /* time within which the killed child must have ended */
#define LIBRARIES_MAX 8
#define TEXT_MAX 8192

/* Messages of the child: a letter, from 'A' on, before each library that it loads; then the
 * outcome. */
#define LOADING 'A'
#define LOADED '='
#define REFUSED '-' /* the reason follows */

int npu_cann_is_loaded(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* ---- paths of CANN's libraries ---- */

typedef struct Beside {
    const char *name;
    char *path;
    size_t size;
} Beside;

static int look_for_cann(struct dl_phdr_info *info, size_t size, void *user)
{
    const Beside *beside = user;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    if (!slash || strcmp(slash + 1, "libascendcl.so") != 0)
        return 0;
    snprintf(beside->path, beside->size, "%.*s/%s", (int)(slash - info->dlpi_name), info->dlpi_name,
             beside->name);
    return 1;
}

void npu_cann_path(const char *name, char *path, size_t size)
{
    const char *home = npu_environment()->ascend_home;
    Beside beside = {name, path, size};

    if (home && *home)
        snprintf(path, size, "%s/lib64/%s", home, name);
    else if (!dl_iterate_phdr(look_for_cann, &beside) || access(path, R_OK) != 0)
        snprintf(path, size, "%s", name);
}

void npu_cann_found_path(const char *name, char *path, size_t size)
{
    npu_cann_path(name, path, size);
    if (access(path, R_OK) != 0)
        snprintf(path, size, "%s", name);
}

/* ---- in the child ---- */

/* Suppresses the library's output in the child, and prevents a core dump if the library ends the
 * process. */
static void make_harmless(void)
{
    const struct rlimit no_core = {0, 0};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
}

static int has_function(void *const *libraries, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (dlsym(libraries[i], name))
            return 1;
    return 0;
}

static void *load_library(const char *path, int flags, uint32_t number, int answer)
{
    const char letter = (char)(LOADING + number);

    return write(answer, &letter, 1) == 1 ? dlopen(path, flags) : NULL;
}

/* Loads all libraries of the trial. Sets the first byte of `text` to the outcome. */
static void try_all(const NpuTrial *trial, int answer, char *text, size_t size)
{
    void *libraries[LIBRARIES_MAX];
    char path[4096];
    uint32_t n = 0;

    text[0] = REFUSED;
    for (; trial->libraries && trial->libraries[n] && n < LIBRARIES_MAX; n++) {
        npu_cann_found_path(trial->libraries[n], path, sizeof path);
        libraries[n] = load_library(path, RTLD_LAZY | RTLD_LOCAL, n, answer);
        if (!libraries[n]) {
            snprintf(text + 1, size - 1, "%s needs CANN, of which %s cannot be loaded: %s",
                     trial->who, trial->libraries[n], dlerror());
            return;
        }
    }
    for (uint32_t i = 0; n && trial->functions[i]; i++)
        if (!has_function(libraries, n, trial->functions[i])) {
            snprintf(text + 1, size - 1,
                     "this version of CANN is too old for %s: it has no function %s", trial->who,
                     trial->functions[i]);
            return;
        }
    if (load_library(trial->path, trial->flags, n, answer))
        text[0] = LOADED;
    else
        snprintf(text + 1, size - 1, "%s cannot be loaded: %s", trial->path, dlerror());
}

static void run_trial(const NpuTrial *trial, int answer)
{
    char text[TEXT_MAX] = "";

    make_harmless();
    try_all(trial, answer, text, sizeof text);
    size_t length = strlen(text);
    _exit(write(answer, text, length) == (ssize_t)length ? 0 : 1);
}

/* ---- in the parent ---- */

/* Ends the child. If the child hangs in the kernel, so that not even SIGKILL ends it, it is
 * abandoned, because the profiled program must not wait. */
static void end_trial(pid_t child)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < END_MS; i++) {
        pid_t ended = waitpid(child, NULL, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return;
        kill(child, SIGKILL);
        nanosleep(&pause, NULL);
    }
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int is_loaded(const char *text)
{
    return text[strspn(text, "ABCDEFGHI")] == LOADED;
}

/* Reads the child's messages until the child ends or `limit_ms` is over. Returns 1 if the child has
 * ended. */
static int listen_to(int answer, int limit_ms, char *text, size_t size)
{
    int64_t until = now_ms() + limit_ms, left;
    size_t used = 0;
    ssize_t got = 1;

    text[0] = '\0';
    while ((left = until - now_ms()) > 0 && used < size - 1 && !is_loaded(text)) {
        struct pollfd wait = {.fd = answer, .events = POLLIN};
        int ready = poll(&wait, 1, (int)left);
        if (ready > 0)
            got = read(answer, text + used, size - 1 - used);
        if (ready > 0 && got > 0)
            used += (size_t)got;
        else if ((ready > 0 && got == 0) || errno != EINTR)
            break;
        text[used] = '\0';
    }
    return got == 0;
}

static void name_failure(const NpuTrial *trial, char last, int has_ended, char *reason, size_t size)
{
    int limit_ms = trial->limit_ms ? trial->limit_ms : TRIAL_MS;
    uint32_t n = 0;
    char how[96];

    while (trial->libraries && trial->libraries[n])
        n++;
    uint32_t number = last >= LOADING ? (uint32_t)(last - LOADING) : n;
    if (has_ended)
        snprintf(how, sizeof how, "loading it ended the process that tried");
    else
        snprintf(how, sizeof how, "loading it took longer than %g s in the process that tried",
                 limit_ms / 1000.0);
    if (number < n)
        snprintf(reason, size, "%s needs CANN, of which %s cannot be loaded: %s", trial->who,
                 trial->libraries[number], how);
    else
        snprintf(reason, size, "%s cannot be loaded: %s", trial->path, how);
}

/* Waits for the child's messages on a pipe. Does not wait for the child's exit, because a handler
 * of the program may already have reaped the child. */
static const char *await_trial(const NpuTrial *trial, pid_t child, int answer, int *has_died,
                               char *reason, size_t size)
{
    char text[TEXT_MAX];
    int has_ended =
        listen_to(answer, trial->limit_ms ? trial->limit_ms : TRIAL_MS, text, sizeof text);
    size_t n_letters = strspn(text, "ABCDEFGHI");

    end_trial(child);
    if (is_loaded(text))
        return NULL;
    if (text[n_letters] == REFUSED) {
        snprintf(reason, size, "%s", text + n_letters + 1);
        return reason;
    }
    *has_died = has_ended;
    name_failure(trial, n_letters ? text[n_letters - 1] : '\0', has_ended, reason, size);
    return reason;
}

static const char *try_once(const NpuTrial *trial, int *has_died, char *reason, size_t size)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(reason, size, "cannot make a pipe to a process that tries to load %s",
                 trial->path);
        return reason;
    }
    pid_t child = fork();
    if (child == 0)
        run_trial(trial, ends[1]);
    close(ends[1]);
    if (child < 0)
        snprintf(reason, size, "cannot make a process that tries to load %s", trial->path);
    const char *failure =
        child < 0 ? reason : await_trial(trial, child, ends[0], has_died, reason, size);
    close(ends[0]);
    return failure;
}

/* If the child is forked while another thread loads a library, the child finds the loader's lists
 * half changed and may die. So a trial that died is repeated. */
const char *npu_cann_try(const NpuTrial *trial, char *reason, size_t size)
{
    const char *failure = NULL;
    int has_died = 1;

    for (int i = 0; i < TRIES && has_died; i++) {
        if (i)
            nanosleep(&(const struct timespec){0, 200000000}, NULL);
        has_died = 0;
        failure = try_once(trial, &has_died, reason, size);
    }
    return failure;
}

/* ---- loading ---- */

/* Loads the libraries that the trial's library needs, as the child did. The library itself searches
 * for these in its own way and ends the process if it does not find them. After they are loaded,
 * the loader finds them by name. */
static void load_needs(const NpuTrial *trial)
{
    char path[4096];

    for (uint32_t i = 0; trial->libraries && trial->libraries[i] && i < LIBRARIES_MAX; i++) {
        npu_cann_found_path(trial->libraries[i], path, sizeof path);
        dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
}

void *npu_cann_load(const NpuTrial *trial, char *reason, size_t size)
{
    void *handle = dlopen(trial->path, trial->flags | RTLD_NOLOAD);

    if (handle)
        return handle;
    if (strchr(trial->path, '/') && access(trial->path, R_OK) != 0) {
        snprintf(reason, size, "there is no %s: %s", trial->path, strerror(errno));
        return NULL;
    }
    if (npu_cann_try(trial, reason, size))
        return NULL;
    load_needs(trial);
    handle = dlopen(trial->path, trial->flags);
    if (!handle)
        snprintf(reason, size, "%s cannot be loaded: %s", trial->path, dlerror());
    return handle;
}

int npu_cann_find(void *handle, const NpuFunction *functions, const char *who, char *reason,
                  size_t size)
{
    for (; functions->name; functions++) {
        *functions->place = dlsym(handle, functions->name);
        if (*functions->place)
            continue;
        snprintf(reason, size, "%s has no function %s", who, functions->name);
        return 0;
    }
    return 1;
}
