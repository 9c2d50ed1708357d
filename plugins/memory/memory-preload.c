/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-preload.so: exports functions with the names of libc10's report functions, so that
 * allocators which are loaded later call them; report-front.c does the work. The library is loaded
 * into every process that `strobe run` starts; most of them have no PyTorch.
 */
#include "report-front.h"

#define API __attribute__((visibility("default")))

extern API const ReportGate strobe_report_gate_1;
const ReportGate strobe_report_gate_1 = {.struct_size = sizeof(ReportGate),
                                         .set_hooks = strobe_report_set_hooks};

API Report strobe_report_signed_name __asm__(REPORT_SIGNED_NAME);
API Report strobe_report_unsigned_name __asm__(REPORT_UNSIGNED_NAME);

REPORT_FRONT(strobe_report_signed_name, REPORT_SIGNED)
REPORT_FRONT(strobe_report_unsigned_name, REPORT_UNSIGNED)
