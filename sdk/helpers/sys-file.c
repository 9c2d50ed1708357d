/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/sys-file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/descriptor.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int strobe_sys_open_at(int folder, const char *name)
{
    struct stat status;
    /* With O_NONBLOCK open does not wait for a writer if the name is that of a FIFO. */
    int descriptor =
        strobe_descriptor_aside(openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));

    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        return descriptor;
    close(descriptor);
    errno = EINVAL;
    return -1;
}

int strobe_sys_open(const char *root, const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", root, name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return strobe_sys_open_at(AT_FDCWD, path);
}

void strobe_sys_close(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static ssize_t read_from(int descriptor, char *text, size_t size, off_t offset)
{
    ssize_t n;

    do
        n = pread(descriptor, text, size, offset);
    while (n < 0 && errno == EINTR);
    return n;
}

int strobe_sys_read(int descriptor, char *text, size_t size)
{
    ssize_t n = descriptor < 0 ? -1 : read_from(descriptor, text, size - 1, 0);

    if (n <= 0)
        return -1;
    text[n] = '\0';
    return (int)n;
}

int strobe_sys_read_lines(int descriptor, char *text, size_t size)
{
    size_t length = 0;
    ssize_t n = -1;

    while (descriptor >= 0 && length < size - 1 &&
           (n = read_from(descriptor, text + length, size - 1 - length, (off_t)length)) > 0)
        length += (size_t)n;
    if (n < 0 || length == 0)
        return -1;
    while (length == size - 1 && length > 0 && text[length - 1] != '\n')
        text[--length] = '\0';
    text[length] = '\0';
    return (int)length;
}

int strobe_sys_read_at(int folder, const char *name, char *text, size_t size)
{
    int descriptor = strobe_sys_open_at(folder, name);
    int length = strobe_sys_read(descriptor, text, size);

    strobe_sys_close(&descriptor);
    return length;
}

int strobe_sys_read_path(const char *root, const char *name, char *text, size_t size)
{
    int descriptor = strobe_sys_open(root, name);
    int length = strobe_sys_read(descriptor, text, size);

    strobe_sys_close(&descriptor);
    return length;
}

struct folder_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

void strobe_sys_each(int folder, int (*take)(void *user, const char *name), void *user)
{
    char buffer[16384] __attribute__((aligned(8)));
    long n;

    if (lseek(folder, 0, SEEK_SET) != 0)
        return;
    while ((n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct folder_entry *entry = (const void *)(buffer + at);
            if (entry->name[0] != '.' && take(user, entry->name) != 0)
                return;
            at += entry->size;
        }
}

int strobe_sys_number(const char **at, uint64_t *value)
{
    const char *digit = *at;
    uint64_t number = 0;

    while (*digit == ' ' || *digit == '\t')
        digit++;
    if (*digit < '0' || *digit > '9')
        return -1;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*digit - '0'), &number))
            return -1;
    *at = digit;
    *value = number;
    return 0;
}

int strobe_sys_skip(const char **at, unsigned n)
{
    for (; n > 0; n--) {
        *at += strspn(*at, " \t");
        size_t length = strcspn(*at, " \t\n");
        if (length == 0)
            return -1;
        *at += length;
    }
    return 0;
}

const char *strobe_sys_next_line(const char *text)
{
    const char *end = strchr(text, '\n');

    return end && end[1] ? end + 1 : NULL;
}

const char *strobe_sys_after(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (; text; text = strobe_sys_next_line(text))
        if (strncmp(text, key, length) == 0)
            return text + length;
    return NULL;
}

int strobe_sys_field(const char *text, const char *key, uint64_t *value)
{
    const char *at = strobe_sys_after(text, key);

    return at ? strobe_sys_number(&at, value) : -1;
}
