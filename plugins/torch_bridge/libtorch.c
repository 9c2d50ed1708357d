/* SPDX-License-Identifier: Apache-2.0 */
#include "libtorch.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bridge-id.h"

#define LIBRARY_STEM "libtorch_cpu.so"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static size_t note_align(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* Reads the first 8 bytes of the build-id from the notes, as hex. */
static int read_build_id(const char *notes, size_t size, char *id)
{
    while (size >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes, sizeof note);
        size_t name = note_align(note.n_namesz), body = note_align(note.n_descsz);
        if (name > size - sizeof note || body > size - sizeof note - name)
            return 0;
        const char *text = notes + sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(text, "GNU", 4) == 0 &&
            note.n_descsz >= 8) {
            for (int i = 0; i < 8; i++)
                snprintf(id + 2 * i, 3, "%02x", (unsigned char)text[name + (size_t)i]);
            return 1;
        }
        notes += sizeof note + name + body;
        size -= sizeof note + name + body;
    }
    return 0;
}

/* Returns whether the note segment is in memory, that is, inside the file part of a loaded
 * segment. */
static int is_mapped(const struct dl_phdr_info *info, const ElfW(Phdr) * note)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *load = &info->dlpi_phdr[i];
        if (load->p_type == PT_LOAD && note->p_vaddr >= load->p_vaddr &&
            note->p_memsz <= load->p_filesz &&
            note->p_vaddr - load->p_vaddr <= load->p_filesz - note->p_memsz)
            return 1;
    }
    return 0;
}

static int look_at_library(struct dl_phdr_info *info, size_t size, void *user)
{
    StrobeLibtorch *found = user;
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    if (strncmp(base_name(name), LIBRARY_STEM, strlen(LIBRARY_STEM)) != 0)
        return 0;
    snprintf(found->path, sizeof found->path, "%s", name);
    found->id[0] = '\0';
    for (int i = 0; i < info->dlpi_phnum && !found->id[0]; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_NOTE && is_mapped(info, part))
            read_build_id((const char *)(info->dlpi_addr + part->p_vaddr), part->p_memsz,
                          found->id);
    }
    return 1;
}

/* Reads the line __version__ = '2.1.0+cpu' of version.py, which is in the folder above the
 * libraries of a PyTorch that pip installed. */
static void read_version_file(StrobeLibtorch *libtorch)
{
    char path[sizeof libtorch->path + 32], line[256];
    int folder = (int)(base_name(libtorch->path) - libtorch->path);
    snprintf(path, sizeof path, "%.*s../version.py", folder, libtorch->path);
    FILE *file = fopen(path, "re");
    while (file && !libtorch->version[0] && fgets(line, sizeof line, file)) {
        char quote, text[64];
        if (sscanf(line, "__version__ = %c%63[0-9A-Za-z.+_-]", &quote, text) == 2)
            snprintf(libtorch->version, sizeof libtorch->version, "%s", text);
    }
    if (file)
        fclose(file);
}

/* Reads the version from the name of the file, which in distributions has it
 * (libtorch_cpu.so.1.13.0), otherwise from version.py. */
static void read_version(StrobeLibtorch *libtorch)
{
    char *real = realpath(libtorch->path, NULL);
    const char *suffix = base_name(real ? real : libtorch->path) + strlen(LIBRARY_STEM);
    libtorch->version[0] = '\0';
    if (suffix[0] == '.' && strspn(suffix, ".0123456789") == strlen(suffix))
        snprintf(libtorch->version, sizeof libtorch->version, "%s", suffix + 1);
    else
        read_version_file(libtorch);
    free(real);
}

int strobe_libtorch_find(StrobeLibtorch *libtorch)
{
    struct stat status;
    memset(libtorch, 0, sizeof *libtorch);
    if (dl_iterate_phdr(look_at_library, libtorch) == 0)
        return 0;
    if (!libtorch->id[0] && stat(libtorch->path, &status) == 0)
        snprintf(libtorch->id, sizeof libtorch->id, "size%012llx",
                 (unsigned long long)status.st_size & 0xffffffffffffULL);
    read_version(libtorch);
    return 1;
}

void strobe_libtorch_bridge_pattern(const char *id, char *pattern, size_t size)
{
    snprintf(pattern, size, "cpu_op_torch-*-%s-" STROBE_BRIDGE_ID ".so", id ? id : "*");
}
