/* SPDX-License-Identifier: Apache-2.0 */
/* Determines whether this process has loaded libtorch, and which one. Needs only libc. */
#ifndef STROBE_PLUGINS_LIBTORCH_H
#define STROBE_PLUGINS_LIBTORCH_H

#include <stddef.h>

#define STROBE_LIBTORCH_ID_SIZE 17

typedef struct StrobeLibtorch {
    char path[4096];
    /* 16 characters: the first bytes of the GNU build-id in hex. If there is no build-id, "size"
     * and the file's size in hex. */
    char id[STROBE_LIBTORCH_ID_SIZE];
    char version[64]; /* "" if the files do not contain the version */
} StrobeLibtorch;

/* Sets *libtorch and returns 1 if libtorch_cpu is loaded in this process; otherwise returns 0. Any
 * thread may call this function. */
int strobe_libtorch_find(StrobeLibtorch *libtorch);

/* Writes a shell pattern that matches this Strobe's bridges for the libtorch with this id (NULL:
 * for any libtorch). */
void strobe_libtorch_bridge_pattern(const char *id, char *pattern, size_t size);

#endif
