/* SPDX-License-Identifier: Apache-2.0 */
/* capture FOLDER [SPANS [COMPRESS]]: records nested spans with a hundred names, without losses, and
 * prints the path of the capture. COMPRESS is buffer.compress of the configuration. */
#include <stdio.h>
#include "measure.h"

#define CHUNK 100000 /* number of spans between two pauses, which fit into the default pool */
#define PAUSE_NS 30000000

static char names[100][32];

static void record_ranges(long n)
{
    for (long i = 0; i < n; i += 4) {
        StrobeRange outer = strobe_range_begin_argument(names[i / 4 % 100], (uint64_t)i);
        StrobeRange middle = strobe_range_begin(names[(i + 1) % 100]);
        strobe_range_end(strobe_range_begin(names[(i + 2) % 100]));
        strobe_range_end(middle);
        strobe_range_end(strobe_range_begin(names[(i + 3) % 100]));
        strobe_range_end(outer);
    }
}

int main(int argc, char **argv)
{
    const struct timespec pause = {0, PAUSE_NS};
    long spans = number_argument(argc, argv, 2, 1000000);
    char more[64];

    if (argc < 2)
        fail("usage", "capture FOLDER [SPANS [COMPRESS]]");
    for (int i = 0; i < 100; i++)
        snprintf(names[i], sizeof names[i], "benchmark::operation_%d", i);
    snprintf(more, sizeof more, "\"buffer\": {\"compress\": \"%.16s\"}",
             argc > 3 ? argv[3] : "none");
    StrobeSession *session = session_begin_with(argv[1], more);
    for (long left = spans; left > 0; left -= CHUNK) {
        record_ranges(left < CHUNK ? left : CHUNK);
        nanosleep(&pause, NULL);
    }
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    printf("%s/FRAMEWORK/capture.strobe\n", strobe_session_directory(session));
    strobe_session_free(session);
    return 0;
}
