/* SPDX-License-Identifier: Apache-2.0 */
/* Files that code is mapped from: programs and libraries, as their frames are recorded. */
#ifndef STROBE_CPU_SAMPLE_CODE_OBJECT_H
#define STROBE_CPU_SAMPLE_CODE_OBJECT_H

#include <strobe/helpers/native-frame.h>
#include <sys/types.h>

#include "number-table.h"

#define CODE_SEGMENTS_MAX 8

/* A stretch of the file that is loaded with the right to execute. */
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
    const char *path;       /* may be empty, or in brackets */
    StrobeBuildId build_id; /* size 0: not known */
} CodeMapping;

/* The object of a mapping of the process; read once for each path and build-id. NULL: no memory. */
CodeObject *code_objects_find(CodeObjects *objects, pid_t pid, const CodeMapping *mapping);

/* Opens the file of a mapping: the mapped file itself, whatever lies at its path by now, or else
 * the path as the process sees it, or as it is. A descriptor, or -1. */
int code_mapping_open(pid_t pid, const CodeMapping *mapping);

/* What is added to an address that the object's program headers give where its byte `offset` is
 * mapped at `begin`. */
uint64_t code_object_bias(const CodeObject *object, uint64_t begin, uint64_t offset);

/* The address that the object's program headers give to a byte of the file; without headers the
 * offset itself. */
uint64_t code_object_address(const CodeObject *object, uint64_t offset);

/* Is it code that is in no file, or the list that a compiler at run time makes of such code? NULL
 * is allowed. */
int code_object_is_unnamed(const CodeObject *object);
int code_object_is_dump(const CodeObject *object);

void code_objects_clear(CodeObjects *objects);

#endif
