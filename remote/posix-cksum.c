/* SPDX-License-Identifier: Apache-2.0 */
#include "posix-cksum.h"

#include <errno.h>
#include <unistd.h>

#define POLYNOMIAL 0x04c11db7u

static const guint32 *find_table(void)
{
    static guint32 table[256];
    static gsize is_made;

    if (g_once_init_enter(&is_made)) {
        for (guint32 i = 0; i < 256; i++) {
            guint32 crc = i << 24;

            for (int bit = 0; bit < 8; bit++)
                crc = crc << 1 ^ (crc >> 31 ? POLYNOMIAL : 0);
            table[i] = crc;
        }
        g_once_init_leave(&is_made, 1);
    }
    return table;
}

void strobe_cksum_add(StrobeCksum *sum, const void *bytes, gsize length)
{
    const guint32 *table = find_table();
    const guint8 *byte = bytes;

    for (gsize i = 0; i < length; i++)
        sum->crc = sum->crc << 8 ^ table[(sum->crc >> 24 ^ byte[i]) & 0xff];
    sum->n_bytes += length;
}

/* Returns the checksum. It covers the added bytes and then their number, with the lowest byte first
 * and without leading zeros. */
guint32 strobe_cksum_value(const StrobeCksum *sum)
{
    const guint32 *table = find_table();
    guint32 crc = sum->crc;

    for (guint64 n = sum->n_bytes; n; n >>= 8)
        crc = crc << 8 ^ table[(crc >> 24 ^ n) & 0xff];
    return ~crc;
}

gboolean strobe_cksum_file(int file, guint32 *value, guint64 *n_bytes)
{
    g_autofree char *bytes = g_malloc(65536);
    StrobeCksum sum = {0};
    off_t at = 0;
    ssize_t n;

    while ((n = pread(file, bytes, 65536, at)) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        strobe_cksum_add(&sum, bytes, (gsize)n);
        at += n;
    }
    *value = strobe_cksum_value(&sum);
    *n_bytes = sum.n_bytes;
    return n == 0;
}
