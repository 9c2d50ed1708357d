/* SPDX-License-Identifier: Apache-2.0 */
/* The environment at the time when this plugin was loaded. The plugin copies it then because the
 * program may change the environment later, and other threads cannot read it safely during a
 * change. A preloaded plugin reads it before main. */
#ifndef STROBE_PLUGINS_NPU_TASK_ENVIRONMENT_H
#define STROBE_PLUGINS_NPU_TASK_ENVIRONMENT_H

/* Values when the plugin was loaded; NULL: not set, or out of memory. */
typedef struct NpuEnvironment {
    char *ascend_home;    /* ASCEND_HOME_PATH */
    char *sample_config;  /* PROFILER_SAMPLECONFIG */
    char *profiling_mode; /* PROFILING_MODE */
    char *mstx_tool;      /* MSTX_INJECTION_PATH */
    char *preloaded;      /* LD_PRELOAD */
} NpuEnvironment;

const NpuEnvironment *npu_environment(void);

#endif
