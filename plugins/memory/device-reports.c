/* SPDX-License-Identifier: Apache-2.0 */
#include "device-reports.h"

#include <dlfcn.h>

#include "../common/import-slots.h"
#include "report-front.h"

enum { SIGNED, UNSIGNED, N_NAMES };

static ReportGate own_gate = {.struct_size = sizeof(ReportGate)};
static StrobeImport imports[N_NAMES] = {
    [SIGNED] = {REPORT_SIGNED_NAME, NULL, (void *)strobe_report_signed},
    [UNSIGNED] = {REPORT_UNSIGNED_NAME, NULL, (void *)strobe_report_unsigned},
};
static unsigned long long n_loaded; /* objects, when slots were written; 0: they are not */

ReportGate *const strobe_report_own_gate = &own_gate;

static ReportGate *preloaded_gate(void)
{
    ReportGate *gate = dlsym(RTLD_DEFAULT, REPORT_GATE_SYMBOL);
    return gate && gate->struct_size >= sizeof *gate ? gate : NULL;
}

static void write_slots(void)
{
    unsigned long long n = strobe_imports_n_loaded();
    if (n == n_loaded)
        return;
    for (int i = 0; i < N_NAMES; i++)
        imports[i].real = (void *)strobe_report_find(imports[i].name);
    strobe_imports_replace(imports, N_NAMES);
    n_loaded = n;
}

void strobe_device_reports_begin(const ReportHooks *hooks)
{
    ReportGate *gate = preloaded_gate();
    if (!gate)
        write_slots();
    atomic_store_explicit(&(gate ? gate : &own_gate)->hooks, hooks, memory_order_release);
}

void strobe_device_reports_end(void)
{
    ReportGate *gate = preloaded_gate();
    atomic_store_explicit(&(gate ? gate : &own_gate)->hooks, NULL, memory_order_release);
    if (n_loaded)
        strobe_imports_restore(imports, N_NAMES);
    n_loaded = 0;
}
