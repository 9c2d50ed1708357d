/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu_sample-unwind: unwinds copies of stacks with libdwfl, for the collector, which is at the
 * other end of its standard input (unwind-message.h). It is a separate process because the files
 * that it reads may be damaged, or prepared for an attack: it can crash, hang or run out of memory
 * without harm to the writer. It needs no debug files and no server for them, because .eh_frame is
 * in the object itself.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unwind-process.h"

#define MEMORY_MAX (1ull << 30)
#define SECONDS_MAX 4 /* time limit for one request */

static void limit_self(void)
{
    const struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer reserves much memory, of which it uses little */
    const struct rlimit memory = {MEMORY_MAX, MEMORY_MAX};
    setrlimit(RLIMIT_DATA, &memory);
#endif
    signal(SIGALRM, SIG_DFL);
}

/* Reads exactly `n` bytes. Returns -1 if the collector has closed the socket. */
static int read_all(void *bytes, size_t n)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got = read(STDIN_FILENO, (char *)bytes + done, n - done);
        if (got <= 0)
            return -1;
        done += (size_t)got;
    }
    return 0;
}

static int take_mapping(UnwindProcess *process)
{
    UnwindMapping mapping;
    char path[UNWIND_PATH_MAX + 1];

    if (read_all(&mapping, sizeof mapping) != 0 || mapping.path_length > UNWIND_PATH_MAX ||
        read_all(path, mapping.path_length) != 0)
        return -1;
    path[mapping.path_length] = 0;
    unwind_process_map(process, &mapping, path);
    return 0;
}

static int take_space(const UnwindRequest *request)
{
    UnwindProcess *process = unwind_process_find((pid_t)request->pid);

    if (!process || request->n > UNWIND_SPACE_MAX || unwind_process_begin(process) != 0)
        return -1;
    for (uint64_t i = 0; i < request->n; i++)
        if (take_mapping(process) != 0)
            return -1;
    unwind_process_end(process);
    return 0;
}

static int take_stack(const UnwindRequest *request)
{
    static char stack[UNWIND_STACK_MAX];
    static struct {
        UnwindAnswer head;
        uint64_t addresses[UNWIND_FRAMES_MAX];
    } answer;
    UnwindRegisters registers;
    UnwindProcess *process = unwind_process_find((pid_t)request->pid);

    if (!process || request->n > sizeof stack || read_all(&registers, sizeof registers) != 0 ||
        read_all(stack, (size_t)request->n) != 0)
        return -1;
    answer.head.n = unwind_process_unwind(process, &registers, stack, (size_t)request->n,
                                          answer.addresses, UNWIND_FRAMES_MAX);
    const size_t size = sizeof answer.head + (size_t)answer.head.n * sizeof *answer.addresses;
    return send(STDIN_FILENO, &answer, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -1;
}

static int take_request(const UnwindRequest *request)
{
    switch (request->type) {
    case UNWIND_SPACE:
        return take_space(request);
    case UNWIND_STACK:
        return take_stack(request);
    default:
        return -1;
    }
}

int main(void)
{
    UnwindRequest request;

    limit_self();
    if (unwind_process_prepare() != 0)
        return EXIT_FAILURE;
    while (read_all(&request, sizeof request) == 0) {
        alarm(SECONDS_MAX);
        if (take_request(&request) != 0)
            return EXIT_FAILURE;
        alarm(0);
    }
    return EXIT_SUCCESS;
}
