/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of native code as texts, from which a collector makes a stack: PATH+0xADDRESS@BUILD-ID.
 * PATH is the object's absolute path. ADDRESS is a virtual address of the object's own program
 * headers, as addr2line takes it. BUILD-ID is in hexadecimal; an object without one has no '@'. The
 * reader of a capture replaces such a frame by function, object, file and line. The text is
 * complete, so a reader can resolve a frame in any part of any capture. libc only. Any thread; no
 * lock, no allocation. Since 1.0.
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

/* The parts of a frame; they point into its text. */
typedef struct StrobeNativeFrame {
    const char *path;
    size_t path_length;
    uint64_t address;
    StrobeBuildId build_id;
} StrobeNativeFrame;

/* Writes the text, NUL-terminated; returns its length. If the path is too long, the text
 * contains only its last part, which no reader resolves. */
size_t strobe_native_frame_write(char *text, size_t size, const char *path,
                                 const StrobeBuildId *build_id, uint64_t address);

/* Splits `text` into the parts of a native frame. Returns 1, or 0 if the text is not such a
 * frame. */
int strobe_native_frame_read(const char *text, size_t length, StrobeNativeFrame *frame);

/* A frame as a reader returns it: "function (object) file:line" for native code, "file(line):
 * function" for Python, or a function alone. */
typedef struct StrobeFrameParts {
    size_t function_length; /* length of the function's name, with which the text begins */
    const char *file;       /* points into the text; NULL: unknown */
    size_t file_length;
    uint32_t line; /* 0: unknown; for Python, the first line of the function */
} StrobeFrameParts;

StrobeFrameParts strobe_frame_parts(const char *text, size_t length);

/* Finds the build-id in the notes of an ELF object (a PT_NOTE segment or a part of one). Returns 1,
 * or 0 if there is none. The notes may contain any bytes. */
int strobe_build_id_find(const void *notes, size_t size, StrobeBuildId *build_id);

#if defined(__cplusplus)
}
#endif

#endif
