/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/utf8.h>

#include <stdint.h>

/* Returns the length of a character by its first byte, 0 if no character begins with this byte.
 * Sets the range of the second byte (further bytes are always 80..BF). From table 3-7 of the
 * Unicode standard. */
static int classify_lead(uint8_t byte, uint8_t *low, uint8_t *high)
{
    *low = 0x80;
    *high = 0xbf;
    if (byte >= 0xc2 && byte <= 0xdf)
        return 2;
    if (byte >= 0xe0 && byte <= 0xef) {
        if (byte == 0xe0)
            *low = 0xa0;
        if (byte == 0xed)
            *high = 0x9f; /* no surrogates */
        return 3;
    }
    if (byte >= 0xf0 && byte <= 0xf4) {
        if (byte == 0xf0)
            *low = 0x90;
        if (byte == 0xf4)
            *high = 0x8f;
        return 4;
    }
    return 0;
}

int strobe_utf8_next(const char *bytes, size_t length)
{
    const uint8_t *at = (const uint8_t *)bytes;
    uint8_t low, high;
    int size;

    if (at[0] < 0x80)
        return 1;
    size = classify_lead(at[0], &low, &high);
    if (!size)
        return -1;
    for (int i = 1; i < size; i++) {
        if ((size_t)i == length || at[i] < low || at[i] > high)
            return -i;
        low = 0x80;
        high = 0xbf;
    }
    return size;
}
