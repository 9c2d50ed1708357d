/* SPDX-License-Identifier: Apache-2.0 */
/* Between memory.so and memory-preload.so, which `strobe run` preloads: the one stands in front of
 * the function by which allocators report to PyTorch's profiler, the other records what they say.
 */
#ifndef STROBE_PLUGINS_REPORT_GATE_H
#define STROBE_PLUGINS_REPORT_GATE_H

#include <stdint.h>

#define REPORT_GATE_SYMBOL "strobe_report_gate_1"

/* Valid for the life of the process once it has been handed to a gate. */
typedef struct ReportHooks {
    /* An allocator of device `index`, no processor, has taken `size` bytes, or given them back if
     * that is negative; what it has allocated and reserved since then. */
    void (*reported)(const void *address, int64_t size, int64_t allocated, int64_t reserved,
                     int32_t index);
} ReportHooks;

typedef struct ReportGate {
    uint32_t struct_size;
    uint32_t reserved;
    /* From here on these hooks are called; NULL: none, then a report costs one load and a jump.
     * Calls must not overlap. */
    void (*set_hooks)(const ReportHooks *hooks);
} ReportGate;

#endif
