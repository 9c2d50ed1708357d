/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture that rolls over into pieces: the newest is always capture.strobe, those put aside are
 * capture.00001.strobe and so on. Each repeats all definitions. libc only.
 */
#ifndef STROBE_CORE_ROTATION_H
#define STROBE_CORE_ROTATION_H

#include <stddef.h>
#include <stdint.h>
#include "rotation-limits.h"

typedef struct StrobeRotation {
    StrobeRotationLimits limits;
    int folder;      /* descriptor of the capture's folder, -1: the capture does not roll */
    char *facts;     /* repeated in each piece */
    uint32_t number; /* of the present one, from 0 */
    int64_t begun_ns;
    uint64_t due_bytes; /* rolls at this size */
} StrobeRotation;

int strobe_rotation_limits_any(const StrobeRotationLimits *limits);
/* For a window whose capture is `path`. Returns 0 or an errno value. */
int strobe_rotation_begin(StrobeRotation *rotation, const StrobeRotationLimits *limits,
                          const char *path, const char *facts);
void strobe_rotation_end(StrobeRotation *rotation);
/* The present piece has its head, of that many bytes: what counts towards its end begins. */
void strobe_rotation_begin_piece(StrobeRotation *rotation, uint64_t head_bytes, int64_t now_ns);
/* Is the present piece, of that many bytes, to end? */
int strobe_rotation_is_due(const StrobeRotation *rotation, uint64_t bytes, int64_t now_ns);

#endif
