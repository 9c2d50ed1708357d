/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operators FOLDER [OPERATORS]: records operators as a framework's collector does, lossless, and
 * prints the capture's path. One in three is of autograd, half of these are backward ones; the two
 * others lie in it.
 */
#include <lane.h>
#include <recorder.h>
#include <stdio.h>
#include <strobe/kinds.h>
#include "measure.h"

#define NAMES 200
#define PAUSE_NS 30000000 /* the writer thread empties the pool meanwhile */
#define PAUSE_AFTER 50000

typedef struct Operator {
    StrobeRecordHeader header;
    uint64_t begin, end;
    struct strobe_cpu_op fields;
} Operator;

static uint32_t names[NAMES], shapes[NAMES];

static void fill(Operator *op, StrobeKindId kind, long i, uint64_t begin)
{
    int is_top = i % 3 == 2; /* children end first */

    op->header = (StrobeRecordHeader){sizeof *op / 8, (uint16_t)kind, names[i % NAMES]};
    op->begin = begin + (is_top ? 0 : 100 + 1000 * (uint64_t)(i % 3));
    op->end = begin + (is_top ? 2900 : 600 + 1000 * (uint64_t)(i % 3));
    op->fields = (struct strobe_cpu_op){.sequence = is_top ? i / 6 : -1,
                                        .forward_thread = is_top && i % 6 == 5,
                                        .shapes = shapes[i % NAMES]};
}

static void record(StrobeKindId kind, long n)
{
    const struct timespec pause = {0, PAUSE_NS};
    StrobeWriter *writer = strobe_lane_writer();
    uint64_t begin = read_counter();

    for (long i = 0; i < n; i++) {
        Operator *op = strobe_lane_reserve_bulk(writer, sizeof *op, 1);

        if (!op)
            fail("operators", "the pool is full");
        fill(op, kind, i, begin + 3000 * (uint64_t)(i / 3));
        strobe_lane_commit(writer);
        if (i % PAUSE_AFTER == PAUSE_AFTER - 1)
            nanosleep(&pause, NULL);
    }
    while (read_counter() < begin + 1000 * (uint64_t)n) /* what is after the window is not in it */
        nanosleep(&pause, NULL);
}

static void make_texts(void)
{
    StrobeWriter *writer = strobe_lane_writer();
    char text[32];

    for (int i = 0; i < NAMES; i++) {
        int n = snprintf(text, sizeof text, "aten::operator_%d", i);

        names[i] = strobe_lane_intern(writer, text, (size_t)n, 0);
        n = snprintf(text, sizeof text, "%d,%d;%d", i, i, i);
        shapes[i] = strobe_lane_intern(writer, text, (size_t)n, 0);
    }
}

int main(int argc, char **argv)
{
    long n = number_argument(argc, argv, 2, 1000000);
    char error[256] = "";

    if (argc < 2)
        fail("usage", "operators FOLDER [OPERATORS]");
    StrobeSession *session = session_begin_with(argv[1], "\"buffer\": {\"policy\": \"block\"}");
    StrobeKindId kind = strobe_recorder_kind(&strobe_kind_cpu_op, error, sizeof error);
    if (!kind)
        fail("cpu_op", error);
    make_texts();
    record(kind, n);
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    printf("%s/FRAMEWORK/capture.strobe\n", strobe_session_directory(session));
    strobe_session_free(session);
    return 0;
}
