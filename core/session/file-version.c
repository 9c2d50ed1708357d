/* SPDX-License-Identifier: Apache-2.0 */
#include "file-version.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "testpoint.h"
#include "trusted-file.h"

/* If a file changed less than this time ago, it may change again and keep the same time, because
 * the clock of a file system may tick only every 10 ms. */
#define FRESH_NS 20000000

StrobeFileVersion strobe_file_version_of(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        return (StrobeFileVersion){.error = (uint64_t)errno};
    return (StrobeFileVersion){
        .mtime_ns = (gint64)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
        .size = st.st_size,
        .inode = st.st_ino,
    };
}

static gboolean is_same(const StrobeFileVersion *a, const StrobeFileVersion *b)
{
    return a->mtime_ns == b->mtime_ns && a->size == b->size && a->inode == b->inode &&
           a->error == b->error;
}

static gboolean is_fresh(const StrobeFileVersion *version)
{
    return version->error == 0 && ABS(g_get_real_time() * 1000 - version->mtime_ns) < FRESH_NS;
}

/* Reads at most `max` bytes; returns their number, or -1 with errno. */
static gssize read_bytes(int file, char *bytes, gsize max)
{
    gsize n = 0;
    ssize_t more = 1;

    while (n < max && more > 0) {
        more = read(file, bytes + n, max - n);
        if (more > 0)
            n += (gsize)more;
    }
    return more < 0 ? -1 : (gssize)n;
}

static StrobeFileChange refuse_file(char *reason, char **text, size_t *length)
{
    *text = reason;
    *length = strlen(reason);
    return STROBE_FILE_REFUSED;
}

static StrobeFileChange read_file(const char *path, char **text, size_t *length)
{
    g_autofree char *bytes = g_malloc(STROBE_FILE_BYTES_MAX + 1);
    char *fault = NULL;
    int file = strobe_trusted_open(path, &fault);

    if (file < 0) {
        char *reason = g_strdup_printf("%s is refused: %s", path, fault);
        free(fault);
        return refuse_file(reason, text, length);
    }
    const gssize n = read_bytes(file, bytes, STROBE_FILE_BYTES_MAX + 1);
    const int failed = n < 0 ? errno : 0;
    close(file);
    if (failed)
        return refuse_file(g_strdup_printf("%s: %s", path, g_strerror(failed)), text, length);
    if ((gsize)n > STROBE_FILE_BYTES_MAX)
        return refuse_file(g_strdup_printf("%s: more than 1 MiB", path), text, length);
    *text = g_steal_pointer(&bytes);
    *length = (gsize)n;
    return STROBE_FILE_CHANGED;
}

static StrobeFileChange read_version(const char *path, const StrobeFileVersion *version,
                                     char **text, size_t *length)
{
    if (version->error == 0)
        return read_file(path, text, length);
    if (version->error != ENOENT && version->error != ENOTDIR)
        return refuse_file(g_strdup_printf("%s: %s", path, g_strerror((int)version->error)), text,
                           length);
    *text = g_strdup_printf("%s is missing; Strobe continues to look for it", path);
    *length = strlen(*text);
    return STROBE_FILE_MISSING;
}

StrobeFileChange strobe_file_version_look(const char *path, StrobeFileVersion *seen, char **text,
                                          size_t *length)
{
    const StrobeFileVersion now = strobe_file_version_of(path);

    *text = NULL;
    if (is_same(&now, seen) || is_fresh(&now))
        return STROBE_FILE_SAME;
    STROBE_TESTPOINT("file-version-found");
    StrobeFileChange change = read_version(path, &now, text, length);
    const StrobeFileVersion after = strobe_file_version_of(path);
    if (!is_same(&after, &now)) { /* a mixture of two versions */
        g_clear_pointer(text, g_free);
        return STROBE_FILE_SAME;
    }
    *seen = now;
    return change;
}
