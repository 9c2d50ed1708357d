/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in front of c10::reportMemoryUsageToProfiler, which allocators of devices call for
 * each block, whether or not anybody profiles. What PyTorch makes of it goes on as before.
 *
 * C, since its arguments are plain: a c10::Device is two bytes. libc only: memory-preload.so has it
 * too, which is in every process below `strobe run`.
 */
#ifndef STROBE_PLUGINS_REPORT_FRONT_H
#define STROBE_PLUGINS_REPORT_FRONT_H

#include "report-gate.h"

/* The names of the function, as a C++ compiler has them: up to 2.0, and since. */
#define REPORT_SIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"
#define REPORT_UNSIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"

typedef struct ReportDevice {
    int8_t type, index;
} ReportDevice;

typedef void Report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                    ReportDevice device);

/* Each hands what it is told to the gate, and on to the libc10 of the process. */
Report strobe_report_signed, strobe_report_unsigned;

/* The function itself; NULL: there is no libc10, or it has none of that name. */
Report *strobe_report_find(const char *name);

/* Whose hooks are called: that of the object which this is compiled into. */
extern ReportGate *const strobe_report_own_gate;

#endif
