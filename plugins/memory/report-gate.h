/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between memory-preload.so, which `strobe run` preloads, and memory.so, the plugin.
 * The preloaded library replaces the function by which allocators report to PyTorch's profiler; the
 * plugin records the reports. */
#ifndef STROBE_PLUGINS_REPORT_GATE_H
#define STROBE_PLUGINS_REPORT_GATE_H

#include <stdint.h>

#define REPORT_GATE_SYMBOL "strobe_report_gate_1"

/* A ReportHooks that was passed to a gate must stay valid until the process ends. */
typedef struct ReportHooks {
    /* Called when the allocator of device `index` (not a CPU) has allocated `size` bytes or, if
     * `size` is negative, has released them. `allocated` and `reserved` are the allocator's totals
     * afterwards. */
    void (*reported)(const void *address, int64_t size, int64_t allocated, int64_t reserved,
                     int32_t index);
} ReportHooks;

typedef struct ReportGate {
    uint32_t struct_size;
    uint32_t reserved;
    /* Sets the hooks that are called from now on. NULL: no hooks; a report then costs one load and
     * a jump. The caller must ensure that calls do not overlap. */
    void (*set_hooks)(const ReportHooks *hooks);
} ReportGate;

#endif
