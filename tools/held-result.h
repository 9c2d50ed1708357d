/* SPDX-License-Identifier: Apache-2.0 */
/* A result that is being analysed. Its directory is opened once, and all later accesses use this
 * descriptor, so that they reach the same directory even if folders are renamed at the same
 * time. */
#ifndef STROBE_TOOLS_HELD_RESULT_H
#define STROBE_TOOLS_HELD_RESULT_H

#include "result.h"

typedef struct StrobeHeldResult {
    const StrobeResult *named; /* the result with its original paths */
    StrobeResult result;       /* the same result with paths through `folder` */
    int folder;                /* descriptor of the result directory; -1: there is only a capture */
    /* this user owns the directory and the capture, and no link of another user leads to them */
    gboolean is_own;
} StrobeHeldResult;

/* Opens the result. `named` must outlive `held`. */
gboolean strobe_held_result_open(StrobeHeldResult *held, const StrobeResult *named, GError **error);
void strobe_held_result_close(StrobeHeldResult *held);

/* In the message of `error` (may be NULL), replaces the path through the descriptor by the path
 * that the user knows. Returns `error`. */
GError *strobe_held_result_name(const StrobeHeldResult *held, GError *error);

/* Sets a usage error (command.h): "<path> belongs to another user ...". */
void strobe_held_result_refuse(const char *path, GError **error);

#endif
