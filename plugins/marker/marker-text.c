/* SPDX-License-Identifier: Apache-2.0 */
#include "marker-text.h"

#include <stdint.h>
#include <string.h>

static size_t encode_utf8(uint32_t c, char out[4])
{
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        c = 0xfffd;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf00u >> n & 0xff) | c);
    return n;
}

const char *text_of_wide(const wchar_t *wide, char *out, size_t size)
{
    size_t at = 0;

    if (!wide)
        return NULL;
    for (; *wide; wide++) {
        char bytes[4];
        size_t n = encode_utf8((uint32_t)*wide, bytes);
        if (at + n >= size)
            break;
        memcpy(out + at, bytes, n);
        at += n;
    }
    out[at] = '\0';
    return out;
}
