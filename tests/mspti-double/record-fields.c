/* SPDX-License-Identifier: Apache-2.0 */
#include "record-fields.h"

#include <stdio.h>
#include <string.h>

void put_32(uint8_t *record, size_t at, uint32_t value)
{
    memcpy(record + at, &value, 4);
}

void put_64(uint8_t *record, size_t at, uint64_t value)
{
    memcpy(record + at, &value, 8);
}

void put_text(uint8_t *record, size_t at, const char *text, int is_name)
{
    static char *texts[4096];
    static int n;
    char whole[512];
    const char *found = NULL;

    if (strcmp(text, "NULL") != 0) {
        snprintf(whole, sizeof whole, "%s%s", is_name ? "simulated " : "",
                 strcmp(text, "-") ? text : "");
        if (!strcmp(text, "-"))
            whole[0] = '\0';
        for (int i = 0; i < n && !found; i++)
            if (strcmp(texts[i], whole) == 0)
                found = texts[i];
        if (!found && n < 4096)
            found = texts[n++] = strdup(whole);
    }
    memcpy(record + at, &found, sizeof found);
}

void fill_kernel(uint8_t *record, uint32_t device, uint32_t stream, uint64_t correlation,
                 const char *type, const char *name, uint64_t begin, uint64_t end)
{
    put_32(record, 0, 2);
    put_64(record, 4, begin);
    put_64(record, 12, end);
    put_32(record, 20, device);
    put_32(record, 24, stream);
    put_64(record, 28, correlation);
    put_text(record, 36, type, 0);
    put_text(record, 44, name, 1);
}

void fill_call(uint8_t *record, uint32_t kind, uint32_t thread, uint64_t correlation,
               const char *name, uint64_t begin, uint64_t end)
{
    put_32(record, 0, kind);
    put_64(record, 4, begin);
    put_64(record, 12, end);
    put_32(record, 20, 4711);
    put_32(record, 24, thread);
    put_64(record, 28, correlation);
    put_text(record, 36, name, 1);
}

void fill_communication(uint8_t *record, uint32_t device, uint32_t stream, uint64_t correlation,
                        const char *name, const char *group, uint64_t begin, uint64_t end)
{
    put_32(record, 0, 9);
    put_32(record, 16, device);
    put_32(record, 20, stream);
    put_64(record, 24, begin);
    put_64(record, 32, end);
    put_text(record, 48, name, 1);
    put_text(record, 56, group, 0);
    put_64(record, 64, correlation);
}

void fill_external(uint8_t *record, uint32_t id_type, uint64_t id, uint64_t correlation)
{
    put_32(record, 0, 8);
    put_32(record, 4, id_type);
    put_64(record, 8, id);
    put_64(record, 16, correlation);
}
