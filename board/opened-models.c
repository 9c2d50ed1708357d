/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name of a model that is loaded from memory: the name of the file that the thread has
 * read before. For this purpose the functions that open files are replaced; they store the last
 * path that ends in ".om". */
#include "board.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The values of O_CREAT and O_TMPFILE in fcntl.h. This header is not included, because on some
 * boards it gives these functions other names. */
#define CREATES 0100
#define TEMPORARY 020000000

static __thread char opened[SVP_PATH_MAX];

static void note_opened(const char *path)
{
    const size_t n = path ? strlen(path) : 0;

    if (n > 3 && n < sizeof opened && memcmp(path + n - 3, ".om", 3) == 0)
        memcpy(opened, path, n + 1);
}

const char *board_model_opened(void)
{
    return opened;
}

void board_model_forget_opened(void)
{
    opened[0] = 0;
}

/* Reads the argument for the mode, which a call has only with some flags. */
#define TAKE_MODE(flags_, mode_)                                                                   \
    unsigned mode_ = 0;                                                                            \
    if ((flags_) & (CREATES | TEMPORARY)) {                                                        \
        va_list more;                                                                              \
        va_start(more, flags_);                                                                    \
        mode_ = va_arg(more, unsigned);                                                            \
        va_end(more);                                                                              \
    }

enum { OPEN, OPEN64, OPENAT, OPENAT64, FOPEN, FOPEN64, FUNCTIONS };

static const char *const names[FUNCTIONS] = {"open",     "open64", "openat",
                                             "openat64", "fopen",  "fopen64"};
static void *next[FUNCTIONS];

static void *find_next(int function)
{
    void *found = __atomic_load_n(&next[function], __ATOMIC_RELAXED);

    if (__builtin_expect(!found, 0)) {
        found = board_runtime(names[function]);
        __atomic_store_n(&next[function], found, __ATOMIC_RELAXED);
    }
    return found;
}

/* Finds the original functions before main(), because a signal handler or a forked child may open
 * files, but must not call dlsym(). */
__attribute__((constructor)) static void find_all(void)
{
    for (int function = 0; function < FUNCTIONS; function++)
        find_next(function);
}

#define EXPORT(type_, name_, text_, ...)                                                           \
    __attribute__((visibility("default"))) type_ board_##name_(__VA_ARGS__) __asm__(text_);        \
    type_ board_##name_(__VA_ARGS__)

#define OPEN_PATH(name_, function_)                                                                \
    EXPORT(int, name_, #name_, const char *path, int flags, ...)                                   \
    {                                                                                              \
        int (*real)(const char *, int, ...) =                                                      \
            (int (*)(const char *, int, ...))find_next(function_);                                 \
        TAKE_MODE(flags, mode)                                                                     \
        const int fd = real(path, flags, mode);                                                    \
        if (fd >= 0)                                                                               \
            note_opened(path);                                                                     \
        return fd;                                                                                 \
    }

#define OPEN_AT(name_, function_)                                                                  \
    EXPORT(int, name_, #name_, int folder, const char *path, int flags, ...)                       \
    {                                                                                              \
        int (*real)(int, const char *, int, ...) =                                                 \
            (int (*)(int, const char *, int, ...))find_next(function_);                            \
        TAKE_MODE(flags, mode)                                                                     \
        const int fd = real(folder, path, flags, mode);                                            \
        if (fd >= 0)                                                                               \
            note_opened(path);                                                                     \
        return fd;                                                                                 \
    }

#define OPEN_STREAM(name_, function_)                                                              \
    EXPORT(void *, name_, #name_, const char *path, const char *mode)                              \
    {                                                                                              \
        void *(*real)(const char *, const char *) =                                                \
            (void *(*)(const char *, const char *))find_next(function_);                           \
        void *stream = real(path, mode);                                                           \
        if (stream)                                                                                \
            note_opened(path);                                                                     \
        return stream;                                                                             \
    }

OPEN_PATH(open, OPEN)
OPEN_PATH(open64, OPEN64)
OPEN_AT(openat, OPENAT)
OPEN_AT(openat64, OPENAT64)
OPEN_STREAM(fopen, FOPEN)
OPEN_STREAM(fopen64, FOPEN64)
