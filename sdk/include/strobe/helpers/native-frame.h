/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of native code, as the texts of which a collector makes a stack: PATH+0xADDRESS@BUILD-ID.
 * PATH is the object's absolute path, ADDRESS a virtual address as the object's own program headers
 * count it (what addr2line takes), BUILD-ID its build-id in hexadecimal; an object without one has
 * no '@'. The reader of a capture replaces such a frame by function, object, file and line. The
 * text is complete in itself, so a frame can be resolved in any part of any capture. libc only.
 * Any thread; no lock, no allocation. Since 1.0.
 */
#ifndef STROBE_HELPERS_NATIVE_FRAME_H
#define STROBE_HELPERS_NATIVE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_BUILD_ID_MAX 32

typedef struct StrobeBuildId {
    uint32_t size; /* 0: none */
    uint8_t bytes[STROBE_BUILD_ID_MAX];
} StrobeBuildId;

/* A frame's parts, which lie in its text. */
typedef struct StrobeNativeFrame {
    const char *path;
    size_t path_length;
    uint64_t address;
    StrobeBuildId build_id;
} StrobeNativeFrame;

/* Writes the text, NUL-terminated; returns its length. Where the path does not fit, the text has
 * its last part alone, which no reader resolves. */
size_t strobe_native_frame_write(char *text, size_t size, const char *path,
                                 const StrobeBuildId *build_id, uint64_t address);

/* 1: the text is such a frame. 0: it is something else. */
int strobe_native_frame_read(const char *text, size_t length, StrobeNativeFrame *frame);

/* A frame as a reader gives it, of whatever language: "function (object) file:line", of Python
 * "file(line): function", or a function alone. */
typedef struct StrobeFrameParts {
    size_t function_length; /* from the text's begin: all that names the function */
    const char *file;       /* in the text; NULL: not known */
    size_t file_length;
    uint32_t line; /* 0: not known; of Python, the function's first one */
} StrobeFrameParts;

StrobeFrameParts strobe_frame_parts(const char *text, size_t length);

/* Finds the build-id in the notes of an ELF object, a PT_NOTE segment or a part of one. Returns 1,
 * or 0: there is none. The bytes may be anything. */
int strobe_build_id_find(const void *notes, size_t size, StrobeBuildId *build_id);

#if defined(__cplusplus)
}
#endif

#endif
