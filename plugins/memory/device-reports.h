/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives the reports of devices' allocators to PyTorch's profiler. If memory-preload.so was
 * loaded before the allocators, as under `strobe run`, it receives the reports. Otherwise this file
 * replaces the function in the import slots of the allocators' libraries.
 */
#ifndef STROBE_PLUGINS_DEVICE_REPORTS_H
#define STROBE_PLUGINS_DEVICE_REPORTS_H

#include "report-gate.h"

/* Makes the allocators that are loaded now call the hooks. Must be called at the begin of each
 * window, on the control thread, for allocators that were loaded after the last call. */
void strobe_device_reports_begin(const ReportHooks *hooks);
/* Makes the allocators stop calling the hooks, except in reports that are already running, and
 * restores the import slots. */
void strobe_device_reports_end(void);

#endif
