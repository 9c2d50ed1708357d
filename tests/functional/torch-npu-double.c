/* SPDX-License-Identifier: Apache-2.0 */
/* A test double of torch_npu's library, with the function that returns whether torch_npu's profiler
 * runs. It runs if TORCH_NPU_DOUBLE=runs. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool profiler_runs(void) __asm__("_ZN9torch_npu8profiler20profDataReportEnableEv");

__attribute__((visibility("default"))) bool profiler_runs(void)
{
    const char *said = getenv("TORCH_NPU_DOUBLE");

    return said && strcmp(said, "runs") == 0;
}
