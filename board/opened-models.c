/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the name of a model that is loaded from memory. Only the file that its thread has read has
 * a name: so the functions that open files keep the path of the last one that ends in ".om". */
#include "board.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The values of fcntl.h, which is not included: with it these functions have other names on some
 * boards. */
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

/* Reads the argument for the mode, which only some flags have. */
#define TAKE_MODE(flags_, mode_)                                                                   \
    unsigned mode_ = 0;                                                                            \
    if ((flags_) & (CREATES | TEMPORARY)) {                                                        \
        va_list more;                                                                              \
        va_start(more, flags_);                                                                    \
        mode_ = va_arg(more, unsigned);                                                            \
        va_end(more);                                                                              \
    }

/* Finds the next function of that name. */
#define NEXT(type_, name_, parameters_)                                                            \
    static type_(*_Atomic next) parameters_;                                                       \
    type_(*real) parameters_ = __atomic_load_n(&next, __ATOMIC_RELAXED);                           \
    if (__builtin_expect(!real, 0)) {                                                              \
        real = (type_(*) parameters_)board_runtime(name_);                                         \
        __atomic_store_n(&next, real, __ATOMIC_RELAXED);                                           \
    }

#define EXPORT(type_, name_, text_, ...)                                                           \
    __attribute__((visibility("default"))) type_ board_##name_(__VA_ARGS__) __asm__(text_);        \
    type_ board_##name_(__VA_ARGS__)

#define OPEN(name_)                                                                                \
    EXPORT(int, name_, #name_, const char *path, int flags, ...)                                   \
    {                                                                                              \
        NEXT(int, #name_, (const char *, int, ...))                                                \
        TAKE_MODE(flags, mode)                                                                     \
        const int fd = real(path, flags, mode);                                                    \
        if (fd >= 0)                                                                               \
            note_opened(path);                                                                     \
        return fd;                                                                                 \
    }

#define OPEN_AT(name_)                                                                             \
    EXPORT(int, name_, #name_, int folder, const char *path, int flags, ...)                       \
    {                                                                                              \
        NEXT(int, #name_, (int, const char *, int, ...))                                           \
        TAKE_MODE(flags, mode)                                                                     \
        const int fd = real(folder, path, flags, mode);                                            \
        if (fd >= 0)                                                                               \
            note_opened(path);                                                                     \
        return fd;                                                                                 \
    }

#define OPEN_STREAM(name_)                                                                         \
    EXPORT(void *, name_, #name_, const char *path, const char *mode)                              \
    {                                                                                              \
        NEXT(void *, #name_, (const char *, const char *))                                         \
        void *stream = real(path, mode);                                                           \
        if (stream)                                                                                \
            note_opened(path);                                                                     \
        return stream;                                                                             \
    }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)
OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)
