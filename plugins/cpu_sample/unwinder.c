/* SPDX-License-Identifier: Apache-2.0 */
#include "unwinder.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/descriptor.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "cpu_sample-unwind"
#define PATIENCE_MS 5000 /* time limit for one stack */
#define STARTS_MAX 16
#define KERNEL_FRAMES_MAX 256u

struct Unwinder {
    char path[PATH_MAX];
    int socket; /* -1: the program has ended */
    pid_t program;
    /* number of times that the program was started; after each start the mappings must be sent
     * again */
    uint32_t n_starts;
    /* the sample's chain is in `addresses`, which must directly follow this member */
    Sample sample;
    uint64_t addresses[KERNEL_FRAMES_MAX + 1 + UNWIND_FRAMES_MAX];
};

_Static_assert(offsetof(Unwinder, addresses) ==
                   offsetof(Unwinder, sample) + offsetof(Sample, addresses),
               "the chain is the sample's");

/* ---- the process ---- */

/* Finds the path of cpu_sample-unwind, which is in the folder of the shared object that contains
 * this function. */
static int find_program(char path[PATH_MAX])
{
    Dl_info info;
    const char *name;

    if (!dladdr((void *)(uintptr_t)find_program, &info) || !info.dli_fname ||
        !(name = strrchr(info.dli_fname, '/'))) {
        errno = ENOENT;
        return -1;
    }
    const int length =
        snprintf(path, PATH_MAX, "%.*s/" PROGRAM, (int)(name - info.dli_fname), info.dli_fname);
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return access(path, X_OK);
}

static int spawn_program(Unwinder *unwinder, int end)
{
    static char *const environment[] = {NULL};
    char *const words[] = {unwinder->path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO);
    const int error =
        posix_spawn(&unwinder->program, unwinder->path, &actions, &attributes, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int start_program(Unwinder *unwinder)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    const int error = spawn_program(unwinder, ends[1]);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        errno = error;
        return -1;
    }
    unwinder->socket = strobe_descriptor_aside(ends[0]);
    unwinder->n_starts++;
    return 0;
}

static void end_program(Unwinder *unwinder)
{
    if (unwinder->socket < 0)
        return;
    close(unwinder->socket);
    unwinder->socket = -1;
    kill(unwinder->program, SIGKILL); /* killing is safe: the program has nothing to save */
    while (waitpid(unwinder->program, NULL, 0) < 0 && errno == EINTR)
        ;
}

Unwinder *unwinder_open(void)
{
    Unwinder *unwinder = calloc(1, sizeof *unwinder);

    if (!unwinder)
        return NULL;
    unwinder->socket = -1;
    if (find_program(unwinder->path) == 0 && start_program(unwinder) == 0)
        return unwinder;
    const int reason = errno;
    free(unwinder);
    errno = reason;
    return NULL;
}

void unwinder_close(Unwinder *unwinder)
{
    if (!unwinder)
        return;
    end_program(unwinder);
    free(unwinder);
}

uint32_t unwinder_failures(const Unwinder *unwinder)
{
    return unwinder->n_starts - (unwinder->socket >= 0);
}

/* ---- messages ---- */

static int send_all(const Unwinder *unwinder, const void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t sent =
            send(unwinder->socket, (const char *)bytes + done, n - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return -1;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

static int receive_all(const Unwinder *unwinder, void *bytes, size_t n)
{
    struct pollfd polled = {.fd = unwinder->socket, .events = POLLIN};

    for (size_t done = 0; done < n;) {
        const int ready = poll(&polled, 1, PATIENCE_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t got =
            ready > 0 ? recv(unwinder->socket, (char *)bytes + done, n - done, 0) : -1;
        if (got <= 0)
            return -1;
        done += (size_t)got;
    }
    return 0;
}

static int send_mapping(const Unwinder *unwinder, const MappedCode *code)
{
    const CodeObject *object = code->object;
    const UnwindMapping mapping = {
        .begin = code->begin,
        .end = code->end,
        .bias = code_object_bias(object, code->begin, code->offset),
        .build_id = object->build_id,
        .path_length = (uint32_t)strnlen(object->path, UNWIND_PATH_MAX),
    };

    if (send_all(unwinder, &mapping, sizeof mapping) != 0)
        return -1;
    return send_all(unwinder, object->path, mapping.path_length);
}

/* Sends the process's mappings, if they have changed or the program was started after they were
 * last sent. */
static int send_space(const Unwinder *unwinder, pid_t pid, SampledProcess *process)
{
    const AddressSpace *space = &process->space;
    const UnwindRequest request = {UNWIND_SPACE, (uint32_t)pid,
                                   space->n < UNWIND_SPACE_MAX ? space->n : UNWIND_SPACE_MAX};

    if (process->unwound_start == unwinder->n_starts &&
        process->unwound_changes == space->n_changes)
        return 0;
    process->unwound_start = unwinder->n_starts;
    process->unwound_changes = space->n_changes;
    if (send_all(unwinder, &request, sizeof request) != 0)
        return -1;
    for (size_t i = 0; i < request.n; i++)
        if (send_mapping(unwinder, &space->mapped[i]) != 0)
            return -1;
    return 0;
}

static int send_stack(const Unwinder *unwinder, pid_t pid, const StackCopy *copy)
{
    const UnwindRequest request = {UNWIND_STACK, (uint32_t)pid, copy->n_bytes};

    if (send_all(unwinder, &request, sizeof request) != 0 ||
        send_all(unwinder, &copy->registers, sizeof copy->registers) != 0)
        return -1;
    return send_all(unwinder, copy->bytes, copy->n_bytes);
}

/* Receives the answer. Returns the number of addresses; 0: there was no answer. */
static size_t receive_addresses(const Unwinder *unwinder, uint64_t *addresses, size_t room)
{
    uint64_t all[UNWIND_FRAMES_MAX];
    UnwindAnswer answer;

    if (receive_all(unwinder, &answer, sizeof answer) != 0 || answer.n > UNWIND_FRAMES_MAX ||
        receive_all(unwinder, all, (size_t)answer.n * sizeof *all) != 0)
        return 0;
    const size_t n = answer.n < room ? (size_t)answer.n : room;
    memcpy(addresses, all, n * sizeof *all);
    return n;
}

/* Writes at most `room` addresses, innermost first. Returns their number. If unwinding fails,
 * writes only the innermost address. */
static size_t unwind_stack(Unwinder *unwinder, pid_t pid, SampledProcess *process,
                           const StackCopy *copy, uint64_t *addresses, size_t room)
{
    size_t n = 0;

    if (unwinder->socket < 0 && unwinder->n_starts < STARTS_MAX)
        start_program(unwinder);
    if (unwinder->socket >= 0 && send_space(unwinder, pid, process) == 0 &&
        send_stack(unwinder, pid, copy) == 0)
        n = receive_addresses(unwinder, addresses, room);
    if (n > 0)
        return n;
    end_program(unwinder);
    addresses[0] = copy->registers.pc;
    return 1;
}

/* Joins the kernel's part of the chain and the frames of the stack copy. */
const Sample *unwinder_chain(Unwinder *unwinder, SampledProcess *process, const Sample *sample)
{
    Sample *whole = &unwinder->sample;
    uint64_t *addresses = unwinder->addresses;
    size_t n = sample->n_addresses < KERNEL_FRAMES_MAX ? sample->n_addresses : KERNEL_FRAMES_MAX;
    StackCopy copy;

    if (!stack_copy_read(sample, &copy))
        return sample;
    *whole = *sample;
    memcpy(addresses, sample->addresses, n * sizeof *addresses);
    addresses[n++] = PERF_CONTEXT_USER;
    n += unwind_stack(unwinder, (pid_t)sample->pid, process, &copy, addresses + n,
                      UNWIND_FRAMES_MAX);
    whole->n_addresses = n;
    return whole;
}
