/* SPDX-License-Identifier: Apache-2.0 */
/* dump FOLDER [REPEATS]: measures the ms of the dump of a full ring of 64 MB while a thread records
 * as fast as it can, and the share of the thread's records during the dump that are lost because no
 * block is free. The floor is the ms of a write of as many bytes to the same folder. */
#include <pthread.h>
#include <recorder.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "measure.h"

#define FULL 5000000 /* number of spans that fill the ring twice */

static _Atomic int is_stopped;
static _Atomic uint64_t n_recorded;

static void *record_spans(void *unused)
{
    for (uint64_t i = 0; !is_stopped; i++) {
        strobe_range_end(strobe_range_begin_argument("benchmark", i));
        if (i % 1000 == 0)
            n_recorded = i;
    }
    return unused;
}

static uint64_t n_lost(void)
{
    uint64_t lost[STROBE_LOSS_CAUSES];

    strobe_recorder_losses(lost);
    return lost[STROBE_LOSS_POOL_EMPTY];
}

/* Returns the size of a dump, and removes the dump. */
static double take_capture(const char *directory)
{
    char path[4096];
    struct stat st;

    if (snprintf(path, sizeof path, "%s/FRAMEWORK/capture.strobe", directory) >= (int)sizeof path ||
        stat(path, &st))
        fail(directory, "no capture");
    unlink(path);
    return (double)st.st_size;
}

static void measure_dumps(StrobeSession *session, const char *folder, long repeats)
{
    static Samples own = {.name = "own"}, floor = {.name = "floor"}, bytes = {.name = "bytes"},
                   offered = {.name = "offered"};

    for (long i = 0; i < repeats; i++) {
        const char *directory;
        StrobeError *error = NULL;
        uint64_t before = n_recorded;
        double begin = now_ns();

        if (strobe_session_dump(session, NULL, &directory, &error))
            fail("dump", strobe_error_message(error));
        samples_add(&own, (now_ns() - begin) / 1e6);
        samples_add(&offered, (double)(n_recorded - before));
        samples_add(&bytes, take_capture(directory));
        samples_add(&floor, plain_write(folder, bytes.values[i]) / 1e6);
    }
    samples_print(&own);
    samples_print(&floor);
    samples_print(&bytes);
    samples_print(&offered);
}

int main(int argc, char **argv)
{
    static Samples lost = {.name = "lost"};
    pthread_t thread;

    if (argc < 2)
        fail("usage", "dump FOLDER [REPEATS]");
    StrobeSession *session = session_begin_with(argv[1], "\"buffer\": {\"policy\": \"ring\"}");
    if (pthread_create(&thread, NULL, record_spans, NULL))
        fail("thread", "there is none");
    while (n_recorded < FULL)
        usleep(1000);
    measure_dumps(session, argv[1], number_argument(argc, argv, 2, 10));
    is_stopped = 1;
    pthread_join(thread, NULL);
    session_stop(session);
    samples_add(&lost, (double)n_lost());
    strobe_session_free(session);
    samples_print(&lost);
    return 0;
}
