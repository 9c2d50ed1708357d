/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that calls `sample` of the collectors that have this call. If a sample of a collector
 * takes longer than the collector's interval, a warning is printed and a separate thread samples
 * this collector. */
#ifndef STROBE_CORE_SAMPLER_H
#define STROBE_CORE_SAMPLER_H

#include <glib.h>
#include "session-collector.h"

typedef struct StrobeSampler StrobeSampler;

/* Starts sampling the collectors (StrobeCollector) that are started and have a sample call; NULL
 * if there are none. */
StrobeSampler *strobe_sampler_start(GPtrArray *collectors);
/* Adds a collector that was started later; makes *sampler if it is NULL. */
void strobe_sampler_add(StrobeSampler **sampler, StrobeCollector *collector);
/* Ends sampling and frees the sampler; returns when no sample call runs any more. NULL is
 * allowed. */
void strobe_sampler_stop(StrobeSampler *sampler);

#endif
