/* SPDX-License-Identifier: Apache-2.0 */
#include "device-reports.h"

#include <dlfcn.h>

#include <strobe/helpers/import-slots.h>
#include "report-front.h"

static Report report_signed, report_unsigned;
REPORT_FRONT(report_signed, REPORT_SIGNED)
REPORT_FRONT(report_unsigned, REPORT_UNSIGNED)

static StrobeImport imports[N_REPORTS] = {
    [REPORT_SIGNED] = {REPORT_SIGNED_NAME, NULL, (void *)report_signed},
    [REPORT_UNSIGNED] = {REPORT_UNSIGNED_NAME, NULL, (void *)report_unsigned},
};
/* number of loaded objects when the import slots were written; 0: the slots are not written */
static unsigned long long n_loaded;

static const ReportGate *preloaded_gate(void)
{
    const ReportGate *gate = dlsym(RTLD_DEFAULT, REPORT_GATE_SYMBOL);
    return gate && gate->struct_size >= sizeof *gate ? gate : NULL;
}

static void write_slots(void)
{
    unsigned long long n = strobe_imports_n_loaded();
    if (n == n_loaded)
        return;
    for (int i = 0; i < N_REPORTS; i++)
        imports[i].real = (void *)strobe_report_find(imports[i].name);
    strobe_imports_replace(imports, N_REPORTS);
    n_loaded = n;
}

void strobe_device_reports_begin(const ReportHooks *hooks)
{
    const ReportGate *gate = preloaded_gate();
    if (!gate)
        write_slots();
    (gate ? gate->set_hooks : strobe_report_set_hooks)(hooks);
}

void strobe_device_reports_end(void)
{
    const ReportGate *gate = preloaded_gate();
    (gate ? gate->set_hooks : strobe_report_set_hooks)(NULL);
    if (n_loaded)
        strobe_imports_restore(imports, N_REPORTS);
    n_loaded = 0;
}
