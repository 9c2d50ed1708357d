/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces PyTorch's libc10: simulates its functions, and counts the reports of allocators. */
#include <stdatomic.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct Device {
    int8_t type, index;
} Device;

API atomic_long c10_double_n_reports, c10_double_bytes;

API void report(void *address, int64_t size, int64_t allocated, int64_t reserved,
                Device device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE");

void report(void *address, int64_t size, int64_t allocated, int64_t reserved, Device device)
{
    (void)address, (void)allocated, (void)reserved, (void)device;
    c10_double_n_reports++;
    c10_double_bytes += size;
}
