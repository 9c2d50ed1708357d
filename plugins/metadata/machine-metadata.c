/* SPDX-License-Identifier: Apache-2.0 */
#include "machine-metadata.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <strobe/helpers/interpreter.h>
#include "../torch_bridge/libtorch.h"

#define COMMAND_LINE_MAX (1024 * 1024)

static void give_text(StrobeMetadataEntrySink sink, void *user, const char *key, const char *value)
{
    if (value[0])
        sink(user, key, value, strlen(value), 0);
}

static void give_number(StrobeMetadataEntrySink sink, void *user, const char *key,
                        unsigned long long value)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", value);
    sink(user, key, digits, (size_t)length, 1);
}

/* Returns the contents of a small file; NULL: it cannot be read. */
static char *read_file(const char *path, size_t limit, size_t *length)
{
    char *text = malloc(limit);
    int descriptor = text ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = 1;
    *length = 0;
    while (descriptor >= 0 && *length < limit && n > 0) {
        n = read(descriptor, text + *length, limit - *length);
        *length += n > 0 ? (size_t)n : 0;
    }
    if (descriptor >= 0)
        close(descriptor);
    if (*length > 0)
        return text;
    free(text);
    return NULL;
}

static int is_plain_word(const char *word)
{
    return word[0] && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-+=:,./@%")] == '\0';
}

/* Appends a word, quoted for a shell if necessary. Returns the new length. */
static size_t append_word(char *out, size_t length, const char *word)
{
    int is_plain = is_plain_word(word);
    if (!is_plain)
        out[length++] = '\'';
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(out + length, "'\\'", 3);
            length += 3;
        }
        out[length++] = *word;
    }
    if (!is_plain)
        out[length++] = '\'';
    return length;
}

/* Passes the command line to `sink`: the arguments, joined by blanks. */
static void give_command_line(StrobeMetadataEntrySink sink, void *user)
{
    size_t size, length = 0, at = 0;
    char *words = read_file("/proc/self/cmdline", COMMAND_LINE_MAX - 1, &size);
    /* the maximum: each byte is a quote, or each word is empty */
    char *line = words ? malloc(size * 4 + 8) : NULL;
    char *ended = words ? realloc(words, size + 1) : NULL;
    if (ended)
        words = ended;
    if (line && ended) {
        words[size] = '\0';
        for (; at < size; at += strlen(words + at) + 1) {
            if (length)
                line[length++] = ' ';
            length = append_word(line, length, words + at);
        }
        sink(user, "command_line", line, length, 0);
    }
    free(line);
    free(words);
}

static void give_libc(StrobeMetadataEntrySink sink, void *user)
{
#if defined(__GLIBC__)
    char text[64];
    snprintf(text, sizeof text, "glibc %s", gnu_get_libc_version());
    give_text(sink, user, "libc_version", text);
#endif
}

static void give_machine(StrobeMetadataEntrySink sink, void *user)
{
    struct utsname names;
    struct sysinfo info;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&names) == 0) {
        give_text(sink, user, "host_name", names.nodename);
        give_text(sink, user, "kernel_release", names.release);
        give_text(sink, user, "machine", names.machine);
    }
    if (processors > 0)
        give_number(sink, user, "processors", (unsigned long long)processors);
    if (sysinfo(&info) == 0)
        give_number(sink, user, "memory_total", (unsigned long long)info.totalram * info.mem_unit);
}

void strobe_metadata_collect(StrobeMetadataEntrySink sink, void *user)
{
    char version[64];
    StrobeLibtorch libtorch;
    give_command_line(sink, user);
    give_machine(sink, user);
    give_libc(sink, user);
    strobe_interpreter_version(version, sizeof version);
    give_text(sink, user, "python_version", version);
    if (strobe_libtorch_find(&libtorch)) {
        give_text(sink, user, "torch_version", libtorch.version);
        give_text(sink, user, "torch_build_id", libtorch.id);
    }
}
