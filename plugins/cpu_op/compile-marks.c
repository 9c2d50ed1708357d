/* SPDX-License-Identifier: Apache-2.0 */
#include "compile-marks.h"

#include <stdatomic.h>
#include <string.h>

#include <strobe/helpers/mark-kinds.h>

#define DOMAIN "torch.compile"

/* The fields of a mark, which are the same for ranges and instants. */
struct compile_mark {
    uint64_t argument;
    StrobeStringId domain, id, function, place, reason;
    uint64_t nodes, guards, cache_size;
};

static const StrobeField fields[] = {
    STROBE_MARK_ARGUMENT,
    STROBE_MARK_DOMAIN,
    {"cpu_op.compile_id", STROBE_FIELD_STRING, 0, "", "Frame and compilation of torch.compile."},
    {"cpu_op.function", STROBE_FIELD_STRING, 0, "", "Function that is compiled."},
    {"cpu_op.place", STROBE_FIELD_STRING, 0, "", "File and line of the program."},
    {"cpu_op.reason", STROBE_FIELD_STRING, 0, "",
     "Reason: the guard that failed, the cause of the graph break, or why nothing was compiled."},
    {"cpu_op.nodes", STROBE_FIELD_U64, 0, "", "Nodes of the graph."},
    {"cpu_op.guards", STROBE_FIELD_U64, 0, "", "Guards of the compiled code."},
    {"cpu_op.cache_size", STROBE_FIELD_U64, 0, "", "Number of earlier compilations of this code."},
};
#define N_FIELDS (sizeof fields / sizeof *fields)

const StrobeKind compile_range_kind = STROBE_MARK_RANGE_KIND(fields, N_FIELDS);
const StrobeKind compile_instant_kind = STROBE_MARK_INSTANT_KIND(fields, N_FIELDS);

static struct {
    _Atomic(const StrobeHost *) host; /* NULL: there is no session */
    StrobeInstance *self;
    StrobeKindId range, instant;
    uint64_t begin; /* begin of the window */
    _Atomic int is_on;
} marks;

StrobeStatus compile_marks_open(const StrobeHost *host, StrobeInstance *self)
{
    StrobeStatus status = host->kind(self, &compile_range_kind, &marks.range);

    if (status == STROBE_OK)
        status = host->kind(self, &compile_instant_kind, &marks.instant);
    if (status != STROBE_OK)
        return status;
    marks.self = self;
    atomic_store(&marks.host, host);
    return STROBE_OK;
}

void compile_marks_record(int on)
{
    const StrobeHost *host = atomic_load(&marks.host);

    if (on && host)
        marks.begin = host->now();
    atomic_store(&marks.is_on, on);
}

void compile_marks_close(void)
{
    compile_marks_record(0);
    atomic_store(&marks.host, NULL);
}

uint64_t compile_marks_now(void)
{
    const StrobeHost *host = atomic_load(&marks.host);

    return host ? host->now() : 0;
}

static StrobeStringId intern_text(const StrobeHost *host, StrobeWriter *writer, const char *text)
{
    return text[0] ? host->intern(writer, text, strlen(text)) : 0;
}

static void add_record(StrobeKindId kind, const CompileMark *mark)
{
    const StrobeHost *host = atomic_load(&marks.is_on) ? atomic_load(&marks.host) : NULL;
    StrobeWriter *writer = host ? host->writer(marks.self) : NULL;
    struct compile_mark record;

    if (!writer)
        return;
    memset(&record, 0, sizeof record);
    record.argument = STROBE_ABSENT_U64;
    record.domain = intern_text(host, writer, DOMAIN);
    record.id = intern_text(host, writer, mark->id);
    record.function = intern_text(host, writer, mark->function);
    record.place = intern_text(host, writer, mark->place);
    record.reason = intern_text(host, writer, mark->reason);
    record.nodes = mark->nodes;
    record.guards = mark->guards;
    record.cache_size = mark->cache_size;
    uint64_t begin = mark->begin > marks.begin ? mark->begin : marks.begin;
    StrobeStringId name = intern_text(host, writer, mark->name);
    void *out = host->reserve(writer, kind, 0, name, begin, mark->end > begin ? mark->end : begin);
    if (!out)
        return;
    memcpy(out, &record, sizeof record);
    host->commit(writer);
}

void compile_marks_add_range(const CompileMark *mark)
{
    add_record(marks.range, mark);
}

void compile_marks_add_instant(const CompileMark *mark)
{
    add_record(marks.instant, mark);
}
