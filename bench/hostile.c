/* SPDX-License-Identifier: Apache-2.0 */
/* hostile FILE EVENTS [SEED]: writes a synthetic Chrome trace whose import needs as much memory as
 * possible: each name occurs only once, the events are not ordered by time and come from 10,000
 * threads, the two ends of each arrow and launch are at equal distances from the two ends of the
 * file, and up to a million allocations are never released. The same seed makes the same bytes. */
#include <inttypes.h>
#include <stdio.h>
#include "measure.h"

#define THREADS 10000u
#define ALLOCATIONS_MAX 1000000u
#define STEP_NS 2000u /* time between successive events */
#define BUFFER_BYTES (1u << 20)

typedef struct Trace {
    FILE *file;
    uint64_t seed, n, n_allocations, allocated;
} Trace;

static uint64_t random_of(const Trace *trace, uint64_t place, uint64_t purpose)
{
    return scatter_number(scatter_number(place ^ trace->seed << 48) + purpose);
}

/* Returns a random time within the trace. */
static uint64_t time_of(const Trace *trace, uint64_t place)
{
    return random_of(trace, place, 1) % (trace->n + 1) * STEP_NS + STEP_NS;
}

static void put_head(Trace *trace, const char *phase, const char *category, uint64_t place)
{
    uint64_t ns = time_of(trace, place);

    fprintf(trace->file,
            "{\"ph\": \"%s\", \"cat\": \"%s\", \"pid\": 1, \"tid\": %u, \"ts\": %" PRIu64 ".%03u, ",
            phase, category, 1 + (unsigned)(random_of(trace, place, 2) % THREADS), ns / 1000,
            (unsigned)(ns % 1000));
}

static void put_operator(Trace *trace, uint64_t place)
{
    put_head(trace, "X", "cpu_op", place);
    fprintf(trace->file,
            "\"dur\": %u.5, \"name\": \"op_%016" PRIx64 "\", \"args\": {\"External id\": %" PRIu64
            ", \"Sequence number\": %" PRIu64 "}},\n",
            1 + (unsigned)(random_of(trace, place, 3) % 50), random_of(trace, place, 4), place,
            place);
}

/* Returns the id of the arrow at `place`, the index of an event. The event at the same distance
 * from the other end of the file has the same id. */
static uint64_t id_of(const Trace *trace, uint64_t place)
{
    return place < trace->n / 2 ? place : trace->n - 1 - place;
}

static void put_launch(Trace *trace, uint64_t place)
{
    int is_call = place < trace->n / 2;

    put_head(trace, "X", is_call ? "cuda_runtime" : "kernel", place);
    fprintf(trace->file, "\"dur\": 3.25, \"name\": \"%s_%u\", \"args\": {\"correlation\": %" PRIu64,
            is_call ? "cudaLaunchKernel" : "kernel", (unsigned)(place % 97),
            id_of(trace, place) + 1);
    fprintf(trace->file, is_call ? "}},\n" : ", \"device\": 0, \"stream\": 7}},\n");
}

static void put_flow_event(Trace *trace, uint64_t place)
{
    put_head(trace, place < trace->n / 2 ? "s" : "f", "arrow", place);
    fprintf(trace->file, "\"name\": \"arrow\", \"id\": %" PRIu64 ", \"bp\": \"e\"},\n",
            id_of(trace, place) + 1);
}

static void put_allocation(Trace *trace, uint64_t place)
{
    uint64_t bytes = 512 * (1 + random_of(trace, place, 5) % 64);

    trace->n_allocations++;
    trace->allocated += bytes;
    put_head(trace, "i", "cpu_instant_event", place);
    fprintf(trace->file,
            "\"s\": \"t\", \"name\": \"[memory]\", \"args\": {\"Total Allocated\": %" PRIu64
            ", \"Bytes\": %" PRIu64 ", \"Addr\": %" PRIu64
            ", \"Device Id\": 0, \"Device Type\": 1}},\n",
            trace->allocated, bytes, 0x7f0000000000u + place * 65536);
}

static void put_event(Trace *trace, uint64_t place)
{
    switch (place % 8) {
    case 0:
    case 7: /* n is a multiple of 8, so an event of the case 0 is opposite to one of the case 7 */
        put_launch(trace, place);
        break;
    case 2:
    case 5:
        put_flow_event(trace, place);
        break;
    case 4:
        if (trace->n_allocations < ALLOCATIONS_MAX) {
            put_allocation(trace, place);
            break;
        }
        /* fall through */
    default:
        put_operator(trace, place);
    }
}

int main(int argc, char **argv)
{
    Trace trace = {0};

    if (argc < 3)
        fail("usage", "hostile FILE EVENTS [SEED]");
    trace.n = ((uint64_t)number_argument(argc, argv, 2, 1000) + 7) / 8 * 8;
    trace.seed = (uint64_t)number_argument(argc, argv, 3, 1);
    trace.file = fopen(argv[1], "we");
    if (!trace.file)
        fail(argv[1], "cannot be made");
    setvbuf(trace.file, NULL, _IOFBF, BUFFER_BYTES);
    fputs("{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"made up\"}],\n"
          "\"traceEvents\": [\n",
          trace.file);
    for (uint64_t place = 0; place < trace.n; place++)
        put_event(&trace, place);
    fputs(
        "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 1, \"tid\": 0, \"args\": {\"name\": "
        "\"made up\"}}\n]}\n",
        trace.file);
    if (fclose(trace.file))
        fail(argv[1], "cannot be written");
    return 0;
}
