/* SPDX-License-Identifier: Apache-2.0 */
/* Which types of records the library is asked for. */
#ifndef STROBE_PLUGINS_NPU_TASK_ACTIVITIES_H
#define STROBE_PLUGINS_NPU_TASK_ACTIVITIES_H

#include <strobe/collector.h>

#include "mspti-library.h"

/* Names of the option's values, and the kinds that they stand for. */
extern const char *const npu_activity_names[];

/* The kinds as bits, by the options `activities`, `profiler_level` and `external_ids`. */
uint32_t npu_activities_wanted(const StrobeHost *host, StrobeInstance *self);

/* With those that are not to be recorded, but say which tasks are awaited and whose they are. */
uint32_t npu_activities_needed(uint32_t wanted);

/* Enables `needed`; returns those that are. Those of `wanted` that are not are told in the log. */
uint32_t npu_activities_enable(const MsptiLibrary *library, const StrobeHost *host,
                               StrobeInstance *self, uint32_t needed, uint32_t wanted);

/* Disables them; returns those that it could not, the last of which is `failed`, and why: `code`.
 */
uint32_t npu_activities_disable(const MsptiLibrary *library, uint32_t enabled, int32_t *failed,
                                int32_t *code);

/* Returns the name of a kind for messages. */
const char *npu_activity_name(int32_t kind);

static inline int npu_activities_have(uint32_t kinds, int32_t kind)
{
    return (kinds >> kind & 1) != 0;
}

#endif
