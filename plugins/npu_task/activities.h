/* SPDX-License-Identifier: Apache-2.0 */
/* The types of records that the plugin requests from MSPTI. */
#ifndef STROBE_PLUGINS_NPU_TASK_ACTIVITIES_H
#define STROBE_PLUGINS_NPU_TASK_ACTIVITIES_H

#include <strobe/collector.h>

#include "mspti-library.h"

/* Values of the option `activities`. The table of kinds in activities.c has the same order. */
extern const char *const npu_activity_names[];

/* Returns the kinds to record, as bits, by the options `activities`, `profiler_level` and
 * `external_ids`. */
uint32_t npu_activities_wanted(const StrobeHost *host, StrobeInstance *self);

/* Returns `wanted` with additional kinds, which are not recorded, but show which tasks are awaited
 * and which calls launched them. */
uint32_t npu_activities_needed(uint32_t wanted);

/* Enables the kinds `needed` and returns the kinds that are enabled. Logs a warning for each kind
 * of `wanted` that could not be enabled. */
uint32_t npu_activities_enable(const MsptiLibrary *library, const StrobeHost *host,
                               StrobeInstance *self, uint32_t needed, uint32_t wanted);

/* Disables the kinds `enabled`. Returns the kinds that could not be disabled; sets `failed` to the
 * last of them and `code` to its error. */
uint32_t npu_activities_disable(const MsptiLibrary *library, uint32_t enabled, int32_t *failed,
                                int32_t *code);

/* Returns the name of a kind for messages. */
const char *npu_activity_name(int32_t kind);

static inline int npu_activities_have(uint32_t kinds, int32_t kind)
{
    return (kinds >> kind & 1) != 0;
}

#endif
