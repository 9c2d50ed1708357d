/* SPDX-License-Identifier: Apache-2.0 */
#include "unwind-process.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROCESSES_MAX 64

struct UnwindProcess {
    pid_t pid;
    uint64_t last; /* n_calls when the process was last used */
    Dwfl *dwfl;
    int is_attached;
    /* The stack that is being unwound. */
    const UnwindRegisters *registers;
    const char *stack;
    size_t n_stack;
    uint64_t *addresses;
    size_t n, room;
};

static UnwindProcess processes[PROCESSES_MAX];
static uint64_t n_calls;
static Elf *own_file; /* from this file libdwfl gets the type of the machine */

int unwind_process_prepare(void)
{
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    elf_version(EV_CURRENT);
    own_file = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
    return own_file && UNWIND_REGISTERS_SENT ? 0 : -1;
}

/* Returns -1 (not found), so that libdwfl does not search for debug files. */
static int find_no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                              const char *file_name, const char *link, GElf_Word crc,
                              char **debug_name)
{
    (void)module, (void)data, (void)name, (void)base;
    (void)file_name, (void)link, (void)crc, (void)debug_name;
    return -1;
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                       char **file_name, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)file_name, (void)elf;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_no_elf,
                                         .find_debuginfo = find_no_debug_file};

static void clear_process(UnwindProcess *process)
{
    if (process->dwfl)
        dwfl_end(process->dwfl);
    *process = (UnwindProcess){0};
}

UnwindProcess *unwind_process_find(pid_t pid)
{
    UnwindProcess *oldest = &processes[0];

    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        if (processes[i].dwfl && processes[i].pid == pid) {
            processes[i].last = ++n_calls;
            return &processes[i];
        }
        if (processes[i].last < oldest->last)
            oldest = &processes[i];
    }
    clear_process(oldest);
    *oldest = (UnwindProcess){.pid = pid, .last = ++n_calls, .dwfl = dwfl_begin(&callbacks)};
    return oldest->dwfl ? oldest : NULL;
}

/* ---- objects ---- */

/* Makes a new Dwfl, because libdwfl leaks a descriptor if the same file is reported to it again. */
int unwind_process_begin(UnwindProcess *process)
{
    dwfl_end(process->dwfl);
    process->is_attached = 0;
    process->dwfl = dwfl_begin(&callbacks);
    return process->dwfl ? 0 : -1;
}

void unwind_process_end(UnwindProcess *process)
{
    dwfl_report_end(process->dwfl, NULL, NULL);
}

/* Opens the mapped file itself. If this fails, opens the mapping's path in the root directory of
 * the process; if this fails, opens it in the root directory of this process. Opens only regular
 * files. */
static int open_object(const UnwindProcess *process, const UnwindMapping *mapping, const char *path)
{
    char names[2][64 + UNWIND_PATH_MAX];
    const char *const each[] = {names[0], names[1], path};
    struct stat status;

    snprintf(names[0], sizeof names[0], "/proc/%d/map_files/%llx-%llx", (int)process->pid,
             (unsigned long long)mapping->begin, (unsigned long long)mapping->end);
    snprintf(names[1], sizeof names[1], "/proc/%d/root%s", (int)process->pid, path);
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        const int file = open(each[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
            return file;
        if (file >= 0)
            close(file);
    }
    return -1;
}

/* Returns whether the file has the build-id of the mapping. The path may now belong to another
 * file. */
static int is_wanted_build(int file, const StrobeBuildId *wanted)
{
    const void *bytes = NULL;
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    const ssize_t n = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
    const int is_same =
        elf && (wanted->size == 0 ||
                (n == (ssize_t)wanted->size && memcmp(bytes, wanted->bytes, wanted->size) == 0));

    elf_end(elf);
    return is_same;
}

void unwind_process_map(UnwindProcess *process, const UnwindMapping *mapping, const char *path)
{
    const int file = path[0] == '/' ? open_object(process, mapping, path) : -1;

    if (file < 0)
        return;
    if (!is_wanted_build(file, &mapping->build_id) ||
        !dwfl_report_elf(process->dwfl, path, path, file, mapping->bias, true))
        close(file); /* on success libdwfl owns the descriptor */
}

/* ---- frames ---- */

static bool read_stack(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *user)
{
    const UnwindProcess *process = user;
    const uint64_t offset = address - process->registers->stack;

    (void)dwfl;
    if (address < process->registers->stack || process->n_stack < sizeof *word ||
        offset > process->n_stack - sizeof *word)
        return false;
    memcpy(word, process->stack + offset, sizeof *word);
    return true;
}

/* Reports one thread to libdwfl: the one whose stack is unwound. */
static pid_t find_next_thread(Dwfl *dwfl, void *user, void **last)
{
    if (*last)
        return 0;
    *last = user;
    return dwfl_pid(dwfl);
}

static bool set_registers(Dwfl_Thread *thread, void *user)
{
    const UnwindProcess *process = user;

    dwfl_thread_state_register_pc(thread, process->registers->pc);
    return dwfl_thread_state_registers(thread, 0, UNWIND_REGISTERS_SENT,
                                       (const Dwarf_Word *)process->registers->values);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {.next_thread = find_next_thread,
                                                       .memory_read = read_stack,
                                                       .set_initial_registers = set_registers};

static int take_frame(Dwfl_Frame *frame, void *user)
{
    UnwindProcess *process = user;
    Dwarf_Addr pc;

    if (process->n == process->room || !dwfl_frame_pc(frame, &pc, NULL))
        return DWARF_CB_ABORT;
    process->addresses[process->n++] = pc;
    return DWARF_CB_OK;
}

size_t unwind_process_unwind(UnwindProcess *process, const UnwindRegisters *registers,
                             const char *stack, size_t n_stack, uint64_t *addresses, size_t room)
{
    process->registers = registers;
    process->stack = stack;
    process->n_stack = n_stack;
    process->addresses = addresses;
    process->n = 0;
    process->room = room;
    if (!process->is_attached)
        process->is_attached =
            dwfl_attach_state(process->dwfl, own_file, process->pid, &thread_callbacks, process);
    if (process->is_attached)
        dwfl_getthread_frames(process->dwfl, process->pid, take_frame, process);
    if (process->n == 0)
        addresses[process->n++] = registers->pc;
    return process->n;
}
