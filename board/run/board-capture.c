/* SPDX-License-Identifier: Apache-2.0 */
#include "board-capture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board-marks.h"
#include "board-report.h"
#include "capture-file.h"
#include "capture-format.h"
#include "capture-metadata.h"
#include "diagnostic.h"
#include "recorder.h"

#define COMMAND_BYTES 4096

/* descriptor of the pool for the program, which opens it to record marks; -1: none */
static int pool_file = -1;

static int open_recorder(const BoardPlan *plan, pid_t pid)
{
    const StrobeRecorderSettings settings = {
        .pool_bytes = (size_t)plan->pool_bytes,
        .program = pid,
        .writer = {.policy = plan->blocks ? STROBE_POLICY_BLOCK : STROBE_POLICY_DROP,
                   .sync = plan->sync,
                   .flush_interval_ns = plan->flush_ns},
        .fallback_dir = plan->folder};
    char id[33];
    int is_tmpfs;
    const int error = strobe_recorder_open(&settings);

    if (error)
        return error;
    /* threads of this process use the writer's thread buffers; the others are for the program's
     * marks */
    strobe_recorder_share();
    if (plan->marks)
        pool_file = open(strobe_recorder_pool(&is_tmpfs, id), O_RDWR | O_CLOEXEC);
    /* Removes the pool's name, so that the file cannot stay behind if this process is killed. */
    unlink(strobe_recorder_pool(&is_tmpfs, id));
    return 0;
}

/* Writes the file that contains the path of the pool and the number of the window. The first
 * process of the program that reads the file removes it, and records its marks in the pool. */
static void offer_pool(const BoardPlan *plan)
{
    char path[PATH_MAX], text[64];
    int fd;

    snprintf(path, sizeof path, "%.4000s/" BOARD_MARKS_FILE, plan->folder);
    snprintf(text, sizeof text, "/proc/%d/fd/%d %u\n", (int)getpid(), pool_file,
             strobe_recorder_window());
    fd = pool_file < 0 ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        board_report("Marks of the program are not recorded: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* Joins the arguments with blanks in `text`, and truncates the result if it is too long. */
static void join_command(char **command, char text[COMMAND_BYTES])
{
    size_t n = 0;

    text[0] = 0;
    for (; *command && n < COMMAND_BYTES - 1; command++) {
        const int added = snprintf(text + n, COMMAND_BYTES - n, "%s%s", n ? " " : "", *command);
        n += added > 0 ? (size_t)added : 0;
    }
}

static void make_path(const BoardPlan *plan, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/" BOARD_CAPTURE_NAME, plan->folder);
}

static int begin_window(const BoardPlan *plan, pid_t pid)
{
    char path[PATH_MAX], made[PATH_MAX + 8], command[COMMAND_BYTES];
    char *metadata;
    int fd, error;

    make_path(plan, path);
    snprintf(made, sizeof made, "%s" STROBE_CAPTURE_UNNAMED, path);
    join_command(plan->command, command);
    metadata = board_capture_metadata(pid, command, plan->metadata);
    if (!metadata)
        return ENOMEM;
    fd = open(made, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    error = fd < 0 ? errno : strobe_recorder_begin_window(fd, path, metadata);
    free(metadata);
    if (error) {
        unlink(made);
        unlink(path);
    }
    return error;
}

int board_capture_begin(const BoardPlan *plan, pid_t pid)
{
    int error = open_recorder(plan, pid);

    if (!error) {
        error = begin_window(plan, pid);
        if (error)
            strobe_recorder_close();
        else if (plan->marks)
            offer_pool(plan);
    }
    if (error)
        board_report("Nothing is recorded: %s: %s", plan->folder, strerror(error));
    return !error;
}

void board_capture_end(void)
{
    const int error = strobe_recorder_end_window(-1);

    strobe_recorder_close();
    if (error)
        board_report("The capture is incomplete: %s", strerror(error));
}

void board_capture_discard(const BoardPlan *plan)
{
    char path[PATH_MAX];

    strobe_recorder_end_window(-1);
    strobe_recorder_close();
    make_path(plan, path);
    unlink(path);
}
