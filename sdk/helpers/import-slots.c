/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/import-slots.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strobe/helpers/elf-object.h>

#if defined(__x86_64__)
enum { BY_PLT = R_X86_64_JUMP_SLOT, BY_GOT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { BY_PLT = R_AARCH64_JUMP_SLOT, BY_GOT = R_AARCH64_GLOB_DAT };
#else
enum { BY_PLT = -1, BY_GOT = -1 };
#endif

typedef struct Task {
    const StrobeImport *imports;
    size_t n, n_written;
    int restores;
} Task;

/* Is the address inside one of the object's segments? */
static int is_within(const StrobeElfObject *object, uintptr_t address)
{
    for (int i = 0; i < object->info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            address - (object->info->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return 1;
    }
    return 0;
}

/* Did the loader make the whole page read-only after it had filled it in (RELRO)? */
static int is_sealed(const StrobeElfObject *object, uintptr_t page, uintptr_t size)
{
    for (int i = 0; i < object->info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->info->dlpi_phdr[i];
        uintptr_t begin = object->info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
        if (part->p_type == PT_GNU_RELRO && page >= (begin & ~(size - 1)) && page + size <= end)
            return 1;
    }
    return 0;
}

static int write_slot(const StrobeElfObject *object, void **slot, void *value)
{
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)slot & ~(size - 1);
    int sealed = is_sealed(object, page, size);

    if (sealed && mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0) // NOLINT
        return 0;
    __atomic_store_n(slot, value, __ATOMIC_RELEASE);
    if (sealed)
        mprotect((void *)page, size, PROT_READ); // NOLINT
    return 1;
}

static void treat_slot(Task *task, const StrobeElfObject *object, const StrobeImport *import,
                       void **slot)
{
    void *there = __atomic_load_n(slot, __ATOMIC_RELAXED);
    int is_unbound = is_within(object, (uintptr_t)there);

    if (task->restores ? there != import->ours
                       : there == import->ours || (there != import->real && !is_unbound))
        return;
    task->n_written +=
        (size_t)write_slot(object, slot, task->restores ? import->real : import->ours);
}

static void treat_table(Task *task, const StrobeElfObject *object, const ElfW(Rela) * table,
                        size_t n, int type)
{
    for (size_t i = 0; i < n; i++) {
        if ((int)ELF64_R_TYPE(table[i].r_info) != type)
            continue;
        const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(table[i].r_info)];
        if (symbol->st_shndx != SHN_UNDEF || symbol->st_name >= object->names_size)
            continue;
        const char *name = object->names + symbol->st_name;
        for (size_t j = 0; j < task->n; j++)
            if (task->imports[j].real && strcmp(name, task->imports[j].name) == 0)
                treat_slot(task, object, &task->imports[j],
                           (void **)(object->info->dlpi_addr + table[i].r_offset)); // NOLINT
    }
}

static int treat_object(struct dl_phdr_info *info, size_t size, void *user)
{
    StrobeElfObject object;
    Task *task = user;

    (void)size;
    if (!strobe_elf_object_read(&object, info))
        return 0;
    size_t n = object.others_size / sizeof *object.others;
    size_t skipped = object.n_relative < n ? object.n_relative : n;
    treat_table(task, &object, object.by_plt, object.by_plt_size / sizeof *object.by_plt, BY_PLT);
    treat_table(task, &object, object.others + skipped, n - skipped, BY_GOT);
    return 0;
}

static size_t treat_all(const StrobeImport *imports, size_t n, int restores)
{
    Task task = {.imports = imports, .n = n, .restores = restores};
    if (BY_PLT >= 0)
        dl_iterate_phdr(treat_object, &task);
    return task.n_written;
}

size_t strobe_imports_replace(const StrobeImport *imports, size_t n)
{
    return treat_all(imports, n, 0);
}

size_t strobe_imports_restore(const StrobeImport *imports, size_t n)
{
    return treat_all(imports, n, 1);
}

static int read_adds(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(unsigned long long *)user = info->dlpi_adds;
    return 1;
}

unsigned long long strobe_imports_n_loaded(void)
{
    unsigned long long n = 0;
    dl_iterate_phdr(read_adds, &n);
    return n;
}
