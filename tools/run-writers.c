/* SPDX-License-Identifier: Apache-2.0 */
#include "run-writers.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install-paths.h"
#include "run-link.h"
#include "writer-process.h"

void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder)
{
    g_autofree char *path = g_build_filename(folder, STROBE_RUN_WRITERS, NULL);

    writers->fifo = -1;
    writers->program = strobe_install_path_writer();
    /* Opened for writing too: otherwise each program that closes it would cause an end of file. */
    if (writers->program && mkfifo(path, 0600) == 0)
        writers->fifo = open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
}

void strobe_run_writers_start(const StrobeRunWriters *writers)
{
    char pool[STROBE_RUN_MESSAGE_BYTES];

    while (writers->fifo >= 0 && read(writers->fifo, pool, sizeof pool) == (ssize_t)sizeof pool)
        if (pool[0] == '/' && memchr(pool, 0, sizeof pool))
            strobe_writer_process_start_child(writers->program, pool);
}

void strobe_run_writers_end(StrobeRunWriters *writers)
{
    strobe_run_writers_start(writers);
    if (writers->fifo >= 0)
        close(writers->fifo);
    writers->fifo = -1;
    g_clear_pointer(&writers->program, g_free);
}
