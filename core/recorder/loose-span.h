/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that end in any order, on any thread. See StrobeHost for what the calls do. */
#ifndef STROBE_CORE_LOOSE_SPAN_H
#define STROBE_CORE_LOOSE_SPAN_H

#include "lane.h"

int32_t strobe_lane_loose_open(StrobeInstance *self, uint64_t key, uint32_t kind, const char *name,
                               uint64_t argument);
int32_t strobe_lane_loose_close(StrobeInstance *self, uint64_t key, uint32_t kind,
                                const void *fields, size_t size);

#endif
