/* SPDX-License-Identifier: Apache-2.0 */
/* stop FOLDER [SPANS] [REPEATS]: measures the ms in which a session is made and started; the ms of
 * strobe_session_stop() right after SPANS spans were recorded at full speed; the rate of the spans;
 * and the bytes of the capture, which are fewer if the disk was too slow. Also measures the ms of
 * the stop of a window whose collector reports its last records a second later. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "measure.h"

/* Returns the size of a capture, and removes it, because captures are large. */
static double take_capture(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        fail(path, "no capture");
    unlink(path);
    return (double)st.st_size;
}

static void stop_late(const char *folder, Samples *samples)
{
    StrobeSession *session = session_begin_with(
        folder, "\"collectors\": {\"fake\": {\"late\": 100000, \"drain\": \"1s\"}}");

    samples_add(samples, session_stop(session) / 1e6);
    strobe_session_free(session);
}

int main(int argc, char **argv)
{
    static Samples late = {.name = "late"}, start = {.name = "start"}, stop = {.name = "stop"},
                   rate = {.name = "rate"}, bytes = {.name = "bytes"};
    long spans = number_argument(argc, argv, 2, 50000000);
    long repeats = number_argument(argc, argv, 3, 5);
    char path[4096];

    if (argc < 2)
        fail("usage", "stop FOLDER [SPANS] [REPEATS]");
    for (long i = 0; i < repeats; i++) {
        double begin = now_ns();
        StrobeSession *session = session_begin(argv[1]);
        samples_add(&start, (now_ns() - begin) / 1e6);
        begin = now_ns();
        for (long k = 0; k < spans; k++)
            strobe_range_end(strobe_range_begin_argument("benchmark", (uint64_t)k));
        samples_add(&rate, (double)spans / (now_ns() - begin) * 1e9);
        samples_add(&stop, session_stop(session) / 1e6);
        if (snprintf(path, sizeof path, "%s/FRAMEWORK/capture.strobe",
                     strobe_session_directory(session)) >= (int)sizeof path)
            fail(argv[1], "the name is too long");
        strobe_session_free(session); /* waits until the writer has written all records */
        samples_add(&bytes, take_capture(path));
        stop_late(argv[1], &late);
    }
    samples_print(&start);
    samples_print(&stop);
    samples_print(&rate);
    samples_print(&bytes);
    samples_print(&late);
    return 0;
}
