/* SPDX-License-Identifier: Apache-2.0 */
/* A text that is stored once and never freed: the name of a kernel or device, or a word. */
#ifndef STROBE_PLUGINS_OPENCL_TEXTS_H
#define STROBE_PLUGINS_OPENCL_TEXTS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <strobe/collector.h>

typedef struct OpenclText {
    struct OpenclText *next;
    _Atomic uint64_t known; /* string id; the upper half is the window in which the id is valid */
    size_t length;
    char text[];
} OpenclText;

/* Returns the stored text with these bytes, cut to 4096 bytes; stores it if it is new. Returns NULL
 * if there is no memory, or there are too many texts. Takes a lock. Any thread may call this
 * function. */
const OpenclText *opencl_text(const char *text, size_t length);

/* Returns the text's id for the next record of the writer; 0 if `text` is NULL. Any thread may call
 * this function. */
StrobeStringId opencl_text_id(StrobeWriter *writer, const OpenclText *text);

/* Returns the id of a text that is not stored. */
StrobeStringId opencl_string_id(StrobeWriter *writer, const char *text);

void opencl_texts_after_fork(void);

#endif
