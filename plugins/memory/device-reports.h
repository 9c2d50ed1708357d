/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives the reports of devices' allocators to PyTorch's profiler. If memory-preload.so was
 * loaded before the allocators, which `strobe run` does, it receives them. Otherwise this file
 * writes into the allocators' import slots.
 */
#ifndef STROBE_PLUGINS_DEVICE_REPORTS_H
#define STROBE_PLUGINS_DEVICE_REPORTS_H

#include "report-gate.h"

/* From here on the hooks are called, for those allocators that are loaded now. Again at each
 * window's begin, for those that were loaded meanwhile. Control thread. */
void strobe_device_reports_begin(const ReportHooks *hooks);
/* The hooks are called no more, but by a call that is under way; slots are as they were. */
void strobe_device_reports_end(void);

#endif
