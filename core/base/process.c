/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launchers.h"

/* The process id, which the kernel sets to 0 in a forked child. NULL: the kernel cannot do so, and
 * the id is not stored. */
static _Atomic pid_t *own_id;

static void map_own_id(void)
{
    const size_t bytes = sizeof *own_id; /* the kernel rounds the size up to a page */
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return;
    if (madvise(page, bytes, MADV_WIPEONFORK) == 0)
        own_id = page;
    else
        munmap(page, bytes);
}

pid_t strobe_process_id(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, map_own_id);
    if (!own_id)
        return getpid();
    pid_t pid = atomic_load_explicit(own_id, memory_order_relaxed);
    if (pid == 0) {
        pid = getpid();
        atomic_store_explicit(own_id, pid, memory_order_relaxed);
    }
    return pid;
}

pid_t strobe_thread_id(void)
{
    static _Thread_local pid_t process, thread;

    if (process != strobe_process_id()) {
        process = strobe_process_id();
        thread = gettid();
    }
    return thread;
}

static size_t read_file(const char *path, char *out, size_t size)
{
    size_t used = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        ssize_t n;
        while (used + 1 < size && (n = read(fd, out + used, size - 1 - used)) > 0)
            used += (size_t)n;
        close(fd);
    }
    out[used] = 0;
    return used;
}

void strobe_process_command(pid_t pid, char *out, size_t size)
{
    char path[64] = "/proc/self/cmdline"; /* /proc/PID may be wrong: this /proc may be of another
                                             PID namespace */

    if (pid != getpid())
        snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)pid);
    size_t n = read_file(path, out, size);

    while (n && out[n - 1] == 0)
        n--;
    for (size_t i = 0; i < n; i++)
        if (out[i] == 0)
            out[i] = ' ';
}

int strobe_process_is_there(pid_t pid, const char *name)
{
    char path[64], line[512];
    const char *begin, *end;

    if (kill(pid, 0) && errno == ESRCH)
        return 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    read_file(path, line, sizeof line);
    begin = strchr(line, '(');
    end = strrchr(line, ')'); /* the end of the name; a blank and the state follow */
    if (!begin || !end)
        return 1;
    if (name &&
        ((size_t)(end - begin - 1) != strlen(name) || strncmp(begin + 1, name, strlen(name))))
        return 0;
    return strncmp(end, ") Z", 3) != 0;
}

#define SEGMENTS_MAX 64

static int has_interpreter(int fd, const ElfW(Ehdr) * head)
{
    ElfW(Phdr) segments[SEGMENTS_MAX];
    size_t n = head->e_phnum < SEGMENTS_MAX ? head->e_phnum : SEGMENTS_MAX;
    ssize_t bytes = (ssize_t)(n * sizeof *segments);

    if (pread(fd, segments, (size_t)bytes, (off_t)head->e_phoff) != bytes)
        return 1;
    for (size_t i = 0; i < n; i++)
        if (segments[i].p_type == PT_INTERP)
            return 1;
    return 0;
}

int strobe_process_is_static(pid_t pid)
{
    char path[64];
    ElfW(Ehdr) head;
    int is_static = 0;

    snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0)
        is_static = !has_interpreter(fd, &head);
    close(fd);
    return is_static;
}

int strobe_process_is_launcher(pid_t pid)
{
    char path[64], name[32];

    snprintf(path, sizeof path, "/proc/%ld/comm", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (!fgets(name, sizeof name, file))
        name[0] = 0;
    fclose(file);
    name[strcspn(name, "\n")] = 0;
    return strobe_is_launcher(name);
}

/* The line of the file is "Uid:	real	effective	...". */
int strobe_process_is_of_other_user(pid_t pid)
{
    char path[64], line[128];
    unsigned long user = geteuid();

    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Uid: %*u %lu", &user) == 1)
            break;
    fclose(file);
    return user != geteuid();
}

void strobe_boot_id(char out[64])
{
    size_t n = read_file("/proc/sys/kernel/random/boot_id", out, 64);

    while (n && out[n - 1] == '\n')
        out[--n] = 0;
}
