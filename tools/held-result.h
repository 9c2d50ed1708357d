/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result that is analysed. Its directory is opened once, and all accesses below it use that
 * descriptor, so renaming folders at the same time has no effect.
 */
#ifndef STROBE_TOOLS_HELD_RESULT_H
#define STROBE_TOOLS_HELD_RESULT_H

#include "result.h"

typedef struct StrobeHeldResult {
    const StrobeResult *named; /* with its original paths */
    StrobeResult result;       /* the same with paths through `folder` */
    int folder;                /* the result directory; -1: only a capture */
    gboolean is_own;           /* this user owns its directory and its capture, and no link of
                                  another user leads to them */
} StrobeHeldResult;

/* `named` must outlive it. */
gboolean strobe_held_result_open(StrobeHeldResult *held, const StrobeResult *named, GError **error);
void strobe_held_result_close(StrobeHeldResult *held);

/* In an error's message (NULL is allowed), replaces the path through the descriptor by the
 * directory's own path; returns the error. */
GError *strobe_held_result_name(const StrobeHeldResult *held, GError *error);

/* "<path> belongs to another user ...", as a usage error (command.h). */
void strobe_held_result_refuse(const char *path, GError **error);

#endif
