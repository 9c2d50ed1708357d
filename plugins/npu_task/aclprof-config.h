/* SPDX-License-Identifier: Apache-2.0 */
/* Translates the options to settings of aclprof. */
#ifndef STROBE_PLUGINS_NPU_TASK_ACLPROF_CONFIG_H
#define STROBE_PLUGINS_NPU_TASK_ACLPROF_CONFIG_H

#include <strobe/collector.h>

#include "aclprof-abi.h"

#define ACLPROF_SETTINGS_MAX 11u

typedef struct AclprofWish {
    uint64_t mask;
    int32_t metrics;
    uint32_t n_settings;
    struct {
        int32_t type;
        char text[ACLPROF_CONFIG_MAX];
    } settings[ACLPROF_SETTINGS_MAX]; /* for aclprofSetConfig, in order */
} AclprofWish;

/* Reads the options. Ignores an option that contradicts another one, and logs a warning. */
void npu_aclprof_wish(const StrobeHost *host, StrobeInstance *self, AclprofWish *wish);

/* Returns the name of an option that is set and that only aclprof can fulfil; NULL: there is
 * none. */
const char *npu_aclprof_needed_by(const StrobeHost *host, StrobeInstance *self);

/* Values of the option aic_metrics. The third value and all later ones are in the order of CANN's
 * numbers for them. */
#define NPU_METRIC_NAMES                                                                           \
    "level", "none", "ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0",             \
        "ResourceConflictRatio", "MemoryUB", "L2Cache", "PipelineExecuteUtilization",              \
        "MemoryAccess"

#endif
