/* SPDX-License-Identifier: Apache-2.0 */
/* format [EVENTS [FOLDER|nowhere]]: measures how many events the exporter chrome_trace alone writes
 * in a second. The records are operators with shapes, and come from the mock host. "nowhere": the
 * written bytes are dropped, as with /dev/null. */
#include <fcntl.h>
#include <mock-consumer-host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/safe-file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "chrome-trace.h"
#include "trace-state.h"

#define N_BATCH 4096
#define N_NAMES 300
#define N_TRACKS 4

extern const StrobePlugin strobe_plugin_1;

static int is_dropped;

/* Replaces the C library's function: drops the bytes if the folder is "nowhere". */
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at)
{
    return is_dropped ? (ssize_t)length : syscall(SYS_pwrite64, file, bytes, length, at);
}

static double read_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fill_batch(StrobeMockHost *mock, StrobeView *views, struct strobe_cpu_op *ops)
{
    StrobeTrackId tracks[N_TRACKS];
    char text[64];

    for (int i = 0; i < N_TRACKS; i++)
        tracks[i] =
            strobe_mock_track(mock, STROBE_TRACK_THREAD, 4711 + (unsigned)i, NULL, NULL, -1);
    for (int i = 0; i < N_BATCH; i++) {
        ops[i] = (struct strobe_cpu_op){.sequence = i % 3 ? i : -1};
        snprintf(text, sizeof text, "%d,3,224,224;64,3,7,7;", i % 50);
        ops[i].shapes = strobe_mock_string(mock, text);
        ops[i].types = strobe_mock_string(mock, "float;float;None");
        snprintf(text, sizeof text, "aten::some_operator_%d", i % N_NAMES);
        views[i] = (StrobeView){.kind = strobe_mock_kind(mock, &strobe_kind_cpu_op),
                                .fields = &ops[i],
                                .track = tracks[i % N_TRACKS],
                                .name = strobe_mock_string(mock, text)};
    }
}

int main(int argc, char **argv)
{
    const int n_events = argc > 1 ? atoi(argv[1]) : 4000000;
    const char *folder = argc > 2 && !(is_dropped = !strcmp(argv[2], "nowhere")) ? argv[2] : "/tmp";
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    StrobeMockHost *mock = strobe_mock_new(strobe_plugin_1.components[0], directory);
    static StrobeView views[N_BATCH];
    static struct strobe_cpu_op ops[N_BATCH];
    int64_t time_ns = 1736412474721516710;
    double begin, end;
    void *state;

    strobe_mock_option(mock, "file", "speed-chrome-trace.json");
    fill_batch(mock, views, ops);
    begin = read_seconds();
    if (chrome_trace_ops.open(strobe_mock_table(mock), mock, &state)) {
        fprintf(stderr, "%s\n", strobe_mock_error(mock));
        return 1;
    }
    for (int done = 0; done < n_events; done += N_BATCH) {
        for (int i = 0; i < N_BATCH; i++) {
            time_ns += 1777;
            views[i].begin_ns = time_ns;
            views[i].end_ns = time_ns + 1000 + 13 * i;
        }
        if (chrome_trace_ops.batch(state, views, N_BATCH))
            return 1;
    }
    if (chrome_trace_ops.end(state))
        return 1;
    end = read_seconds();
    printf("%.2f million events/s (%.0f ns each), %s\n", n_events / (end - begin) / 1e6,
           (end - begin) / n_events * 1e9, is_dropped ? "written nowhere" : "file synced");
    chrome_trace_ops.close(state);
    strobe_mock_free(mock);
    unlinkat(directory, "speed-chrome-trace.json", 0);
    close(directory);
    return 0;
}
