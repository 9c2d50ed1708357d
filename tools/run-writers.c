/* SPDX-License-Identifier: Apache-2.0 */
#include "run-writers.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside-process.h"
#include "install-paths.h"
#include "run-link.h"
#include "writer-state.h"

void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder)
{
    g_autofree char *path = g_build_filename(folder, STROBE_RUN_WRITERS, NULL);

    writers->fifo = -1;
    writers->folder = g_strdup(folder);
    writers->pools = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    writers->program = strobe_install_path_writer();
    /* The FIFO is opened for writing too, because otherwise reading would reach its end when the
     * last program closes it. */
    if (writers->program && mkfifo(path, 0600) == 0)
        writers->fifo = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
}

static void start_writer(StrobeRunWriters *writers, const char *pool)
{
    const StrobeBesideProcess writer = {
        .name = STROBE_WRITER_NAME, .arguments = {pool}, .descriptor = -1};
    pid_t pid = 0;

    if (strobe_beside_process_start_child(writers->program, &writer, &pid) == 0)
        g_hash_table_replace(writers->pools, GINT_TO_POINTER(pid), g_strdup(pool));
    else
        strobe_run_refuse_writer(writers->folder, pool);
}

void strobe_run_writers_start(StrobeRunWriters *writers)
{
    char pool[STROBE_RUN_MESSAGE_BYTES];

    while (writers->fifo >= 0 && read(writers->fifo, pool, sizeof pool) == (ssize_t)sizeof pool)
        if (pool[0] == '/' && memchr(pool, 0, sizeof pool))
            start_writer(writers, pool);
}

void strobe_run_writers_reaped(StrobeRunWriters *writers, pid_t pid, int status)
{
    const char *pool = g_hash_table_lookup(writers->pools, GINT_TO_POINTER(pid));

    if (pool && status != 0)
        strobe_run_refuse_writer(writers->folder, pool);
    g_hash_table_remove(writers->pools, GINT_TO_POINTER(pid));
}

void strobe_run_writers_end(StrobeRunWriters *writers)
{
    strobe_run_writers_start(writers);
    if (writers->fifo >= 0)
        close(writers->fifo);
    writers->fifo = -1;
    g_clear_pointer(&writers->program, g_free);
    g_clear_pointer(&writers->folder, g_free);
    g_clear_pointer(&writers->pools, g_hash_table_unref);
}
