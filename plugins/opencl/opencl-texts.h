/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are stored once and never freed: names of kernels and devices, words. */
#ifndef STROBE_PLUGINS_OPENCL_TEXTS_H
#define STROBE_PLUGINS_OPENCL_TEXTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <strobe/collector.h>

typedef struct OpenclText {
    struct OpenclText *next;
    _Atomic uint64_t known; /* string id; the upper half is the window in which it is valid */
    size_t length;
    char text[];
} OpenclText;

/* Finds or stores the text, cut to 4096 bytes. Returns NULL if out of memory, or if there are too
 * many texts. Any thread; takes a lock. */
const OpenclText *opencl_text(const char *text, size_t length);

/* Returns the text's id, for the next record of the writer; 0 for NULL. Any thread. */
StrobeStringId opencl_text_id(StrobeWriter *writer, const OpenclText *text);

/* Returns the id of a text that is not stored. */
StrobeStringId opencl_string_id(StrobeWriter *writer, const char *text);

void opencl_texts_after_fork(void);

#endif
