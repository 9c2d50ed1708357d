/* SPDX-License-Identifier: Apache-2.0 */
#include "address-space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index of the first mapping that ends after the address. */
static size_t position_of(const AddressSpace *space, uint64_t address)
{
    size_t low = 0, high = space->n;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (space->mapped[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const MappedCode *address_space_find(const AddressSpace *space, uint64_t address)
{
    size_t at = position_of(space, address);

    return at < space->n && space->mapped[at].begin <= address ? &space->mapped[at] : NULL;
}

static int make_room(AddressSpace *space, size_t n)
{
    if (n <= space->room)
        return 0;
    size_t room = n * 2 > 32 ? n * 2 : 32;
    MappedCode *more = realloc(space->mapped, room * sizeof *more);
    if (!more)
        return -1;
    space->mapped = more;
    space->room = room;
    return 0;
}

static void insert_code(AddressSpace *space, size_t at, const MappedCode *code)
{
    memmove(&space->mapped[at + 1], &space->mapped[at], (space->n - at) * sizeof *code);
    space->mapped[at] = *code;
    space->n++;
}

/* Removes the range [begin, end) from the mappings. If only a part of a mapping is in the range,
 * keeps the mapping's other parts. */
static void remove_range(AddressSpace *space, uint64_t begin, uint64_t end)
{
    size_t at = position_of(space, begin), last = at;

    if (at < space->n && space->mapped[at].begin < begin) {
        MappedCode rest = space->mapped[at];
        space->mapped[at].end = begin;
        rest.offset += end - rest.begin;
        rest.begin = end;
        if (rest.end > end) {
            insert_code(space, at + 1, &rest);
            return;
        }
        last = ++at;
    }
    while (last < space->n && space->mapped[last].end <= end)
        last++;
    if (last < space->n && space->mapped[last].begin < end) {
        space->mapped[last].offset += end - space->mapped[last].begin;
        space->mapped[last].begin = end;
    }
    memmove(&space->mapped[at], &space->mapped[last], (space->n - last) * sizeof *space->mapped);
    space->n -= last - at;
}

/* Sets the process's jitdump. A JIT compiler that writes a jitdump also maps the file, so that
 * profilers can find the file. The jitdump lists the JIT's code; all code of the process that is in
 * no file is assumed to be listed there. */
static void use_dump(AddressSpace *space, CodeObject *dump)
{
    space->dump = dump;
    for (size_t i = 0; i < space->n; i++)
        if (code_object_is_unnamed(space->mapped[i].object))
            space->mapped[i].object = dump;
}

void address_space_add(AddressSpace *space, const MappedCode *code)
{
    MappedCode added = *code;

    if (code->begin >= code->end || make_room(space, space->n + 2) != 0)
        return;
    if (code_object_is_dump(code->object))
        use_dump(space, code->object);
    else if (space->dump && code_object_is_unnamed(code->object))
        added.object = space->dump;
    space->n_changes++;
    remove_range(space, code->begin, code->end);
    insert_code(space, position_of(space, code->begin), &added);
}

void address_space_empty(AddressSpace *space)
{
    space->n = 0;
    space->dump = NULL;
}

void address_space_copy(AddressSpace *space, const AddressSpace *from)
{
    address_space_empty(space);
    space->dump = from->dump;
    if (from->n == 0 || make_room(space, from->n) != 0)
        return;
    memcpy(space->mapped, from->mapped, from->n * sizeof *from->mapped);
    space->n_changes++;
    space->n = from->n;
}

void address_space_clear(AddressSpace *space)
{
    free(space->mapped);
    *space = (AddressSpace){.n = 0};
}

/* Adds the mapping in a line of the form "begin-end rwxp offset device inode path". */
static void take_line(AddressSpace *space, CodeObjects *objects, pid_t pid, const char *line)
{
    unsigned long long begin, end, offset;
    char rights[5], path[4096] = "";

    if (sscanf(line, "%llx-%llx %4s %llx %*s %*s %4095[^\n]", &begin, &end, rights, &offset, path) <
            4 ||
        rights[2] != 'x')
        return;
    if (path[0] != '/') /* the offset is set to the address, as in perf's mapping events */
        offset = begin;
    const CodeMapping mapping = {.begin = begin, .end = end, .offset = offset, .path = path};
    CodeObject *object = code_objects_find(objects, pid, &mapping);
    if (object)
        address_space_add(space, &(MappedCode){begin, end, offset, object});
}

int address_space_read(AddressSpace *space, CodeObjects *objects, pid_t pid)
{
    char name[32], *line = NULL;
    size_t size = 0;

    snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
    FILE *file = fopen(name, "re");
    if (!file)
        return -1;
    address_space_empty(space);
    while (getline(&line, &size, file) > 0)
        take_line(space, objects, pid, line);
    free(line);
    fclose(file);
    return 0;
}
