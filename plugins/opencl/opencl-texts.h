/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that stay: names of kernels and devices, words. Each is there once, and is never freed. */
#ifndef STROBE_PLUGINS_OPENCL_TEXTS_H
#define STROBE_PLUGINS_OPENCL_TEXTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <strobe/collector.h>

typedef struct OpenclText {
    struct OpenclText *next;
    _Atomic uint64_t known; /* string id, above it the window in which it is good */
    size_t length;
    char text[];
} OpenclText;

/* At most 4096 bytes are kept. NULL: there is no memory, or there are too many. Any thread; takes a
 * lock. */
const OpenclText *opencl_text(const char *text, size_t length);

/* The text's id for a record that comes next on the writer; 0 for NULL. Any thread. */
StrobeStringId opencl_text_id(StrobeWriter *writer, const OpenclText *text);

/* The same for a text that is not kept. */
StrobeStringId opencl_string_id(StrobeWriter *writer, const char *text);

void opencl_texts_after_fork(void);

#endif
