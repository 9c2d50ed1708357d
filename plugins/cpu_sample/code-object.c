/* SPDX-License-Identifier: Apache-2.0 */
#include "code-object.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/sys-file.h>

#define HEADERS_MAX 64
#define NOTES_MAX 4096
#define CODE_PAGE 4096
#define DELETED " (deleted)"

static int read_exactly(int file, void *to, size_t size, uint64_t offset)
{
    return pread(file, to, size, (off_t)offset) == (ssize_t)size ? 0 : -1;
}

static void read_notes(int file, const ElfW(Phdr) * header, StrobeBuildId *build_id)
{
    char notes[NOTES_MAX];
    size_t size = header->p_filesz < sizeof notes ? header->p_filesz : sizeof notes;

    if (build_id->size == 0 && read_exactly(file, notes, size, header->p_offset) == 0)
        strobe_build_id_find(notes, size, build_id);
}

/* Reads the executable segments and the build-id. If the file cannot be read, the object has no
 * segments. */
static void read_object(int file, CodeObject *object)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) headers[HEADERS_MAX];
    size_t n;

    if (read_exactly(file, &head, sizeof head, 0) != 0 ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head.e_phentsize != sizeof *headers)
        return;
    n = head.e_phnum < HEADERS_MAX ? head.e_phnum : HEADERS_MAX;
    if (read_exactly(file, headers, n * sizeof *headers, head.e_phoff) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const ElfW(Phdr) *header = &headers[i];
        if (header->p_type == PT_NOTE)
            read_notes(file, header, &object->build_id);
        else if (header->p_type == PT_LOAD && header->p_flags & PF_X &&
                 object->n_segments < CODE_SEGMENTS_MAX)
            object->segments[object->n_segments++] =
                (CodeSegment){header->p_offset, header->p_filesz, header->p_vaddr};
    }
}

int code_mapping_open(pid_t pid, const CodeMapping *mapping)
{
    char path[PATH_MAX];
    int file;

    snprintf(path, sizeof path, "%d/map_files/%llx-%llx", (int)pid,
             (unsigned long long)mapping->begin, (unsigned long long)mapping->end);
    file = strobe_sys_open("/proc", path);
    if (file < 0 &&
        snprintf(path, sizeof path, "%d/root%s", (int)pid, mapping->path) < (int)sizeof path)
        file = strobe_sys_open("/proc", path);
    return file >= 0 ? file : strobe_sys_open("", mapping->path);
}

/* Returns the name of an object. JIT code is named as `perf` names it: by the path of the file in
 * which JIT compilers list their code. */
static char *name_object(pid_t pid, const char *path)
{
    const char *end = path + strlen(path);
    char name[64];

    if (path[0] == '[' && strcmp(path, "[heap]") != 0 && strncmp(path, "[stack", 6) != 0 &&
        strncmp(path, "[anon", 5) != 0)
        return strdup(path);
    if (path[0] == '/' && strncmp(path, "//anon", 6) != 0) {
        if (strlen(path) > strlen(DELETED) && strcmp(end - strlen(DELETED), DELETED) == 0)
            end -= strlen(DELETED);
        return strndup(path, (size_t)(end - path));
    }
    snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)pid);
    return strdup(name);
}

static int is_same_build(const StrobeBuildId *a, const StrobeBuildId *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static CodeObject *find_known(const CodeObjects *objects, const CodeObject *wanted)
{
    CodeObject *object = objects->first;

    while (object && (strcmp(object->path, wanted->path) != 0 ||
                      !is_same_build(&object->build_id, &wanted->build_id)))
        object = object->next;
    return object;
}

/* Reads the object's file. If the build-id in the file is not the one that the kernel reported, the
 * path now belongs to another file, so the segments are not used. */
static void read_mapped(CodeObject *object, pid_t pid, const CodeMapping *mapping)
{
    int file = code_mapping_open(pid, mapping);

    if (file >= 0)
        read_object(file, object);
    strobe_sys_close(&file);
    if (mapping->build_id.size && !is_same_build(&object->build_id, &mapping->build_id)) {
        object->build_id = mapping->build_id;
        object->n_segments = 0;
    }
}

CodeObject *code_objects_find(CodeObjects *objects, pid_t pid, const CodeMapping *mapping)
{
    CodeObject object = {.path = name_object(pid, mapping->path)}, *known;

    if (!object.path)
        return NULL;
    if (mapping->build_id.size) {
        object.build_id = mapping->build_id;
        known = find_known(objects, &object);
        object.build_id.size = 0;
        if (known) {
            free(object.path);
            return known;
        }
    }
    if (mapping->path[0] == '/')
        read_mapped(&object, pid, mapping);
    known = find_known(objects, &object);
    if (!known && (known = malloc(sizeof *known)) != NULL) {
        object.next = objects->first;
        *known = object;
        return objects->first = known;
    }
    free(object.path);
    return known;
}

uint64_t code_object_address(const CodeObject *object, uint64_t offset)
{
    for (uint32_t i = 0; i < object->n_segments; i++) {
        const CodeSegment *segment = &object->segments[i];
        if (offset >= segment->offset && offset - segment->offset < segment->size)
            return offset - segment->offset + segment->address;
    }
    return offset;
}

/* Compares pages, because a mapping begins at the start of the page in which its segment begins. */
uint64_t code_object_bias(const CodeObject *object, uint64_t begin, uint64_t offset)
{
    for (uint32_t i = 0; i < object->n_segments; i++) {
        const CodeSegment *segment = &object->segments[i];
        if (offset < segment->offset + segment->size && offset + CODE_PAGE > segment->offset)
            return begin - offset - (segment->address - segment->offset);
    }
    return begin - offset;
}

/* Returns whether the name consists of `prefix`, a number and `suffix`. */
static int has_form(const char *name, const char *prefix, const char *suffix)
{
    size_t length = strlen(prefix);

    if (strncmp(name, prefix, length) != 0)
        return 0;
    name += length;
    return *name && strcmp(name + strspn(name, "0123456789"), suffix) == 0;
}

int code_object_is_unnamed(const CodeObject *object)
{
    return object && has_form(object->path, "/tmp/perf-", ".map");
}

int code_object_is_dump(const CodeObject *object)
{
    const char *name = object ? strrchr(object->path, '/') : NULL;

    return name && has_form(name, "/jit-", ".dump");
}

void code_objects_clear(CodeObjects *objects)
{
    while (objects->first) {
        CodeObject *object = objects->first;
        objects->first = object->next;
        number_table_clear(&object->frames);
        free(object->path);
        free(object);
    }
}
