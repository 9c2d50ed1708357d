/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Ascend PyTorch Profiler's profiler_config.json as a configuration: its keys are checked as
 * that profiler checks them (a bad value is replaced, with a warning) and mapped onto collectors.
 * docs/ascend-config.md has the table of what becomes what.
 */
#ifndef STROBE_CORE_ASCEND_CONFIG_H
#define STROBE_CORE_ASCEND_CONFIG_H

#include "config.h"

/* What that profiler is asked for, after its checks: the values of a file, or their defaults. */
typedef struct StrobeAscendSettings {
    gboolean cpu, npu; /* activities */
    gboolean record_shapes, profile_memory, with_stack, with_flops, with_modules;
    const char *level;       /* "Level0" ...; a constant */
    const char *aic_metrics; /* "PipeUtilization" ...; a constant */
    gboolean l2_cache, msprof_tx, mstx, record_op_args, op_attr, sys_io, sys_interconnection;
    gboolean data_simplification;
    guint32 export_types;                  /* STROBE_EXPORT_* */
    double gc_threshold_ms;                /* negative: none */
    char *host_sys;                        /* "cpu+mem", "" if none */
    char *domain_include, *domain_exclude; /* joined by '+', "" if none */
} StrobeAscendSettings;

/* The top-level keys by which a file is of this kind, NULL-terminated ("metadata" is one of it too,
 * but not by itself). */
extern const char *const strobe_ascend_config_keys[];

/* Reads the whole file into the configuration. */
gboolean strobe_ascend_config_read(StrobeConfig *config, JsonObject *top, const char *origin,
                                   GError **error);

/* Reads "experimental_config" (NULL: all defaults); what is replaced is a warning of the
 * configuration. */
void strobe_ascend_experimental_read(StrobeAscendSettings *settings, JsonObject *object,
                                     StrobeConfig *config, const char *origin);
void strobe_ascend_settings_clear(StrobeAscendSettings *settings);

/* Adds the collectors and export types that the settings ask for. */
void strobe_ascend_collectors_add(StrobeConfig *config, const StrobeAscendSettings *settings,
                                  const char *origin);
/* The settings as profiler_info.json has them. */
JsonObject *strobe_ascend_front_end(const StrobeConfig *config,
                                    const StrobeAscendSettings *settings);

/* true or false; another value is replaced, with a warning. */
gboolean strobe_ascend_switch(StrobeConfig *config, const StrobeConfigPlace *place,
                              JsonObject *object, const char *key, gboolean otherwise);
/* The warning "FILE: key ...: expected ..., found ...; reset to ...". */
void strobe_ascend_reset(StrobeConfig *config, const StrobeConfigPlace *place, const char *key,
                         const char *expected, JsonNode *node, const char *instead);
/* The core metrics' name as aclprof has it ("ACL_AICORE_..."), NULL if there is none of that name.
 */
const char *strobe_ascend_metrics_acl(const char *name);
/* The constant of that name ("PipeUtilization") or of aclprof's; NULL if there is none. */
const char *strobe_ascend_metrics_name(const char *text);

#endif
