/* SPDX-License-Identifier: Apache-2.0 */
#include "report-front.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

enum { CPU = 0 }; /* c10::DeviceType */

/* libc10 is loaded for Python alone, so its symbols are found by its file only. */
static int find_c10(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size;
    if (!slash || strncmp(slash, "/libc10.so", 10) != 0)
        return 0;
    *(const char **)user = info->dlpi_name;
    return 1;
}

Report *strobe_report_find(const char *name)
{
    const char *path = NULL;
    if (!dl_iterate_phdr(find_c10, &path))
        return NULL;
    void *library = dlopen(path, RTLD_NOLOAD | RTLD_NOW);
    return library ? (Report *)dlsym(library, name) : NULL;
}

#define HOOKS() atomic_load_explicit(&strobe_report_own_gate->hooks, memory_order_acquire)

typedef Report *_Atomic FoundReport;

/* Nobody records, as a rule; then a call is two loads and a jump. */
static __attribute__((noinline)) void tell(FoundReport *real, const char *name, void *address,
                                           int64_t size, int64_t allocated, int64_t reserved,
                                           ReportDevice device)
{
    const ReportHooks *hooks = HOOKS();
    Report *found = atomic_load_explicit(real, memory_order_acquire);

    if (!found) {
        found = strobe_report_find(name);
        atomic_store_explicit(real, found, memory_order_release);
    }
    if (hooks && device.type != CPU)
        hooks->reported(address, size, allocated, reserved, device.index < 0 ? 0 : device.index);
    if (found)
        found(address, size, allocated, reserved, device);
}

#define REPORT(function_, name_)                                                                   \
    void function_(void *address, int64_t size, int64_t allocated, int64_t reserved,               \
                   ReportDevice device)                                                            \
    {                                                                                              \
        static FoundReport real;                                                                   \
        Report *found = atomic_load_explicit(&real, memory_order_acquire);                         \
        if (found && !HOOKS())                                                                     \
            found(address, size, allocated, reserved, device);                                     \
        else                                                                                       \
            tell(&real, name_, address, size, allocated, reserved, device);                        \
    }

REPORT(strobe_report_signed, REPORT_SIGNED_NAME)
REPORT(strobe_report_unsigned, REPORT_UNSIGNED_NAME)
