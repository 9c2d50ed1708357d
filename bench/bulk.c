/* SPDX-License-Identifier: Apache-2.0 */
/* bulk FOLDER [REPEATS]: measures how many finished records can be emitted in a second with
 * reserve_bulk, as in a collector of a device. The floor is the number of records of this size
 * whose bytes can be set in a second, in a region of memory that is larger than the caches. */
#include <thread-buffer.h>
#include <recorder.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include "measure.h"

#define BULKS 100
#define PAUSE_NS 30000000         /* time for the writer to empty the pool */
#define MEMORY_BYTES (256u << 20) /* larger than any cache */
#define MEMORY_PART (64u << 20)   /* bytes that one repeat writes */

typedef struct Marker {
    StrobeRecordHeader header;
    uint64_t begin, end;
    struct strobe_marker fields;
} Marker;

#define BULK_RECORDS (STROBE_BULK_MAX / sizeof(Marker))

static void fill_marker(Marker *marker, StrobeKindId kind, uint32_t name, uint64_t begin)
{
    marker->header = (StrobeRecordHeader){sizeof *marker / 8, (uint16_t)kind, name};
    marker->begin = begin;
    marker->end = begin + 10;
    marker->fields.argument = begin;
}

/* Emits records, and returns how many are emitted in a second. */
static double emit_bulks(StrobeKindId kind, uint32_t name)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    uint64_t time = read_counter();
    double begin = now_ns();

    for (int i = 0; i < BULKS; i++) {
        Marker *markers =
            strobe_thread_buffer_reserve_bulk(writer, BULK_RECORDS * sizeof *markers, BULK_RECORDS);
        if (!markers)
            fail("bulk", "the pool is full");
        for (uint64_t k = 0; k < BULK_RECORDS; k++)
            fill_marker(&markers[k], kind, name, time + k);
        strobe_thread_buffer_commit(writer);
    }
    return BULKS * (double)BULK_RECORDS / (now_ns() - begin) * 1e9;
}

static double fill_memory(char *memory, unsigned step)
{
    double begin = now_ns();

    memset(memory + (size_t)(step % (MEMORY_BYTES / MEMORY_PART)) * MEMORY_PART, (int)step,
           MEMORY_PART);
    keep_value((uint64_t)memory[step]);
    return MEMORY_PART / (double)sizeof(Marker) / (now_ns() - begin) * 1e9;
}

int main(int argc, char **argv)
{
    static Samples own = {.name = "own"}, memory = {.name = "memory"};
    const struct timespec pause = {0, PAUSE_NS};
    long repeats = number_argument(argc, argv, 2, 50);
    char error[256] = "", *region = malloc(MEMORY_BYTES);

    if (argc < 2)
        fail("usage", "bulk FOLDER [REPEATS]");
    if (!region)
        fail("memory", "there is not enough");
    memset(region, 1, MEMORY_BYTES);
    StrobeSession *session = session_begin_with(argv[1], "\"buffer\": {\"policy\": \"block\"}");
    StrobeKindId kind = strobe_recorder_kind(&strobe_kind_marker, error, sizeof error);
    if (!kind)
        fail("marker", error);
    uint32_t name = strobe_thread_buffer_intern(strobe_thread_buffer_writer(), "benchmark", 9, 0);
    emit_bulks(kind, name); /* not measured: touches the pages */
    for (long i = 0; i < repeats; i++) {
        nanosleep(&pause, NULL);
        samples_add(&memory, fill_memory(region, (unsigned)i));
        samples_add(&own, emit_bulks(kind, name));
    }
    session_stop(session);
    if (*strobe_session_diagnostics(session))
        fail("the session is incomplete", strobe_session_diagnostics(session));
    strobe_session_free(session);
    free(region);
    samples_print(&own);
    samples_print(&memory);
    return 0;
}
