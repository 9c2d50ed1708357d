/* SPDX-License-Identifier: Apache-2.0 */
/* When a piece of a capture that rolls over ends, and how many are kept. */
#ifndef STROBE_CORE_ROTATION_LIMITS_H
#define STROBE_CORE_ROTATION_LIMITS_H

#include <stdint.h>

/* 0: no limit. */
typedef struct StrobeRotationLimits {
    uint64_t bytes;
    int64_t ns;
    uint32_t keep;      /* pieces, the newest included */
    uint32_t on_demand; /* strobe_recorder_roll() is called */
} StrobeRotationLimits;

#endif
