/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/native-frame.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

size_t strobe_native_frame_write(char *text, size_t size, const char *path,
                                 const StrobeBuildId *build_id, uint64_t address)
{
    char tail[32 + 2 * STROBE_BUILD_ID_MAX];
    size_t length = (size_t)snprintf(tail, sizeof tail, "+0x%llx", (unsigned long long)address);

    if (build_id->size)
        tail[length++] = '@';
    for (uint32_t i = 0; i < build_id->size; i++) {
        tail[length++] = digits[build_id->bytes[i] >> 4];
        tail[length++] = digits[build_id->bytes[i] & 15];
    }
    tail[length] = '\0';
    if (strlen(path) + length >= size && strrchr(path, '/'))
        path = strrchr(path, '/') + 1;
    int written = snprintf(text, size, "%s%s", path, tail);
    return (size_t)written < size ? (size_t)written : size - 1;
}

static int digit_of(char c)
{
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Returns the position of the first of the hexadecimal digits before `end`; `end` if there are
 * none. */
static size_t begin_of_digits(const char *text, size_t end)
{
    while (end > 0 && digit_of(text[end - 1]) >= 0)
        end--;
    return end;
}

static int read_build_id(const char *text, size_t length, StrobeBuildId *build_id)
{
    if (length == 0 || length % 2 || length > 2 * STROBE_BUILD_ID_MAX)
        return 0;
    build_id->size = (uint32_t)(length / 2);
    for (size_t i = 0; i < length / 2; i++)
        build_id->bytes[i] = (uint8_t)(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
    return 1;
}

int strobe_native_frame_read(const char *text, size_t length, StrobeNativeFrame *frame)
{
    memset(frame, 0, sizeof *frame);
    if (length == 0 || text[0] != '/')
        return 0;
    size_t end = length, begin = begin_of_digits(text, length);
    if (text[begin - 1] == '@') {
        if (!read_build_id(text + begin, end - begin, &frame->build_id))
            return 0;
        end = begin - 1;
        begin = begin_of_digits(text, end);
    }
    if (begin == end || end - begin > 16 || begin < 5 || memcmp(text + begin - 3, "+0x", 3) != 0)
        return 0;
    for (size_t i = begin; i < end; i++)
        frame->address = frame->address << 4 | (uint64_t)digit_of(text[i]);
    frame->path = text;
    frame->path_length = begin - 3;
    return 1;
}

/* Reads the decimal number that ends before `end`; returns its begin, `end` if there is none. */
static size_t read_line_number(const char *text, size_t end, uint32_t *line)
{
    size_t begin = end;
    uint64_t value = 0;

    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
        begin--;
    for (size_t i = begin; i < end && value <= UINT32_MAX; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    *line = value <= UINT32_MAX ? (uint32_t)value : 0;
    return begin;
}

/* Reads "file(line): function". The function is after the last "): " that follows a number in
 * parentheses. */
static int read_python_parts(const char *text, size_t length, StrobeFrameParts *parts)
{
    for (size_t at = length; at >= 3; at--) {
        if (memcmp(text + at - 3, "): ", 3) != 0)
            continue;
        size_t begin = read_line_number(text, at - 3, &parts->line);
        if (begin < at - 3 && begin > 1 && text[begin - 1] == '(') {
            parts->file = text;
            parts->file_length = begin - 1;
            return 1;
        }
    }
    parts->line = 0;
    return 0;
}

StrobeFrameParts strobe_frame_parts(const char *text, size_t length)
{
    StrobeFrameParts parts = {.function_length = length};
    uint32_t line;
    size_t begin = read_line_number(text, length, &line), at;

    if (begin == length || begin == 0 || text[begin - 1] != ':') {
        read_python_parts(text, length, &parts);
        return parts;
    }
    for (at = begin - 1; at >= 2 && memcmp(text + at - 2, ") ", 2) != 0;)
        at--;
    if (at < 2)
        return parts;
    parts.function_length = at - 1;
    parts.file = text + at;
    parts.file_length = begin - 1 - at;
    parts.line = line;
    return parts;
}

int strobe_build_id_find(const void *notes, size_t size, StrobeBuildId *build_id)
{
    const char *at = notes;
    Elf64_Nhdr note; /* the same layout as in 32-bit objects */

    build_id->size = 0;
    while (size >= sizeof note) {
        memcpy(&note, at, sizeof note);
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        size_t value = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > size - sizeof note || value > size - sizeof note - name)
            return 0;
        at += sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at, "GNU", 4) == 0 &&
            note.n_descsz > 0 && note.n_descsz <= STROBE_BUILD_ID_MAX) {
            build_id->size = note.n_descsz;
            memcpy(build_id->bytes, at + name, note.n_descsz);
            return 1;
        }
        at += name + value;
        size -= sizeof note + name + value;
    }
    return 0;
}
