/* SPDX-License-Identifier: Apache-2.0 */
#include "fake-source.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fake-kinds.h"
#include "fake-names.h"

#define BULK_RECORDS 64 /* maximum number of records in one call of reserve_bulk */
#define DEPTH_MAX 4096
#define PAUSE_MAX_NS 5000000 /* longest sleep between two reads of is_stopping */

/* The values of one record. */
typedef struct Draw {
    uint64_t number;
    uint64_t check;
    StrobeStringId name;
    StrobeStringId text; /* a second string */
} Draw;

/* Returns `value`, mixed by the final steps of SplitMix64: every bit of the result depends on every
 * bit of the value. */
static uint64_t mix_bits(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t fake_check(int64_t seed, uint64_t window, uint64_t source, uint64_t number)
{
    return mix_bits(mix_bits(mix_bits(mix_bits((uint64_t)seed) + window) + source) + number);
}

uint64_t fake_clock_now(const StrobeHost *host, uint32_t clock)
{
    struct timespec now;
    if (clock == STROBE_CLOCK_HOST)
        return host->now();
    clock_gettime(clock == STROBE_CLOCK_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static Draw draw_record(const FakeSource *source, StrobeWriter *writer, uint64_t number)
{
    const FakeSettings *settings = source->settings;
    Draw draw = {.number = number};
    char buffer[16];
    draw.check = fake_check(settings->seed, source->window, source->number, number);
    FakeName name =
        settings->is_hostile ? fake_hostile_name(number) : fake_plain_name(draw.check, buffer);
    draw.name = settings->host->intern(writer, name.bytes, name.length);
    draw.text = settings->is_hostile ? draw.name : settings->host->intern(writer, "fake", 4);
    return draw;
}

static StrobeStackId draw_stack(const FakeSettings *settings, StrobeWriter *writer)
{
    StrobeStringId frames[] = {settings->host->intern(writer, "fake.py(3): inner", 17),
                               settings->host->intern(writer, "fake.py(9): middle", 18),
                               settings->host->intern(writer, "fake.py(20): <module>", 21)};
    return settings->host->stack(writer, frames, sizeof frames / sizeof *frames);
}

static void fill_cpu_op(void *fields, const FakeSettings *settings, const Draw *draw)
{
    struct strobe_cpu_op record = {.sequence = draw->number % 3 ? (int64_t)draw->number : -1,
                                   .forward_thread = draw->number % 2,
                                   .shapes = draw->text,
                                   .types = draw->text,
                                   .scope = (uint8_t)(draw->number % 2)};
    uint32_t extra = (uint32_t)draw->number;
    /* written after the struct, because the field may be in the padding of the struct */
    memcpy(fields, &record, sizeof record);
    memcpy((char *)fields + settings->extra_offset, &extra, sizeof extra);
}

static void fill_pulse(struct fake_pulse *record, const FakeSettings *settings, const Draw *draw,
                       StrobeStackId stack, uint64_t link)
{
    record->byte = (uint8_t)draw->number;
    record->count = (uint32_t)draw->number;
    record->difference = -(int32_t)(draw->number & 0x7fffffff);
    record->check = draw->check;
    record->offset = INT64_MIN + 1 + (int64_t)draw->number;
    record->ratio = (double)draw->number / 8.0;
    record->flag = draw->number % 2;
    record->text = draw->text;
    record->stack = stack;
    record->place = settings->track;
    record->link = link;
}

/* Fills the fields of kinds that describe the process. */
static void fill_system(void *fields, int kind, const Draw *draw)
{
    if (kind == FAKE_HOST_CPU) {
        struct strobe_host_cpu *record = fields;
        record->user = (double)(draw->check % 1000) / 10.0;
        record->system = (double)(draw->number % 100) / 10.0;
        record->usage = record->user + record->system;
        record->processors = 2;
        record->threads = 3;
        record->wait = 0;
    } else if (kind == FAKE_HOST_MEM) {
        struct strobe_host_mem *record = fields;
        record->usage = (double)(draw->check % 1000) / 10.0;
        record->resident = draw->check % (1u << 30);
        record->virtual_size = record->resident * 2;
        record->shared = record->resident / 2;
        record->swap = record->minor_faults = record->major_faults = 0;
        record->pss = record->cgroup_usage = STROBE_ABSENT_U64;
        record->cgroup_limit = record->available = STROBE_ABSENT_U64;
    } else if (kind == FAKE_COUNTER) {
        struct strobe_counter *record = fields;
        /* every eighth value is NaN, which JSON cannot represent */
        record->value = draw->number % 8 == 7 ? (double)NAN : (double)draw->number / 4.0;
    } else if (kind == FAKE_BLOCK) {
        struct fake_block *record = fields;
        record->address = 0x1000 + (draw->number / 2) * 0x100;
        record->size = draw->number % 2 ? -256 : 256;
    }
}

/* Fills the fields of kinds that describe Strobe's own work. */
static void fill_own(void *fields, int kind, const Draw *draw)
{
    if (kind == FAKE_STEP) {
        struct strobe_step *record = fields;
        record->number = (int64_t)draw->number;
        record->thread = 1;
    } else if (kind == FAKE_METADATA) {
        struct strobe_metadata *record = fields;
        record->value = draw->text;
        record->is_json = 0;
    } else if (kind == FAKE_LOSS) {
        struct strobe_loss *record = fields;
        /* 0, because no record is lost; otherwise the host's counts of emitted, stored and lost
         * records would be wrong */
        record->count = 0;
        record->cause = STROBE_LOSS_COLLECTOR_DROPPED;
        record->thread = 0;
    } else if (kind == FAKE_COLLECTOR_CALL) {
        struct strobe_collector_call *record = fields;
        record->status = STROBE_OK;
    } else if (kind == FAKE_DIAGNOSTIC) {
        struct strobe_diagnostic *record = fields;
        record->text = draw->text;
        record->level = STROBE_LOG_DEBUG;
    }
}

static void fill_fields(void *fields, int kind, const FakeSettings *settings, const Draw *draw,
                        StrobeStackId stack, uint64_t link)
{
    if (kind == FAKE_CPU_OP) {
        fill_cpu_op(fields, settings, draw);
    } else if (kind == FAKE_PULSE) {
        fill_pulse(fields, settings, draw, stack, link);
    } else if (kind == FAKE_GC) {
        struct strobe_gc *record = fields;
        record->generation = (uint32_t)(draw->number % 3);
        record->reserved = 0;
        record->collected = draw->check % 1000;
        record->uncollectable = 0;
    } else if (kind == FAKE_MARKER || kind == FAKE_MARKER_INSTANT) {
        struct strobe_marker *record = fields;
        record->argument = draw->number;
    } else if (kind == FAKE_PAIR) {
        struct fake_pair *record = fields;
        record->from = link;
        record->to = link + 1;
    } else {
        fill_system(fields, kind, draw);
        fill_own(fields, kind, draw);
    }
}

static void emit_one(const FakeSource *source, StrobeWriter *writer, int kind, const Draw *draw)
{
    const FakeSettings *settings = source->settings;
    const StrobeHost *host = settings->host;
    StrobeStackId stack = kind == FAKE_PULSE ? draw_stack(settings, writer) : 0;
    uint64_t link = kind == FAKE_PULSE || kind == FAKE_PAIR ? host->link_ids(settings->self, 2) : 0;
    uint32_t clock = settings->track ? settings->clock : STROBE_CLOCK_HOST;
    uint64_t begin = source->begin ? source->begin : fake_clock_now(host, clock);
    uint64_t end = source->begin ? source->end : fake_clock_now(host, clock);
    void *fields =
        host->reserve(writer, settings->kinds[kind], settings->track, draw->name, begin, end);
    if (!fields)
        return;
    fill_fields(fields, kind, settings, draw, stack, link);
    host->commit(writer);
}

/* Emits a record. Its kind follows from its number: the kinds are used in turn. */
static void emit_any(const FakeSource *source, StrobeWriter *writer, uint64_t number)
{
    Draw draw = draw_record(source, writer, number);
    emit_one(source, writer, (int)(number % FAKE_N_KINDS), &draw);
}

/* Emits `n` nested markers with span_begin and span_end. */
static void emit_nested(const FakeSource *source, StrobeWriter *writer, uint64_t number, int64_t n)
{
    const FakeSettings *settings = source->settings;
    const StrobeHost *host = settings->host;
    StrobeSpan spans[DEPTH_MAX];
    for (int64_t i = 0; i < n; i++) {
        Draw draw = draw_record(source, writer, number + (uint64_t)i);
        spans[i] = host->span_begin(writer, settings->kinds[FAKE_MARKER], draw.name, draw.number);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        Draw draw = draw_record(source, writer, number + (uint64_t)i);
        void *fields = spans[i].token ? host->span_end(writer, spans[i]) : NULL;
        if (!fields)
            continue;
        fill_fields(fields, FAKE_MARKER, settings, &draw, 0, 0);
        host->commit(writer);
    }
}

typedef struct BulkMarker {
    StrobeRecordHeader header;
    uint64_t begin, end;
    struct strobe_marker fields;
} BulkMarker;

/* Emits `n` markers with reserve_bulk, on the track of the recording thread. */
static void emit_bulk(const FakeSource *source, StrobeWriter *writer, uint64_t number, int64_t n)
{
    const FakeSettings *settings = source->settings;
    const StrobeHost *host = settings->host;
    Draw draws[BULK_RECORDS];
    for (int64_t i = 0; i < n; i++)
        draws[i] = draw_record(source, writer, number + (uint64_t)i);
    BulkMarker *markers =
        host->reserve_bulk(writer, (uint32_t)((size_t)n * sizeof *markers), (uint32_t)n);
    if (!markers)
        return;
    for (int64_t i = 0; i < n; i++) {
        BulkMarker *marker = &markers[i];
        marker->header.words = sizeof *marker / 8;
        marker->header.kind = (uint16_t)settings->kinds[FAKE_MARKER];
        marker->header.name = draws[i].name;
        marker->begin = host->now();
        marker->end = host->now();
        fill_fields(&marker->fields, FAKE_MARKER, settings, &draws[i], 0, 0);
    }
    host->commit(writer);
}

/* Waits for the next record's time, or until the window is about to end. */
static void pause_source(const FakeSource *source)
{
    int64_t left = source->settings->interval_ns;
    while (left > 0 && source->is_stopping && !atomic_load(source->is_stopping)) {
        int64_t part = left < PAUSE_MAX_NS ? left : PAUSE_MAX_NS;
        struct timespec time = {0, (long)part};
        nanosleep(&time, NULL);
        left -= part;
    }
}

static int64_t emit_some(const FakeSource *source, StrobeWriter *writer, int64_t done)
{
    const FakeSettings *settings = source->settings;
    int64_t left = source->n_records - done;
    int64_t most = settings->is_all ? 1 : settings->is_bulk ? BULK_RECORDS : settings->depth;
    int64_t n = left < most ? left : most;
    if (settings->is_all) {
        emit_any(source, writer, (uint64_t)done);
    } else if (settings->is_bulk && !source->begin) {
        emit_bulk(source, writer, (uint64_t)done, n);
    } else if (settings->track || source->begin || n == 1) {
        n = 1;
        Draw draw = draw_record(source, writer, (uint64_t)done);
        emit_one(source, writer, FAKE_MARKER, &draw);
    } else {
        emit_nested(source, writer, (uint64_t)done, n);
    }
    return n;
}

void fake_source_run(const FakeSource *source)
{
    const FakeSettings *settings = source->settings;
    const StrobeHost *host = settings->host;
    for (int64_t done = 0; done < source->n_records;) {
        StrobeWriter *writer = host->writer(settings->self);
        if (!writer)
            return;
        done += emit_some(source, writer, done);
        if (done < source->n_records)
            pause_source(source);
    }
    StrobeWriter *writer = source->n_unfinished ? host->writer(settings->self) : NULL;
    for (int64_t i = 0; writer && i < source->n_unfinished; i++) {
        Draw draw = draw_record(source, writer, (uint64_t)(source->n_records + i));
        host->span_begin(writer, settings->kinds[FAKE_MARKER], draw.name, draw.number);
    }
}
