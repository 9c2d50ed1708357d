/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory-preload.so: stands in front of c10::reportMemoryUsageToProfiler, which allocators of
 * devices call for each block, whether or not anybody profiles. What PyTorch makes of it goes on as
 * before.
 *
 * C, since its arguments are plain: a c10::Device is two bytes. libc only: it is in every process
 * below `strobe run`, most of which have no PyTorch.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "report-gate.h"

#define API __attribute__((visibility("default")))

/* The names of the function, as a C++ compiler has them: up to 2.0, and since. */
#define SIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"
#define UNSIGNED_NAME "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"

enum { CPU = 0 }; /* c10::DeviceType */

typedef struct Device {
    int8_t type, index;
} Device;

typedef void Report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                    Device device);

API ReportGate strobe_report_gate_1 = {.struct_size = sizeof(ReportGate)};

API Report strobe_report_signed __asm__(SIGNED_NAME);
API Report strobe_report_unsigned __asm__(UNSIGNED_NAME);

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

static Report *find_real(const char *name)
{
    const char *path = NULL;
    if (!dl_iterate_phdr(find_c10, &path))
        return NULL;
    void *library = dlopen(path, RTLD_NOLOAD | RTLD_NOW);
    return library ? (Report *)dlsym(library, name) : NULL;
}

static void tell(const void *address, int64_t size, int64_t allocated, int64_t reserved,
                 Device device)
{
    const ReportHooks *hooks =
        atomic_load_explicit(&strobe_report_gate_1.hooks, memory_order_acquire);
    if (hooks && device.type != CPU)
        hooks->reported(address, size, allocated, reserved, device.index < 0 ? 0 : device.index);
}

#define REPORT(function_, name_)                                                                   \
    void function_(void *address, int64_t size, int64_t allocated, int64_t reserved,               \
                   Device device)                                                                  \
    {                                                                                              \
        static Report *_Atomic real;                                                               \
        Report *found = atomic_load_explicit(&real, memory_order_acquire);                         \
        if (!found) {                                                                              \
            found = find_real(name_);                                                              \
            atomic_store_explicit(&real, found, memory_order_release);                             \
        }                                                                                          \
        tell(address, size, allocated, reserved, device);                                          \
        if (found)                                                                                 \
            found(address, size, allocated, reserved, device);                                     \
    }

REPORT(strobe_report_signed, SIGNED_NAME)
REPORT(strobe_report_unsigned, UNSIGNED_NAME)
