/* SPDX-License-Identifier: Apache-2.0 */
#include "board-program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

#define RUNTIME "libsvp_acl.so"
#define SEGMENTS_MAX 64
#define DYNAMIC_MAX 4096
#define NAME_MAX_BYTES 256

/* The bytes of an ELF file with 32-bit or 64-bit words, in the byte order of this machine. */
typedef struct Object {
    int file;
    gboolean is_64;
    guint64 headers, n_headers, header_size;
    Elf64_Phdr segments[SEGMENTS_MAX];
} Object;

static gboolean read_at(const Object *object, guint64 offset, void *bytes, gsize size)
{
    return offset <= G_MAXINT64 && pread(object->file, bytes, size, (off_t)offset) == (ssize_t)size;
}

static gboolean read_segment(Object *object, guint i)
{
    const guint64 at = object->headers + i * object->header_size;
    Elf64_Phdr *segment = &object->segments[i];
    Elf32_Phdr small;

    if (object->is_64)
        return read_at(object, at, segment, sizeof *segment);
    if (!read_at(object, at, &small, sizeof small))
        return FALSE;
    *segment = (Elf64_Phdr){.p_type = small.p_type,
                            .p_offset = small.p_offset,
                            .p_vaddr = small.p_vaddr,
                            .p_filesz = small.p_filesz};
    return TRUE;
}

static gboolean read_segments(Object *object)
{
    for (guint i = 0; i < object->n_headers; i++)
        if (!read_segment(object, i))
            return FALSE;
    return TRUE;
}

static const Elf64_Phdr *find_segment(const Object *object, guint32 type)
{
    for (guint i = 0; i < object->n_headers; i++)
        if (object->segments[i].p_type == type)
            return &object->segments[i];
    return NULL;
}

/* Returns the offset in the file at which the address lies; 0: no segment contains the address. */
static guint64 find_offset(const Object *object, guint64 address)
{
    for (guint i = 0; i < object->n_headers; i++) {
        const Elf64_Phdr *segment = &object->segments[i];

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return segment->p_offset + (address - segment->p_vaddr);
    }
    return 0;
}

static gboolean read_dynamic(const Object *object, guint64 at, guint i, Elf64_Dyn *entry)
{
    Elf32_Dyn small;

    if (object->is_64)
        return read_at(object, at + i * sizeof *entry, entry, sizeof *entry);
    if (!read_at(object, at + i * sizeof small, &small, sizeof small))
        return FALSE;
    entry->d_tag = small.d_tag;
    entry->d_un.d_val = small.d_un.d_val;
    return TRUE;
}

static gboolean is_runtime(const Object *object, guint64 at)
{
    char name[NAME_MAX_BYTES + 1] = "";
    const ssize_t n = at <= G_MAXINT64 ? pread(object->file, name, NAME_MAX_BYTES, (off_t)at) : 0;

    return n > 0 && g_str_has_prefix(name, RUNTIME);
}

static gboolean needs_runtime(const Object *object)
{
    const Elf64_Phdr *dynamic = find_segment(object, PT_DYNAMIC);
    guint64 names = 0;
    Elf64_Dyn entry;

    for (guint i = 0; dynamic && i < DYNAMIC_MAX; i++) {
        if (!read_dynamic(object, dynamic->p_offset, i, &entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            names = find_offset(object, entry.d_un.d_val);
    }
    for (guint i = 0; dynamic && names && i < DYNAMIC_MAX; i++) {
        if (!read_dynamic(object, dynamic->p_offset, i, &entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_NEEDED && is_runtime(object, names + entry.d_un.d_val))
            return TRUE;
    }
    return FALSE;
}

static const char *name_machine(guint16 machine)
{
    static const struct {
        guint16 number;
        const char *name;
    } machines[] = {{EM_AARCH64, "aarch64"}, {EM_ARM, "arm"},   {EM_X86_64, "x86_64"},
                    {EM_386, "i386"},        {EM_MIPS, "mips"}, {EM_RISCV, "riscv64"}};

    for (guint i = 0; i < G_N_ELEMENTS(machines); i++)
        if (machines[i].number == machine)
            return machines[i].name;
    return "";
}

static void take_head(Object *object, const Elf64_Ehdr *head, StrobeBoardProgram *program)
{
    Elf32_Ehdr small;

    memcpy(&small, head, sizeof small);
    program->is_elf = TRUE;
    object->is_64 = head->e_ident[EI_CLASS] == ELFCLASS64;
    program->word_bits = object->is_64 ? 64 : 32;
    if (head->e_ident[EI_DATA] != ELFDATA2LSB)
        return;
    program->machine = name_machine(head->e_machine);
    object->headers = object->is_64 ? head->e_phoff : small.e_phoff;
    object->header_size = object->is_64 ? head->e_phentsize : small.e_phentsize;
    object->n_headers = MIN(object->is_64 ? head->e_phnum : small.e_phnum, SEGMENTS_MAX);
    if (!read_segments(object))
        return;
    program->is_dynamic = find_segment(object, PT_INTERP) != NULL;
    program->has_runtime = needs_runtime(object);
}

gboolean strobe_board_program_read(const char *path, StrobeBoardProgram *program, GError **error)
{
    Object object = {.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    Elf64_Ehdr head = {0};

    *program = (StrobeBoardProgram){.machine = ""};
    if (object.file < 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s", path, g_strerror(errno));
        return FALSE;
    }
    if (pread(object.file, &head, sizeof head, 0) >= (ssize_t)sizeof(Elf32_Ehdr) &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0)
        take_head(&object, &head, program);
    close(object.file);
    return TRUE;
}

gboolean strobe_board_program_fits(const StrobeBoardProgram *program, const char *machine)
{
    const char *own = program->machine;

    if (!program->is_elf || !*own || !*machine || strcmp(own, machine) == 0)
        return TRUE;
    if (strcmp(own, "arm") == 0)
        return g_str_has_prefix(machine, "arm") || strcmp(machine, "aarch64") == 0;
    if (strcmp(own, "i386") == 0)
        return strcmp(machine, "x86_64") == 0 || (machine[0] == 'i' && strlen(machine) == 4);
    return strcmp(own, "mips") == 0 && g_str_has_prefix(machine, "mips");
}
