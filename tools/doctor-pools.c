/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-checks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pool.h"
#include "terminal.h"

#define FOLDER "/dev/shm"

typedef struct AbandonedPools {
    guint n;
    guint64 bytes; /* memory that the pools use */
    char *first;   /* the first pool's name; NULL: there are none */
} AbandonedPools;

/* Whether the pool is in use. A running program and its writer lock their pool. */
static gboolean is_in_use(int fd)
{
    const StrobePool pool = {.fd = fd};

    return strobe_pool_has_program(&pool) || strobe_pool_has_writer(&pool);
}

static void look_at(const char *name, AbandonedPools *left)
{
    g_autofree char *path = g_build_filename(FOLDER, name, NULL);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0 && !is_in_use(fd)) {
        left->n++;
        left->bytes += (guint64)st.st_blocks * 512;
        if (!left->first)
            left->first = g_steal_pointer(&path);
    }
    close(fd);
}

void strobe_doctor_pools(StrobeDoctorReport *report)
{
    g_autoptr(GDir) folder = g_dir_open(FOLDER, 0, NULL);
    AbandonedPools left = {0};
    const char *name;

    while (folder && (name = g_dir_read_name(folder)))
        if (g_str_has_prefix(name, "strobe-") && g_str_has_suffix(name, ".pool"))
            look_at(name, &left);
    if (left.n > 0) {
        g_autofree char *bytes = strobe_text_bytes(left.bytes);
        g_autofree char *others = left.n > 1 ? g_strdup_printf(" and %u more", left.n - 1) : NULL;
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "buffers left behind",
                          "run strobe analyse, which adds the records in a buffer to its result; "
                          "then remove the files (strobe-PROCESS-*.pool)",
                          "%s in memory, of programs that were killed: %s%s", bytes, left.first,
                          others ? others : "");
    }
    g_free(left.first);
}
