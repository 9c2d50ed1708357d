/* SPDX-License-Identifier: Apache-2.0 */
#include "group-operations.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strobe/kinds.h>

#define GROUP_SIZE 128
#define NAME_SIZE 64
/* maximum number of operations that are open at the same time in the process */
#define OPEN_MAX 256
#define FIELDS_MAX 16

/* The fields of the standard kind, and additional fields that only groups on the host report. */
struct group_operation {
    struct strobe_comm_op standard;
    uint64_t bytes;
    uint32_t peer, reserved;
};

/* An open operation. It may end on a different thread than it began on. */
typedef struct OpenOperation {
    /* the text fields are set at the operation's end, from the texts below */
    struct group_operation fields;
    char group[GROUP_SIZE], name[NAME_SIZE], type[NAME_SIZE];
    char algorithm[16], data_type[16];
    uint64_t begin;
    uint32_t window;
    _Atomic uint32_t is_used;
} OpenOperation;

static struct {
    _Atomic(const StrobeHost *) host; /* NULL: there is no session */
    StrobeInstance *self;
    StrobeKindId kind;
    _Atomic(const StrobeTorchCollectives *) reports; /* NULL: nothing is recorded */
    _Atomic uint32_t window;                         /* number of the current window */
    _Atomic int n_open;                              /* number of open operations of the window */
} state;

static OpenOperation open_operations[OPEN_MAX];

static StrobeField fields[FIELDS_MAX];
StrobeKind group_operation_kind;

__attribute__((constructor)) static void add_own_fields(void)
{
    static const StrobeField own[] = {
        {"cpu_op.bytes", STROBE_FIELD_U64, 0, "B", "Size of the process's input."},
        {"cpu_op.peer", STROBE_FIELD_U32, 0, "",
         "Rank in the group of the transfer's other side, or of the operation's root; absent: "
         "none."},
    };
    uint32_t n = strobe_kind_comm_op.n_fields;

    memcpy(fields, strobe_kind_comm_op.fields, n * sizeof *fields);
    memcpy(fields + n, own, sizeof own);
    group_operation_kind = strobe_kind_comm_op;
    group_operation_kind.fields = fields;
    group_operation_kind.n_fields = n + sizeof own / sizeof *own;
}

/* ---- names ---- */

static const struct {
    const char *title, *name;
} operations[] = {
    {"all_reduce", "allReduce"},
    {"allreduce", "allReduce"},
    {"broadcast", "broadcast"},
    {"reduce", "reduce"},
    {"all_gather", "allGather"},
    {"_all_gather_base", "allGather"},
    {"reduce_scatter", "reduceScatter"},
    {"_reduce_scatter_base", "reduceScatter"},
    {"scatter", "scatter"},
    {"gather", "gather"},
    {"all_to_all", "alltoall"},
    {"all_to_allv", "alltoallv"},
    {"send", "send"},
    {"recv", "receive"},
    {"recvAnySource", "receive"},
    {"barrier", "barrier"},
};

/* Returns the operation in a title; for example, "all_reduce" for "gloo:all_reduce". Returns NULL
 * if a device carries out the group's operations, because the device's collector records them. */
static const char *host_operation(const char *title, size_t *n_backend)
{
    static const char *const backends[] = {"gloo:", "mpi:"};

    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        *n_backend = strlen(backends[i]);
        if (strncmp(title, backends[i], *n_backend) == 0)
            return title + *n_backend;
    }
    return NULL;
}

static const char *vendor_name(const char *operation)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (strcmp(operations[i].title, operation) == 0)
            return operations[i].name;
    return operation;
}

/* Makes the name in the form that the vendor's tools parse: hcom_allReduce__<group>_<number>_1.
 * <group> is the number at the end of the group's name (at most 3 digits). */
static void make_names(OpenOperation *open, const StrobeTorchCollective *operation,
                       const char *title)
{
    const char *name = vendor_name(title);
    size_t length = operation->group ? strlen(operation->group) : 0;
    size_t digits = 0;

    while (digits < 3 && digits < length &&
           strchr("0123456789", operation->group[length - digits - 1]))
        digits++;
    snprintf(open->type, sizeof open->type, "hcom_%.40s_", name);
    snprintf(open->name, sizeof open->name, "hcom_%.24s__%s_%" PRIu64 "_1", name,
             digits ? operation->group + length - digits : "0", operation->number);
}

static void copy_text(char *to, size_t size, const char *from, size_t length)
{
    length = length < size ? length : size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static void copy_upper(char *to, size_t size, const char *from)
{
    size_t n = 0;

    for (; from[n] && n < size - 1; n++)
        to[n] = (char)(from[n] >= 'a' && from[n] <= 'z' ? from[n] - 'a' + 'A' : from[n]);
    to[n] = '\0';
}

/* ---- records ---- */

static OpenOperation *take_open(void)
{
    for (uint32_t i = 0; i < OPEN_MAX; i++) {
        uint32_t expected = 0;
        if (!atomic_load_explicit(&open_operations[i].is_used, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&open_operations[i].is_used, &expected, 1))
            return &open_operations[i];
    }
    return NULL;
}

static struct group_operation fields_of(const StrobeHost *host,
                                        const StrobeTorchCollective *operation)
{
    struct group_operation made = {.bytes = operation->bytes};

    made.standard.op = host->link_ids(state.self, 1);
    made.standard.connection = STROBE_ABSENT_U64;
    made.standard.count = operation->count;
    made.standard.model = made.standard.relay = made.standard.retry = STROBE_ABSENT_U32;
    made.standard.rank_size = operation->size > 0 ? (uint32_t)operation->size : STROBE_ABSENT_U32;
    made.standard.exact_us = STROBE_ABSENT_F64;
    made.peer = operation->peer >= 0 ? (uint32_t)operation->peer : STROBE_ABSENT_U32;
    return made;
}

static uint64_t begin_operation(const StrobeTorchCollective *operation)
{
    const StrobeHost *host = atomic_load_explicit(&state.host, memory_order_acquire);
    size_t n_backend;
    const char *title = host_operation(operation->title, &n_backend);
    OpenOperation *open;

    if (!host || !title || !host->writer(state.self))
        return 0;
    open = take_open();
    if (!open) {
        host->lost(state.self, STROBE_LOSS_COLLECTOR_DROPPED, 1);
        return 0;
    }
    open->window = atomic_load(&state.window);
    open->fields = fields_of(host, operation);
    make_names(open, operation, title);
    copy_text(open->group, sizeof open->group, operation->group ? operation->group : "",
              operation->group ? strlen(operation->group) : 0);
    copy_text(open->algorithm, sizeof open->algorithm, operation->title, n_backend - 1);
    copy_upper(open->data_type, sizeof open->data_type,
               strcmp(operation->type, "na") ? operation->type : "");
    atomic_fetch_add(&state.n_open, 1);
    open->begin = host->now();
    return (uint64_t)(open - open_operations) + 1;
}

/* Returns the track of a group. The host returns the same track for equal names. */
static StrobeTrackId group_track(const StrobeHost *host, const char *group)
{
    char name[GROUP_SIZE + 32];
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_STREAM,
                         .clock = STROBE_CLOCK_HOST,
                         .device = -1,
                         .id = strtoull(group, NULL, 10),
                         .name = name,
                         .group = "Communication"};

    if (*group)
        snprintf(name, sizeof name, "Group %s Communication", group);
    else
        snprintf(name, sizeof name, "Communication");
    return host->track(state.self, &track);
}

static StrobeStringId intern_text(const StrobeHost *host, StrobeWriter *writer, const char *text)
{
    return *text ? host->intern(writer, text, strlen(text)) : 0;
}

static void write_operation(const StrobeHost *host, const OpenOperation *open)
{
    uint64_t end = host->now();
    StrobeTrackId track = group_track(host, open->group);
    struct group_operation made = open->fields;
    StrobeWriter *writer = host->writer(state.self);
    struct group_operation *record;

    if (!writer)
        return;
    made.standard.group = intern_text(host, writer, open->group);
    made.standard.op_type = intern_text(host, writer, open->type);
    made.standard.algorithm = intern_text(host, writer, open->algorithm);
    made.standard.data_type = intern_text(host, writer, open->data_type);
    record = host->reserve(writer, state.kind, track, intern_text(host, writer, open->name),
                           open->begin, end);
    if (!record)
        return;
    *record = made;
    host->commit(writer);
}

static void end_operation(uint64_t id)
{
    const StrobeHost *host = atomic_load_explicit(&state.host, memory_order_acquire);
    OpenOperation *open = &open_operations[id - 1];

    if (host && open->window == atomic_load(&state.window)) {
        write_operation(host, open);
        atomic_fetch_sub(&state.n_open, 1);
    }
    atomic_store_explicit(&open->is_used, 0, memory_order_release);
}

/* ---- the session ---- */

StrobeStatus group_operations_open(const StrobeHost *host, StrobeInstance *self,
                                   const StrobeTorchCollectives *reports)
{
    StrobeStatus status = host->kind(self, &group_operation_kind, &state.kind);

    if (status != STROBE_OK)
        return status;
    state.self = self;
    atomic_store(&state.reports, reports);
    atomic_store(&state.host, host);
    return STROBE_OK;
}

/* Waits for libtorch to report the ends of open operations: a thread that waited for an operation
 * may continue, and end the window, before libtorch reports the operation's end. */
static void wait_for_ends(void)
{
    const struct timespec pause = {0, 100000};

    for (int i = 0; i < 100 && atomic_load(&state.n_open) > 0; i++)
        nanosleep(&pause, NULL);
}

void group_operations_name(const char *name, int64_t peer)
{
    const StrobeTorchCollectives *reports = atomic_load(&state.reports);

    if (reports)
        reports->set_group(name, peer);
}

void group_operations_name_usual(const char *name)
{
    const StrobeTorchCollectives *reports = atomic_load(&state.reports);

    if (reports)
        reports->set_usual_group(name);
}

const char *group_operations_record(int on)
{
    const StrobeTorchCollectives *reports = atomic_load(&state.reports);

    if (!reports)
        return NULL;
    if (on) {
        atomic_fetch_add(&state.window, 1);
        atomic_store(&state.n_open, 0);
        return reports->enable(STROBE_TORCH_OPERATIONS, begin_operation, end_operation);
    }
    reports->disable(STROBE_TORCH_OPERATIONS);
    wait_for_ends();
    return NULL;
}

void group_operations_close(void)
{
    atomic_store(&state.host, NULL);
    atomic_store(&state.reports, NULL);
}
