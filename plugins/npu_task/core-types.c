/* SPDX-License-Identifier: Apache-2.0 */
#include "core-types.h"

#include <stddef.h>
#include <string.h>

/* The types of kernels and their cores. Types of fused kernels are not in the table, because fused
 * kernels may run on several types of cores. */
static const struct {
    const char *type, *core;
} core_types[] = {
    {"KERNEL_AICORE", "AI_CORE"},  {"KERNEL_AIVEC", "AI_VECTOR_CORE"}, {"KERNEL_AICPU", "AI_CPU"},
    {"KERNEL_MIX_AIC", "MIX_AIC"}, {"KERNEL_MIX_AIV", "MIX_AIV"},
};

const char *npu_core_type(const char *kernel_type)
{
    if (strncmp(kernel_type, "KERNEL_", 7) != 0)
        return NULL;
    for (size_t i = 0; i < sizeof core_types / sizeof *core_types; i++)
        if (strcmp(core_types[i].type, kernel_type) == 0)
            return core_types[i].core;
    return NULL;
}
