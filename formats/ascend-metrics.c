/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of kernels: the sets that are measured together, the order of their columns, and
 * impossible metrics. */
#include "ascend.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_ACCESS(unit_)                                                                       \
    unit_ "_read_main_memory_datas;" unit_ "_write_main_memory_datas;" unit_                       \
          "_GM_to_L1_datas;" unit_ "_L0C_to_L1_datas;" unit_ "_L0C_to_GM_datas;" unit_             \
          "_GM_to_UB_datas;" unit_ "_UB_to_GM_datas"
#define L2_CACHE(unit_)                                                                            \
    unit_ "_write_cache_hit;" unit_ "_write_cache_miss_allocate;" unit_                            \
          "_r0_read_cache_hit;" unit_ "_r0_read_cache_miss_allocate;" unit_                        \
          "_r1_read_cache_hit;" unit_ "_r1_read_cache_miss_allocate"
#define AIC "aic_total_time;aic_total_cycles;"
#define AIV ";aiv_total_time;aiv_total_cycles;"

const AscendMetricSet ascend_metric_sets[] = {
    {"PipeUtilization",
     AIC "aic_mac_time;aic_mac_ratio;aic_scalar_time;aic_scalar_ratio;aic_mte1_time;"
         "aic_mte1_ratio;aic_mte2_time;aic_mte2_ratio;aic_fixpipe_time;aic_fixpipe_ratio;"
         "aic_icache_miss_rate" AIV
         "aiv_vec_time;aiv_vec_ratio;aiv_scalar_time;aiv_scalar_ratio;aiv_mte2_time;"
         "aiv_mte2_ratio;aiv_mte3_time;aiv_mte3_ratio;aiv_icache_miss_rate;cube_utilization"},
    {"ArithmeticUtilization",
     AIC "aic_mac_fp16_ratio;aic_mac_int8_ratio;aic_cube_fops" AIV
         "aiv_vec_fp32_ratio;aiv_vec_fp16_ratio;aiv_vec_int32_ratio;aiv_vec_misc_ratio;"
         "aiv_vector_fops"},
    {"Memory", AIC "aic_l1_read_bw;aic_l1_write_bw;aic_main_mem_read_bw;aic_main_mem_write_bw;"
                   "aic_l2_read_bw;aic_l2_write_bw" AIV
                   "aiv_ub_read_bw;aiv_ub_write_bw;aiv_main_mem_read_bw;aiv_main_mem_write_bw;"
                   "aiv_l2_read_bw;aiv_l2_write_bw"},
    {"MemoryL0",
     AIC "aic_l0a_read_bw;aic_l0a_write_bw;aic_l0b_read_bw;aic_l0b_write_bw;"
         "aic_l0c_read_bw_cube;aic_l0c_write_bw_cube" AIV "aiv_l0c_read_bw;aiv_l0c_write_bw"},
    {"MemoryUB", AIC "aic_ub_read_bw_scalar;aic_ub_write_bw_scalar" AIV
                     "aiv_ub_read_bw_vector;aiv_ub_write_bw_vector;aiv_ub_read_bw_scalar;"
                     "aiv_ub_write_bw_scalar"},
    {"ResourceConflictRatio",
     "aic_total_time;aic_total_cycles" AIV
     "aiv_vec_bankgroup_cflt_ratio;aiv_vec_bank_cflt_ratio;aiv_vec_resc_cflt_ratio"},
    {"L2Cache", AIC L2_CACHE("aic") AIV L2_CACHE("aiv")},
    {"MemoryAccess", AIC MEMORY_ACCESS("aic") AIV MEMORY_ACCESS("aiv")},
};
const uint32_t n_ascend_metric_sets = sizeof ascend_metric_sets / sizeof ascend_metric_sets[0];

static const char *const impossible[] = {
    "aic_vec_*",      "aiv_mac_*",         "aiv_mte1_*",       "aiv_fixpipe_*",
    "aic_ub_read_bw", "aic_ub_write_bw",   "aic_ub_*_bw_mte",  "aic_ub_*_bw_vector",
    "aiv_l1_*",       "aic_l0c_read_bw",   "aic_l0c_write_bw", "aiv_l0a_*",
    "aiv_l0b_*",      "aiv_l0c_*_bw_cube", "aic_*cflt*",       "aic_vector_fops",
    "aiv_cube_fops",
};

int ascend_metric_is_possible(const char *metric)
{
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++)
        if (fnmatch(impossible[i], metric, 0) == 0)
            return 0;
    return 1;
}

/* Returns the index of a name in a set, -1 if the set does not contain the name. */
static int32_t place_in_set(const AscendMetricSet *set, const char *name)
{
    size_t length = strlen(name);
    int32_t place = 0;

    for (const char *at = set->metrics; *at; place++) {
        size_t part = strcspn(at, ";");

        if (part == length && memcmp(at, name, length) == 0)
            return place;
        at += part + (at[part] == ';');
    }
    return -1;
}

/* Returns the set that contains all these names, NULL if there is none. */
static const AscendMetricSet *find_set(const char *const *names, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n_ascend_metric_sets; i++) {
        uint32_t at = 0;

        while (at < n && place_in_set(&ascend_metric_sets[i], names[order[at]]) >= 0)
            at++;
        if (at == n)
            return &ascend_metric_sets[i];
    }
    return NULL;
}

uint32_t ascend_metric_order(const char *const *names, uint32_t n, int32_t generation,
                             uint32_t *order)
{
    const AscendMetricSet *set;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++)
        if (ascend_metric_is_possible(names[i]))
            order[kept++] = i;
    set = generation == 3 ? find_set(names, order, kept) : NULL;
    for (uint32_t i = 1; set && i < kept; i++) {
        uint32_t name = order[i], at = i;
        int32_t place = place_in_set(set, names[name]);

        for (; at && place_in_set(set, names[order[at - 1]]) > place; at--)
            order[at] = order[at - 1];
        order[at] = name;
    }
    return kept;
}
