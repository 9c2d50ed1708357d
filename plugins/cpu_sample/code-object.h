/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and libraries from which code is mapped, with the data from which their frames are
 * recorded. */
#ifndef STROBE_CPU_SAMPLE_CODE_OBJECT_H
#define STROBE_CPU_SAMPLE_CODE_OBJECT_H

#include <strobe/helpers/native-frame.h>
#include <sys/types.h>

#include "number-table.h"

#define CODE_SEGMENTS_MAX 8

/* A part of the file that is loaded as executable. */
typedef struct CodeSegment {
    uint64_t offset, size, address;
} CodeSegment;

typedef struct CodeObject {
    struct CodeObject *next;
    char *path; /* "/...", or a name in brackets for code that is in no file */
    StrobeBuildId build_id;
    uint32_t n_segments;
    CodeSegment segments[CODE_SEGMENTS_MAX];
    NumberTable frames; /* address -> string id */
} CodeObject;

typedef struct CodeObjects {
    CodeObject *first;
} CodeObjects;

/* A mapping of code as the kernel describes it. */
typedef struct CodeMapping {
    uint64_t begin, end, offset;
    const char *path;       /* may be empty, or a name in brackets */
    StrobeBuildId build_id; /* size 0: unknown */
} CodeMapping;

/* Returns the object of a mapping of the process. Each pair of path and build-id has one object.
 * Returns NULL if out of memory. */
CodeObject *code_objects_find(CodeObjects *objects, pid_t pid, const CodeMapping *mapping);

/* Opens the file of a mapping. First tries the mapped file itself (/proc/PID/map_files), which
 * works even if the path now has another file; then the path in the root directory of the process
 * `pid`; then the path in the root directory of the calling process. Returns a descriptor, or
 * -1. */
int code_mapping_open(pid_t pid, const CodeMapping *mapping);

/* Returns the number to add to an address from the object's program headers to get the address in
 * the process, if the file's byte `offset` is mapped at `begin`. */
uint64_t code_object_bias(const CodeObject *object, uint64_t begin, uint64_t offset);

/* Returns the address that the object's program headers give to the file's byte `offset`; if the
 * object has no program headers, returns `offset`. */
uint64_t code_object_address(const CodeObject *object, uint64_t offset);

/* code_object_is_unnamed returns whether the object is code that is in no file; code_object_is_dump
 * returns whether the object is a jitdump, in which a JIT compiler lists such code. NULL is
 * allowed. */
int code_object_is_unnamed(const CodeObject *object);
int code_object_is_dump(const CodeObject *object);

void code_objects_clear(CodeObjects *objects);

#endif
