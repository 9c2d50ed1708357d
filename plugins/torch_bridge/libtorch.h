/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libtorch of this process: whether one is loaded, and exactly which. libc only.
 */
#ifndef STROBE_PLUGINS_LIBTORCH_H
#define STROBE_PLUGINS_LIBTORCH_H

#include <stddef.h>

#define STROBE_LIBTORCH_ID_SIZE 17

typedef struct StrobeLibtorch {
    char path[4096];
    /* 16 characters: the head of the GNU build-id in hex, or "size" and the file's size in hex
     * where the file has no build-id. */
    char id[STROBE_LIBTORCH_ID_SIZE];
    char version[64]; /* "" if it cannot be told from the files */
} StrobeLibtorch;

/* 1 and fills *libtorch if libtorch_cpu is loaded in this process, 0 if not. Any thread. */
int strobe_libtorch_find(StrobeLibtorch *libtorch);

/* The shell pattern of the names of this Strobe's bridges to the libtorch of this id, NULL: to any.
 */
void strobe_libtorch_bridge_pattern(const char *id, char *pattern, size_t size);

#endif
