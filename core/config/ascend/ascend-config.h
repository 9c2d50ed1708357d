/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the Ascend PyTorch Profiler's profiler_config.json as a configuration: the keys of the file
 * are checked as that profiler checks them (a wrong value is replaced, with a warning) and mapped
 * to collectors. docs/ascend-config.md has the mapping.
 */
#ifndef STROBE_CORE_ASCEND_CONFIG_H
#define STROBE_CORE_ASCEND_CONFIG_H

#include "config.h"

/* The settings of the Ascend PyTorch Profiler after its checks: values of a file, or defaults. */
typedef struct StrobeAscendSettings {
    gboolean cpu, npu; /* the activities that are recorded */
    gboolean record_shapes, profile_memory, with_stack, with_flops, with_modules;
    const char *level;       /* "Level0" ...; a constant */
    const char *aic_metrics; /* "PipeUtilization" ...; a constant */
    gboolean l2_cache, msprof_tx, mstx, record_op_args, op_attr, sys_io, sys_interconnection;
    gboolean data_simplification;
    guint32 export_types;                  /* STROBE_EXPORT_* */
    double gc_threshold_ms;                /* negative: no threshold */
    char *host_sys;                        /* items joined by '+'; "" if none */
    char *domain_include, *domain_exclude; /* joined by '+', "" if none */
} StrobeAscendSettings;

/* The top-level keys that identify a file of the Ascend PyTorch Profiler, NULL-terminated. Such a
 * file may also have "metadata", which does not identify it. */
extern const char *const strobe_ascend_config_keys[];

/* Reads a whole file of the Ascend PyTorch Profiler, whose object is `top`, into the
 * configuration. */
gboolean strobe_ascend_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                                   GError **error);

/* Reads "experimental_config" (NULL: all defaults); adds a warning for each replaced value. */
void strobe_ascend_experimental_read(StrobeAscendSettings *settings, JsonObject *object,
                                     StrobeConfig *config, const char *origin);
void strobe_ascend_settings_clear(StrobeAscendSettings *settings);

/* Adds the collectors and export types for the settings. */
void strobe_ascend_collectors_add(StrobeConfig *config, const StrobeAscendSettings *settings,
                                  const char *origin);
/* Returns the settings in the form of profiler_info.json. */
JsonObject *strobe_ascend_front_end(const StrobeConfig *config,
                                    const StrobeAscendSettings *settings);

/* Reads true or false; any other value is replaced by `otherwise`, with a warning. */
gboolean strobe_ascend_switch(StrobeConfig *config, const StrobeConfigPlace *place,
                              JsonObject *object, const char *key, gboolean otherwise);
/* Adds the warning "FILE: key ...: expected ..., found ...; reset to ...". */
void strobe_ascend_reset(StrobeConfig *config, const StrobeConfigPlace *place, const char *key,
                         const char *expected, JsonNode *node, const char *instead);
/* Returns aclprof's name of the core metrics `name` ("ACL_AICORE_..."), NULL if there is none. */
const char *strobe_ascend_metrics_acl(const char *name);
/* Returns the constant in StrobeAscendSettings.aic_metrics for metrics with this name
 * ("PipeUtilization") or this name in aclprof; NULL if there is none. */
const char *strobe_ascend_metrics_name(const char *text);

#endif
