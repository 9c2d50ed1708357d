/* SPDX-License-Identifier: Apache-2.0 */
#include "record-lines.h"

#include <stdio.h>
#include <string.h>

#include "record-fields.h"

typedef unsigned long long Number;

static int make_kernel(const char *line, uint64_t base, uint8_t *record)
{
    unsigned device, stream;
    char type[128], name[256];
    Number correlation, begin, duration;

    if (sscanf(line, "%u %u %llu %127s %255s %llu %llu", &device, &stream, &correlation, type, name,
               &begin, &duration) != 7)
        return -1;
    fill_kernel(record, device, stream, correlation, type, name, base + begin,
                base + begin + duration);
    return 2;
}

static int make_api(const char *line, uint64_t base, uint8_t *record)
{
    unsigned kind, thread;
    char name[256];
    Number correlation, begin, duration;

    if (sscanf(line, "%u %u %llu %255s %llu %llu", &kind, &thread, &correlation, name, &begin,
               &duration) != 6)
        return -1;
    fill_call(record, kind, thread, correlation, name, base + begin, base + begin + duration);
    return kind == 3 || (kind >= 10 && kind <= 12) ? (int)kind : -1;
}

static int make_comm(const char *line, uint64_t base, uint8_t *record)
{
    unsigned device, stream;
    int type;
    char name[256], group[256], algorithm[64];
    Number correlation, count, begin, duration;

    if (sscanf(line, "%u %u %llu %255s %255s %63s %d %llu %llu %llu", &device, &stream,
               &correlation, name, group, algorithm, &type, &count, &begin, &duration) != 10)
        return -1;
    fill_communication(record, device, stream, correlation, name, group, base + begin,
                       base + begin + duration);
    put_32(record, 4, (uint32_t)type);
    put_64(record, 8, count);
    put_text(record, 40, algorithm, 0);
    return 9;
}

static int make_hccl(const char *line, uint64_t base, uint8_t *record)
{
    unsigned device, stream;
    double bandwidth;
    char name[256], group[256];
    Number begin, duration;

    if (sscanf(line, "%u %u %255s %255s %lf %llu %llu", &device, &stream, name, group, &bandwidth,
               &begin, &duration) != 7)
        return -1;
    put_32(record, 0, 4);
    put_64(record, 4, base + begin);
    put_64(record, 12, base + begin + duration);
    put_32(record, 20, device);
    put_32(record, 24, stream);
    memcpy(record + 28, &bandwidth, 8);
    put_text(record, 36, name, 1);
    put_text(record, 44, group, 0);
    return 4;
}

static int make_marker(const char *line, uint64_t base, uint8_t *record)
{
    unsigned flag, source, a, b;
    char name[256], domain[256];
    Number id, at;

    if (sscanf(line, "%u %u %llu %u %u %255s %255s %llu", &flag, &source, &id, &a, &b, name, domain,
               &at) != 8)
        return -1;
    put_32(record, 0, 1);
    put_32(record, 4, flag);
    put_32(record, 8, source);
    put_64(record, 12, base + at);
    put_64(record, 20, id);
    put_32(record, 28, a);
    put_32(record, 32, b);
    put_text(record, 36, name, 1);
    put_text(record, 44, domain, 0);
    return 1;
}

static int make_memory(const char *line, uint64_t base, uint8_t *record)
{
    unsigned operation, device, stream;
    Number address, bytes, begin, duration;

    if (sscanf(line, "%u %u %u %llu %llu %llu %llu", &operation, &device, &stream, &address, &bytes,
               &begin, &duration) != 7)
        return -1;
    put_32(record, 0, 5);
    put_32(record, 4, operation);
    put_32(record, 8, 1);
    put_64(record, 20, base + begin);
    put_64(record, 28, base + begin + duration);
    put_64(record, 36, address);
    put_64(record, 44, bytes);
    put_32(record, 52, 4711);
    put_32(record, 56, device);
    put_32(record, 60, stream);
    return 5;
}

/* Makes the record of a memset or memcpy. The layouts differ only in one field: the value of a
 * memset is in the place of a memcpy's direction. */
static int make_copy(const char *line, uint64_t base, uint8_t *record, int kind)
{
    unsigned device, stream, value, is_async;
    Number correlation, bytes, begin, duration;

    if (sscanf(line, "%u %u %llu %u %llu %u %llu %llu", &device, &stream, &correlation, &value,
               &bytes, &is_async, &begin, &duration) != 8)
        return -1;
    put_32(record, 0, (uint32_t)kind);
    put_32(record, 4, value);
    put_64(record, 8, bytes);
    put_64(record, 16, base + begin);
    put_64(record, 24, base + begin + duration);
    put_32(record, 32, device);
    put_32(record, 36, stream);
    put_64(record, 40, correlation);
    record[48] = (uint8_t)is_async;
    return kind;
}

static int make_external(const char *line, uint8_t *record)
{
    unsigned id_type;
    Number id, correlation;

    if (sscanf(line, "%u %llu %llu", &id_type, &id, &correlation) != 3)
        return -1;
    fill_external(record, id_type, id, correlation);
    return 8;
}

int record_of_line(const char *line, uint64_t base, uint8_t *record)
{
    char word[32];
    int length = 0;

    if (sscanf(line, "%31s %n", word, &length) != 1)
        return -1;
    line += length;
    if (!strcmp(word, "kernel"))
        return make_kernel(line, base, record);
    if (!strcmp(word, "api"))
        return make_api(line, base, record);
    if (!strcmp(word, "comm"))
        return make_comm(line, base, record);
    if (!strcmp(word, "hccl"))
        return make_hccl(line, base, record);
    if (!strcmp(word, "marker"))
        return make_marker(line, base, record);
    if (!strcmp(word, "memory"))
        return make_memory(line, base, record);
    if (!strcmp(word, "memset") || !strcmp(word, "memcpy"))
        return make_copy(line, base, record, word[3] == 's' ? 6 : 7);
    if (!strcmp(word, "external"))
        return make_external(line, record);
    return -1;
}
