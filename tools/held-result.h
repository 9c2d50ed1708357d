/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result that is analysed. Its directory is opened once, and all that is read and written below
 * it goes through that descriptor: who renames folders meanwhile changes nothing.
 */
#ifndef STROBE_TOOLS_HELD_RESULT_H
#define STROBE_TOOLS_HELD_RESULT_H

#include "result.h"

typedef struct StrobeHeldResult {
    const StrobeResult *named; /* as it was found */
    StrobeResult result;       /* the same, its paths through `folder` */
    int folder;                /* the result directory; -1: a bare capture */
    gboolean is_own;           /* its directory and its capture are this user's, and no link of
                                  another user is on the way to them */
} StrobeHeldResult;

/* `named` must outlive it. */
gboolean strobe_held_result_open(StrobeHeldResult *held, const StrobeResult *named, GError **error);
void strobe_held_result_close(StrobeHeldResult *held);

/* In the message of an error, which may be NULL, puts the directory's own path where the one
 * through its descriptor is; returns the error. */
GError *strobe_held_result_name(const StrobeHeldResult *held, GError *error);

/* "<path> belongs to another user ...", as a usage error (command.h). */
void strobe_held_result_refuse(const char *path, GError **error);

#endif
