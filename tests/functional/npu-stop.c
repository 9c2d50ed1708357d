/* SPDX-License-Identifier: Apache-2.0 */
/* npu-stop FOLDER WINDOWS: runs a session with a schedule and a warm-up, and the test double of
 * MSPTI, whose devices report late (MSPTI_DOUBLE=lag=MS). Prints for each window the ms from before
 * its launches to the return of the step or the stop that ends it. Then ends without freeing the
 * session. */
#include <dlfcn.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <strobe/strobe.h>

#include "../mspti-double/mspti-double.h"

#define KERNELS 1000
#define PAUSE_US 30000

int aclInit(void);

static void exit_with_error(const char *what, const char *why)
{
    fprintf(stderr, "npu-stop: %s: %s\n", what, why);
    exit(1);
}

static StrobeSession *start_session(const char *folder)
{
    g_autofree char *config =
        g_strdup_printf("{\"collectors\": {\"npu_task\": {\"activities\": [\"kernel\", "
                        "\"node_api\"], \"flush_interval\": \"20ms\", "
                        "\"required\": true}}, "
                        "\"exporters\": {}, \"output\": {\"directory\": \"%s\"}, "
                        "\"schedule\": {\"warmup\": 1, \"active\": 1}}",
                        folder);
    StrobeSession *session = NULL;
    StrobeError *error = NULL;

    if (strobe_session_new(config, "test", &session, &error) ||
        strobe_session_start(session, &error))
        exit_with_error("session", strobe_error_message(error));
    return session;
}

static MsptiDoublePlay *find_double(void)
{
    g_autofree char *path =
        g_build_filename(g_getenv("ASCEND_HOME_PATH"), "lib64", "libmspti.so", NULL);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

    if (!library)
        exit_with_error(path, "the collector has not loaded it");
    return (MsptiDoublePlay *)dlsym(library, "mspti_double_play");
}

/* Plays launches. Each record is reported when it is made, except those of the device. */
static void play_launches(MsptiDoublePlay *play)
{
    /* 2 us after now, because the clock has a resolution of 1 us */
    guint64 base = (guint64)g_get_real_time() * 1000 + 2000;

    for (guint i = 0; i < KERNELS; i++) {
        g_autofree char *kernel =
            g_strdup_printf("launch 70001 0 3 KERNEL_AICORE mm %u 5", i * 20 + 10);
        g_autofree char *call = g_strdup_printf("call 11 70001 launch %u 8", i * 20);
        if (play(kernel, base) || play(call, base))
            exit_with_error(kernel, "the double does not play it");
    }
}

static void run_call(StrobeStatus (*call)(StrobeSession *, StrobeError **), StrobeSession *session)
{
    StrobeError *error = NULL;

    if (call(session, &error))
        exit_with_error("session", strobe_error_message(error));
}

/* Plays launches in a window and ends it. The time counts from before the launches, because the end
 * waits for less time if the process was preempted after the launches. */
static void run_window(MsptiDoublePlay *play, StrobeStatus (*end)(StrobeSession *, StrobeError **),
                       StrobeSession *session)
{
    gint64 begin = g_get_monotonic_time();

    play_launches(play);
    g_usleep(PAUSE_US);
    run_call(end, session);
    printf("%" G_GINT64_FORMAT "\n", (g_get_monotonic_time() - begin) / 1000);
}

int main(int argc, char **argv)
{
    guint n_windows = argc == 3 ? (guint)g_ascii_strtoull(argv[2], NULL, 10) : 0;

    if (n_windows == 0)
        exit_with_error("usage", "npu-stop FOLDER WINDOWS");
    aclInit();
    StrobeSession *session = start_session(argv[1]);
    MsptiDoublePlay *play = NULL;
    for (guint i = 0; i < n_windows; i++) {
        run_call(strobe_session_step, session); /* ends the warm-up, so that a window begins */
        play = play ? play : find_double();
        run_window(play, i + 1 < n_windows ? strobe_session_step : strobe_session_stop, session);
    }
    return 0;
}
