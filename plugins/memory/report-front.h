/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that replace c10::reportMemoryUsageToProfiler, which allocators of devices call for
 * each block, with or without a profiler. They pass each report on to PyTorch's own function.
 *
 * These functions can be written in C because their arguments are simple: a c10::Device is two
 * bytes. They use only libc, because they are also part of memory-preload.so, which is loaded into
 * every process that `strobe run` starts.
 */
#ifndef STROBE_PLUGINS_REPORT_FRONT_H
#define STROBE_PLUGINS_REPORT_FRONT_H

#include <stdatomic.h>

#include "report-gate.h"

/* The function's mangled names in C++: up to PyTorch 2.0, and from 2.1 on. */
enum { REPORT_SIGNED, REPORT_UNSIGNED, N_REPORTS };
#define REPORT_SIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"
#define REPORT_UNSIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"

typedef struct ReportDevice {
    int8_t type, index;
} ReportDevice;

typedef void Report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                    ReportDevice device);

/* The function to which a report is passed. While no session records, it is libc10's own function.
 * The variable is hidden, so that a call loads it without a symbol lookup. */
extern __attribute__((visibility("hidden"))) Report *_Atomic strobe_report_next[N_REPORTS];

/* Defines a function that receives a report and passes it to `strobe_report_next`. */
#define REPORT_FRONT(function_, which_)                                                            \
    void function_(void *address, int64_t size, int64_t allocated, int64_t reserved,               \
                   ReportDevice device)                                                            \
    {                                                                                              \
        atomic_load_explicit(&strobe_report_next[which_],                                          \
                             memory_order_acquire)(address, size, allocated, reserved, device);    \
    }

/* Sets the hooks that are called, see ReportGate. */
void strobe_report_set_hooks(const ReportHooks *hooks);

/* Finds libc10's own function; NULL: libc10 is not loaded, or has no function of that name. Does
 * not call dlsym, which takes the loader's lock: a constructor that holds this lock may wait for
 * the thread that makes the first report. */
Report *strobe_report_find(const char *name);

#endif
