/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-preload.so: has the names of the functions in front of which report-front.c stands, so
 * that allocators which are loaded later call that. It is in every process below `strobe run`, most
 * of which have no PyTorch.
 */
#include "report-front.h"

#define API __attribute__((visibility("default")))

API ReportGate strobe_report_gate_1 = {.struct_size = sizeof(ReportGate)};

ReportGate *const strobe_report_own_gate = &strobe_report_gate_1;

API Report strobe_report_signed_name __asm__(REPORT_SIGNED_NAME);
API Report strobe_report_unsigned_name __asm__(REPORT_UNSIGNED_NAME);

void strobe_report_signed_name(void *address, int64_t size, int64_t allocated, int64_t reserved,
                               ReportDevice device)
{
    strobe_report_signed(address, size, allocated, reserved, device);
}

void strobe_report_unsigned_name(void *address, int64_t size, int64_t allocated, int64_t reserved,
                                 ReportDevice device)
{
    strobe_report_unsigned(address, size, allocated, reserved, device);
}
