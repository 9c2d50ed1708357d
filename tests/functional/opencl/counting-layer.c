/* SPDX-License-Identifier: Apache-2.0 */
/* The layer of another tool: counts launches, and writes their number to COUNTING_LAYER_FILE. It
 * treats the loader's table as an array. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCH 59 /* index of clEnqueueNDRangeKernel in the table */
#define ENTRIES 149

typedef int32_t Launch(void *queue, void *kernel, uint32_t n, const size_t *offset,
                       const size_t *global, const size_t *local, uint32_t n_waits,
                       void *const *waits, void **event);

__attribute__((visibility("default"))) int32_t clGetLayerInfo(uint32_t name, size_t size,
                                                              void *value, size_t *size_ret);
__attribute__((visibility("default"))) int32_t clInitLayer(uint32_t n, void *const *target,
                                                           uint32_t *n_ret, void *const **layer);

static void *table[ENTRIES];
static Launch *below;
static int n_launches;

static int32_t count_launch(void *queue, void *kernel, uint32_t n, const size_t *offset,
                            const size_t *global, const size_t *local, uint32_t n_waits,
                            void *const *waits, void **event)
{
    n_launches++;
    return below(queue, kernel, n, offset, global, local, n_waits, waits, event);
}

int32_t clGetLayerInfo(uint32_t name, size_t size, void *value, size_t *size_ret)
{
    if (name != 0x4240 || (value && size < sizeof(uint32_t)))
        return -30;
    if (value)
        *(uint32_t *)value = 100;
    if (size_ret)
        *size_ret = sizeof(uint32_t);
    return 0;
}

int32_t clInitLayer(uint32_t n, void *const *target, uint32_t *n_ret, void *const **layer)
{
    *n_ret = n < ENTRIES ? n : ENTRIES;
    memcpy(table, target, *n_ret * sizeof *table);
    below = (Launch *)(uintptr_t)table[LAUNCH];
    table[LAUNCH] = (void *)(uintptr_t)count_launch;
    *layer = table;
    return 0;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("COUNTING_LAYER_FILE");
    FILE *file = path && below ? fopen(path, "w") : NULL;

    if (!file)
        return;
    fprintf(file, "%d\n", n_launches);
    fclose(file);
}
