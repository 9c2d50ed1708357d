/* SPDX-License-Identifier: Apache-2.0 */
#include "python-text.h"

#include <string.h>

#define REPLACEMENT 0xfffdu

/* Bits of a str object's state. The two lowest bits say whether it is interned; the next three bits
 * are the number of bytes of a character. */
#define KIND_SHIFT 2
#define KIND_MASK 7u
#define IS_COMPACT (1u << 5)
#define IS_ASCII (1u << 6)

static uint32_t character_at(const unsigned char *characters, size_t i, uint32_t width)
{
    uint32_t value = 0;

    memcpy(&value, characters + i * width, width);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value >>= 8 * (4 - width);
#endif
    return value > 0x10ffff || (value >= 0xd800 && value < 0xe000) || value == 0 ? REPLACEMENT
                                                                                 : value;
}

/* Writes the character as UTF-8, in at most 4 bytes. Returns the number of bytes. */
static size_t write_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

int python_text_read(ProcessMemory *memory, const PythonLayout *layout, uint64_t object, char *text,
                     size_t size)
{
    unsigned char characters[PYTHON_TEXT_MAX * 4];
    uint64_t length;
    uint32_t state;
    size_t used = 0;

    if (process_memory_word(memory, object + layout->text_length, &length) != 0 ||
        process_memory_half(memory, object + layout->text_state, &state) != 0)
        return -1;
    const uint32_t width = state >> KIND_SHIFT & KIND_MASK;
    if (!(state & IS_COMPACT) || (width != 1 && width != 2 && width != 4))
        return -1;
    if (length > PYTHON_TEXT_MAX)
        length = PYTHON_TEXT_MAX;
    object += state & IS_ASCII ? layout->text_ascii : layout->text_other;
    if (length && memory->read(memory->user, object, characters, length * width) != 0)
        return -1;
    for (size_t i = 0; i < length && used + 5 <= size; i++)
        used += write_utf8(text + used, character_at(characters, i, width));
    text[used] = 0;
    return (int)used;
}
