/* SPDX-License-Identifier: Apache-2.0 */
/* Computes communication_time, communication_bandwidth and communication_matrix from comm_op,
 * comm_task and step_range. */
#include "communication.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/steps.h>
#include <strobe/kinds.h>

#include "comm-matrix.h"
#include "comm-names.h"
#include "ascend-db.h"

#define TASKS_MAX 8388608u
#define OPS_MAX 1048576u

enum { OP, SIZE, PLANE, SOURCE, TARGET, MASTER, TRANSPORT, LINK, RDMA, EXACT, N_TASK };
enum { OP_ID, GROUP, OP_EXACT, N_OP };

static const StrobeWantedField task_wanted[N_TASK] = {
    [OP] = {"op", STROBE_FIELD_LINK},
    [SIZE] = {"size", STROBE_FIELD_U64},
    [PLANE] = {"plane", STROBE_FIELD_U32},
    [SOURCE] = {"source_rank", STROBE_FIELD_U32},
    [TARGET] = {"target_rank", STROBE_FIELD_U32},
    [MASTER] = {"is_master", STROBE_FIELD_U32},
    [TRANSPORT] = {"transport", STROBE_FIELD_STRING},
    [LINK] = {"link_type", STROBE_FIELD_STRING},
    [RDMA] = {"rdma_type", STROBE_FIELD_STRING},
    [EXACT] = {"exact_us", STROBE_FIELD_F64},
};
static const StrobeWantedField op_wanted[N_OP] = {
    [OP_ID] = {"op", STROBE_FIELD_LINK},
    [GROUP] = {"group", STROBE_FIELD_STRING},
    [OP_EXACT] = {"exact_us", STROBE_FIELD_F64},
};

typedef struct Communication {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder tasks_binder, ops_binder;
    StrobeStateArray tasks; /* elements of type CommTask */
    GArray *ops;            /* elements of type CommOp */
    StrobeSteps steps;
    gboolean is_database;
    /* the whole capture was imported; only the data of devices was imported */
    gboolean is_import, is_external;
    guint64 n_dropped;
} Communication;

/* Properties that all records of a step, a type and an operation share. */
typedef struct Target {
    Communication *pass;
    const StrobeStep *step; /* NULL: the capture has no steps */
    const char *type;       /* "collective" or "p2p" */
    gint32 device;
    gint64 at_ns;
    StrobeTrackId track;
} Target;

static StrobeStatus communication_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                       void **state)
{
    Communication *pass = g_new0(Communication, 1);

    pass->host = host;
    pass->self = self;
    pass->is_database = ascend_db_is_source(host, self);
    pass->is_import = *host->metadata_value(self, "source") != '\0';
    pass->is_external = *host->metadata_value(self, "external") != '\0';
    pass->tasks_binder.wanted = task_wanted;
    pass->tasks_binder.n_wanted = N_TASK;
    pass->ops_binder.wanted = op_wanted;
    pass->ops_binder.n_wanted = N_OP;
    strobe_state_array_init(&pass->tasks, host->storage(self), sizeof(CommTask));
    pass->ops = g_array_new(FALSE, FALSE, sizeof(CommOp));
    *state = pass;
    return STROBE_OK;
}

static void communication_close(void *state)
{
    Communication *pass = state;

    strobe_state_array_clear(&pass->tasks);
    g_array_unref(pass->ops);
    strobe_steps_clear(&pass->steps);
    g_free(pass);
}

/* ---- reading records ---- */

static const char *text_of(const Communication *pass, StrobeStringId id)
{
    return pass->host->string(pass->self, id).bytes;
}

static guint8 task_type(const char *name, const char *transport, const char *rdma)
{
    if (!strcmp(rdma, "RDMA_SEND_PAYLOAD"))
        return TASK_PAYLOAD;
    if (!strcmp(name, "Notify_Wait"))
        return TASK_WAIT;
    if ((!strcmp(name, "Memcpy") || !strcmp(name, "Reduce_Inline")) && !strcmp(transport, "SDMA"))
        return TASK_COPY;
    return TASK_OTHER;
}

static guint8 transport_of(guint8 type, const char *link)
{
    if (type == TASK_PAYLOAD)
        return TRANSPORT_RDMA;
    if (!strcmp(link, "HCCS") || !strcmp(link, "HCCS_SW"))
        return TRANSPORT_HCCS;
    if (!strcmp(link, "PCIE"))
        return TRANSPORT_PCIE;
    return !strcmp(link, "SIO") ? TRANSPORT_SIO : TRANSPORT_SDMA;
}

static void add_task(Communication *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->tasks_binder, record->kind);
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    CommTask task = {.op = strobe_field_u64(record, at[OP], STROBE_ABSENT_U64),
                     .begin_ns = record->begin_ns,
                     .us = strobe_view_exact_us(record, at[EXACT]),
                     .size = strobe_field_u64(record, at[SIZE], 0),
                     .number = track ? track->number : 0,
                     .plane = strobe_field_u32(record, at[PLANE], 0),
                     .source = strobe_field_u32(record, at[SOURCE], STROBE_ABSENT_U32),
                     .target = strobe_field_u32(record, at[TARGET], STROBE_ABSENT_U32),
                     .order = (guint)pass->tasks.n,
                     .device = track ? track->device : -1,
                     .link = strobe_field_u32(record, at[LINK], 0)};
    const char *link = text_of(pass, task.link);

    if (pass->tasks.n >= TASKS_MAX) {
        pass->n_dropped++;
        return;
    }
    task.type = task_type(text_of(pass, record->name),
                          text_of(pass, strobe_field_u32(record, at[TRANSPORT], 0)),
                          text_of(pass, strobe_field_u32(record, at[RDMA], 0)));
    task.transport = transport_of(task.type, link);
    task.is_on_chip = task.type == TASK_COPY && !strcmp(link, "ON_CHIP");
    task.is_master = strobe_field_u32(record, at[MASTER], 0) == 1;
    if (task.size == STROBE_ABSENT_U64)
        task.size = 0;
    strobe_state_array_add(&pass->tasks, &task);
}

static void add_op(Communication *pass, const StrobeView *record)
{
    const uint32_t *at = strobe_binder_offsets(&pass->ops_binder, record->kind);
    const StrobeTrackView *track = pass->host->track(pass->self, record->track);
    const CommOp op = {.op = strobe_field_u64(record, at[OP_ID], STROBE_ABSENT_U64),
                       .begin_ns = record->begin_ns,
                       .end_ns = record->end_ns,
                       .us = strobe_view_exact_us(record, at[OP_EXACT]),
                       .number = track ? track->number : 0,
                       .order = pass->ops->len,
                       .device = track ? track->device : -1,
                       .track = record->track,
                       .name = record->name,
                       .group = strobe_field_u32(record, at[GROUP], 0)};

    if (pass->ops->len < OPS_MAX)
        g_array_append_val(pass->ops, op);
    else
        pass->n_dropped++;
}

static StrobeStatus communication_batch(void *state, const StrobeView *records, size_t n)
{
    Communication *pass = state;

    for (size_t i = 0; i < n; i++) {
        const char *kind = records[i].kind->name;

        if (!strcmp(kind, "comm_task"))
            add_task(pass, &records[i]);
        else if (!strcmp(kind, "comm_op"))
            add_op(pass, &records[i]);
        else if (!strcmp(kind, "step_range"))
            strobe_steps_add_joined(&pass->steps, &records[i]);
    }
    return STROBE_OK;
}

/* ---- emitting records ---- */

/* Returns the hash of the communicator's name. If the operation has no communicator, uses the name
 * in the track's name: "Group <name> Communication". */
static char *hash_of(const Communication *pass, const CommOp *op)
{
    const StrobeTrackView *track = pass->host->track(pass->self, op->track);
    const char *name = text_of(pass, op->group);

    if (*name || !track)
        return comm_group_hash(name);
    if (g_str_has_prefix(track->name, "Group ")) {
        const char *begin = track->name + strlen("Group ");
        const char *end = strstr(begin, " Communication");
        g_autofree char *part = g_strndup(begin, end ? (gsize)(end - begin) : strlen(begin));
        char *aicpu = g_strrstr(part, " Aicpu");

        if (aicpu)
            *aicpu = '\0';
        return comm_group_hash(part);
    }
    return comm_group_hash(track->name);
}

static StrobeStringId intern_text(const Communication *pass, const char *text)
{
    return *text ? pass->host->intern(pass->self, text, strlen(text)) : 0;
}

static void *emit_row(const Target *target, guint kind, const char *name)
{
    Communication *pass = target->pass;
    void *fields = pass->host->emit(pass->self, kind, target->track, intern_text(pass, name),
                                    target->at_ns, target->at_ns);

    if (fields && pass->host->touches_gap(pass->self, 0, G_MININT64, G_MAXINT64))
        pass->host->flag(pass->self, STROBE_VIEW_INCOMPLETE);
    return fields;
}

static gboolean emit_time(const Target *target, const char *name, const char *hash,
                          const Figures *figures, gboolean is_total)
{
    struct strobe_communication_time *fields = emit_row(target, COMMUNICATION_TIME, name);

    if (!fields)
        return FALSE;
    fields->step = target->step ? target->step->number : STROBE_ABSENT_I64;
    fields->group = intern_text(target->pass, hash);
    fields->type = intern_text(target->pass, target->type);
    fields->start = is_total ? STROBE_ABSENT_F64 : figures->start_us;
    fields->elapse = figures->elapse;
    fields->transit = figures->has_parts ? figures->transit : STROBE_ABSENT_F64;
    fields->wait = figures->has_parts ? figures->wait : STROBE_ABSENT_F64;
    fields->synchronization = figures->has_parts ? figures->synchronization : STROBE_ABSENT_F64;
    fields->idle = figures->has_parts ? figures->idle : STROBE_ABSENT_F64;
    fields->is_total = is_total != 0;
    fields->device = target->device;
    return TRUE;
}

/* Emits a record of communication_bandwidth. `size` NULL: the record is for no packet size, because
 * it is a sum over transports. */
static gboolean emit_bandwidth(const Target *target, const char *name, const char *hash,
                               guint transport, const Bandwidth *bandwidth, const PacketSize *size,
                               gboolean is_total)
{
    struct strobe_communication_bandwidth *fields = emit_row(target, COMMUNICATION_BANDWIDTH, name);
    gboolean is_counted = bandwidth->packets > 0 && transport != TRANSPORT_SDMA;

    if (!fields)
        return FALSE;
    fields->step = target->step ? target->step->number : STROBE_ABSENT_I64;
    fields->group = intern_text(target->pass, hash);
    fields->type = intern_text(target->pass, target->type);
    fields->transport = intern_text(target->pass, comm_transport_names[transport]);
    fields->transit_size = bandwidth->megabytes;
    fields->transit_time = bandwidth->ms;
    fields->bandwidth =
        is_total ? STROBE_ABSENT_F64 : comm_bandwidth(bandwidth->megabytes, bandwidth->ms);
    fields->large_ratio = is_counted && !is_total
                              ? (double)bandwidth->large / (double)bandwidth->packets
                              : STROBE_ABSENT_F64;
    fields->package_size = size ? size->megabytes : STROBE_ABSENT_F64;
    fields->package_count = size ? size->count : 0;
    fields->package_time = size ? size->ms : 0;
    fields->is_total = is_total != 0;
    fields->device = target->device;
    return TRUE;
}

static gboolean emit_figures(const Target *target, const char *name, const char *hash,
                             const Figures *figures, gboolean is_total)
{
    gboolean done = emit_time(target, name, hash, figures, is_total);

    for (guint i = 0; i < N_TRANSPORTS && done; i++) {
        const Bandwidth *bandwidth = &figures->bandwidths[i];

        if (bandwidth->has && !bandwidth->sizes)
            done = emit_bandwidth(target, name, hash, i, bandwidth, NULL, is_total);
        for (guint k = 0; bandwidth->sizes && k < bandwidth->sizes->len && done; k++)
            done = emit_bandwidth(target, name, hash, i, bandwidth,
                                  &g_array_index(bandwidth->sizes, PacketSize, k), is_total);
    }
    return done;
}

static gboolean emit_link(void *user, const MatrixGroup *group, const char *rank, const Link *link)
{
    const Target *target = user;
    g_autofree char *name = g_strdup_printf("%s-%s@%s", group->word, rank, group->hash);
    g_autofree char *source = g_strdup_printf("%u", link->source);
    g_autofree char *to = g_strdup_printf("%u", link->target);
    struct strobe_communication_matrix *fields = emit_row(target, COMMUNICATION_MATRIX, name);

    if (!fields)
        return FALSE;
    fields->step = target->step ? target->step->number : STROBE_ABSENT_I64;
    fields->group = intern_text(target->pass, group->hash);
    fields->type = intern_text(target->pass, target->type);
    fields->source = intern_text(target->pass, source);
    fields->target = intern_text(target->pass, to);
    fields->transport = intern_text(target->pass, link->transport);
    fields->transit_size = link->megabytes;
    fields->transit_time = link->ms;
    fields->bandwidth = link->bandwidth;
    fields->op_name = link->op_name;
    fields->device = target->device;
    return TRUE;
}

/* Returns the step of an operation. If there is only one step, all operations belong to it, as in
 * the Ascend profiler's text results. */
static const StrobeStep *step_of(Communication *pass, const CommOp *op)
{
    if (!pass->is_database && pass->steps.n == 1)
        return pass->steps.items;
    return strobe_steps_find_closed(&pass->steps, op->device, op->begin_ns);
}

static const char *name_of(void *user, StrobeStringId id)
{
    return text_of(user, id);
}

static gboolean emit_op(Target *target, const CommOp *op, GPtrArray *matrix, Figures *sum)
{
    gboolean is_p2p = comm_is_p2p(text_of(target->pass, op->name)), done;
    g_autofree char *hash = hash_of(target->pass, op);
    g_autofree char *name = g_strdup_printf("%s@%s", text_of(target->pass, op->name), hash);
    g_autoptr(GArray) links = comm_links(op, is_p2p, name_of, target->pass);
    Figures figures = {0};

    figures_of(&figures, op, is_p2p);
    figures_add(sum, &figures);
    matrix_add(matrix, comm_type_word(text_of(target->pass, op->name)), hash, links);
    target->at_ns = op->begin_ns;
    target->track = op->track;
    target->device = op->device;
    done = emit_figures(target, name, hash, &figures, FALSE);
    figures_clear(&figures);
    return done;
}

/* Returns whether records are emitted for the operation. The Ascend profiler writes nothing about
 * communication for results without tasks (level 0), so an imported operation needs tasks.
 * Operations from process groups on the host and from MSPTI never have tasks: for these, only the
 * begin and the duration are emitted. */
static gboolean is_told(const Communication *pass, const CommOp *op)
{
    return op->n_tasks || (!pass->is_import && (op->device < 0 || !pass->is_external));
}

/* Emits the records of a step's operations of one type. `members` has the indexes of the step's
 * operations. */
static gboolean emit_part(Communication *pass, const StrobeStep *step, const GArray *members,
                          gboolean is_p2p)
{
    g_autoptr(GPtrArray) matrix = matrix_new();
    Target target = {.pass = pass, .step = step, .type = is_p2p ? "p2p" : "collective"};
    Figures sum = {0};
    gboolean done = TRUE;

    for (guint i = 0; i < members->len && done; i++) {
        const CommOp *op = &g_array_index(pass->ops, CommOp, g_array_index(members, guint, i));

        if (is_told(pass, op) && comm_is_p2p(text_of(pass, op->name)) == is_p2p)
            done = emit_op(&target, op, matrix, &sum);
    }
    target.track = 0;
    if (done && sum.has_time)
        done = emit_figures(&target, "Total Op Info", "", &sum, TRUE) &&
               matrix_rank(matrix, emit_link, &target);
    figures_clear(&sum);
    return done;
}

/* Returns a list for each step with the indexes of its operations, in order. If there are no steps,
 * one list has all operations. An operation outside of every step is in no list. */
static GPtrArray *share_out(Communication *pass)
{
    const StrobeSteps *steps = &pass->steps;
    GPtrArray *lists = g_ptr_array_new_with_free_func((GDestroyNotify)(void *)g_array_unref);

    for (guint i = 0; i < MAX(steps->n, 1); i++)
        g_ptr_array_add(lists, g_array_new(FALSE, FALSE, sizeof(guint)));
    for (guint i = 0; i < pass->ops->len; i++) {
        const StrobeStep *step = step_of(pass, &g_array_index(pass->ops, CommOp, i));
        gsize at = step ? (gsize)(step - steps->items) : 0;

        if (step || !steps->n)
            g_array_append_val((GArray *)g_ptr_array_index(lists, at), i);
    }
    return lists;
}

static StrobeStatus communication_end(void *state)
{
    Communication *pass = state;
    g_autoptr(GPtrArray) lists = NULL;
    gboolean done = TRUE;

    comm_tasks_assign(pass->ops, &pass->tasks);
    lists = share_out(pass);
    for (guint i = 0; i < lists->len && done; i++) {
        const GArray *members = g_ptr_array_index(lists, i);
        const StrobeStep *step = pass->steps.n ? &pass->steps.items[i] : NULL;

        done = emit_part(pass, step, members, TRUE) && emit_part(pass, step, members, FALSE);
    }
    if (!done)
        return pass->host->fail(pass->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                                "Cannot emit communication: the host has no room for it");
    if (pass->n_dropped)
        pass->host->log(pass->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " communication records beyond the first %u take no "
                        "part",
                        pass->n_dropped, TASKS_MAX);
    return STROBE_OK;
}

const StrobeConsumerOps communication_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = communication_open,
    .batch = communication_batch,
    .end = communication_end,
    .close = communication_close,
};
