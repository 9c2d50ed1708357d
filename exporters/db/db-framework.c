/* SPDX-License-Identifier: Apache-2.0 */
#include "db-framework.h"

#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/record-log.h>

#include "connections.h"
#include "sequences.h"

enum { API_OP = 50001, API_QUEUE = 50002, API_PYTHON = 50003 };
enum { API_COLUMNS_EMPTY = 5 }; /* number of the columns from sequenceNumber to callchainId */

/* Newer versions of the Ascend profiler add this to the ids of the queue, so that they differ from
 * the ids of the runtime. */
#define QUEUE_IDS ((gint64)5 << 28)
#define STEP_NAME "ProfilerStep#"
#define STEPS_MAX 1000000u
#define FRAMES_MAX 1024u /* maximum number of frames of a call chain */
#define PLAIN_NAMES 1024u

typedef struct Step {
    gint64 number, begin, end, tid;
    StrobeStringId name;
} Step;

struct Framework {
    Db *db;
    OutTable *api, *ids, *chains;
    Connections *connections;
    Sequences *sequences;
    StrobeExternalSorter *links; /* elements of type OpLink: links of operators */
    StrobeRecordLog *held;       /* elements of type OpRow */
    gint64 next_id, next_chain;
    gint64 max_correlation; /* the largest id in the queue; -1: there is no queue */
    GArray *op_steps;       /* elements of type Step: steps that operators announce */
    /* elements of type Step: steps that have their own records */
    GArray *steps;
    StrobeStringId plain[PLAIN_NAMES]; /* a cache of names that are not names of steps */
};

/* The row of an operator that waits for its connection. The members of 32 bits are numbers of
 * texts, which are below 2^32. */
typedef struct OpRow {
    gint64 begin, end, tid, sequence, forward;
    gint64 chain; /* NO_CHAIN: there is none */
    guint32 name, shapes, types, reserved;
} OpRow;

#define NO_CHAIN G_MININT64
#define NO_CONNECTION G_MININT64         /* the operator has no connection */
#define NEVER_CONNECTED (G_MININT64 + 1) /* the row can never have a connection */

/* Adds a link for each of the two operators of a pair. The value of such a link is negative until
 * the ids of the queue are known; then it becomes the id of the pair. */
static void add_pair(gpointer user, gint64 n, guint32 forward, guint32 backward)
{
    Framework *f = user;

    add_op_link(f->links, forward, -1 - n);
    add_op_link(f->links, backward, -1 - n);
}

Framework *framework_new(Db *db)
{
    StrobeStorage *storage = db->host->storage(db->self);
    Framework *f = g_new0(Framework, 1);

    f->db = db;
    f->connections = connections_new(db);
    f->sequences = sequences_new(add_pair, f);
    f->links = strobe_external_sorter_new(storage);
    f->held = strobe_record_log_new(storage);
    f->max_correlation = -1;
    f->op_steps = g_array_new(FALSE, FALSE, sizeof(Step));
    f->steps = g_array_new(FALSE, FALSE, sizeof(Step));
    return f;
}

void framework_free(Framework *f)
{
    if (!f)
        return;
    connections_free(f->connections);
    sequences_free(f->sequences);
    strobe_external_sorter_free(f->links);
    strobe_record_log_free(f->held);
    g_array_unref(f->op_steps);
    g_array_unref(f->steps);
    g_free(f);
}

/* ---- rows ---- */

static OutTable *api_table(Framework *f)
{
    if (!f->api)
        f->api = db_table_named(f->db, "PYTORCH_API");
    return f->api;
}

static void put_time(RowBuffer *rows, gint64 ns)
{
    char digits[STROBE_NUMBER_MAX];

    row_text(rows, digits, strobe_format_int(digits, ns));
}

static void put_begin(Framework *f, RowBuffer *rows, const StrobeView *record)
{
    put_time(rows, record->begin_ns);
    put_time(rows, record->end_ns);
    row_int(rows, db_global_tid(f->db, record->track));
}

static void put_name(Framework *f, RowBuffer *rows, StrobeStringId name)
{
    row_int(rows, string_ids_of(f->db->strings, STRING_FRAMEWORK, name));
}

/* Writes NULL for the sentinel value. */
static void put_unless(RowBuffer *rows, gint64 value, gint64 nothing)
{
    if (value == nothing)
        row_null(rows);
    else
        row_int(rows, value);
}

static void add_connection(Framework *f, gint64 id, gint64 connection)
{
    RowBuffer *rows = out_db_rows(f->db->out);

    if (!f->ids)
        f->ids = db_table_named(f->db, "CONNECTION_IDS");
    row_begin(rows, f->ids);
    row_int(rows, id);
    row_int(rows, connection);
    row_end(rows);
    out_db_sent(f->db->out, rows);
}

/* ---- operators ---- */

static void add_chain(Framework *f, const StrobeStringId *frames, size_t n)
{
    if (!f->chains)
        f->chains = db_table_named(f->db, "PYTORCH_CALLCHAINS");
    for (size_t i = 0; i < n; i++) {
        RowBuffer *rows = out_db_rows(f->db->out);

        row_begin(rows, f->chains);
        row_int(rows, f->next_chain);
        row_int(rows, string_ids_of(f->db->strings, STRING_FRAMEWORK, frames[i]));
        row_int(rows, (gint64)i);
        db_row_done(f->db, rows);
    }
}

/* Indexes of the fields in a record of an operator. */
enum { OP_SEQUENCE, OP_FORWARD, OP_SHAPES, OP_TYPES, OP_STACK };

static const StrobeWantedField op_fields[] = {
    {"sequence", STROBE_FIELD_I64},  {"forward_thread", STROBE_FIELD_U64},
    {"shapes", STROBE_FIELD_STRING}, {"types", STROBE_FIELD_STRING},
    {"stack", STROBE_FIELD_STACK},
};

static guint32 text_id(Framework *f, guint form, StrobeStringId text)
{
    return (guint32)string_ids_of(f->db->strings, form, text);
}

static void read_op(Framework *f, const DbKind *kind, const StrobeView *record, gboolean has_chain,
                    OpRow *op)
{
    op->begin = record->begin_ns;
    op->end = record->end_ns;
    op->tid = db_global_tid(f->db, record->track);
    op->sequence = strobe_field_i64(record, kind->known[OP_SEQUENCE], -1);
    op->forward = (gint64)strobe_field_u64(record, kind->known[OP_FORWARD], 0);
    op->chain = has_chain ? f->next_chain : NO_CHAIN;
    op->name = text_id(f, STRING_FRAMEWORK, record->name);
    op->shapes = text_id(f, STRING_LIST, strobe_field_u32(record, kind->known[OP_SHAPES], 0));
    op->types = text_id(f, STRING_LIST, strobe_field_u32(record, kind->known[OP_TYPES], 0));
}

/* Writes the shapes and the types of the inputs; writes NULL for an empty list. */
static void put_inputs(Framework *f, RowBuffer *rows, const OpRow *op)
{
    /* up to generation 2 the Ascend profiler swaps the two columns */
    const gboolean is_swapped = f->db->generation < 3;

    put_unless(rows, is_swapped ? op->shapes : op->types, STRING_IDS_NONE);
    put_unless(rows, is_swapped ? op->types : op->shapes, STRING_IDS_NONE);
}

static void put_op(Framework *f, RowBuffer *rows, const OpRow *op, gint64 connection)
{
    row_begin(rows, api_table(f));
    put_time(rows, op->begin);
    put_time(rows, op->end);
    row_int(rows, op->tid);
    /* this NULL is as long as a number, because blocks of rows are filled by size */
    if (connection == NO_CONNECTION)
        row_nothing(rows);
    else
        put_unless(rows, connection, NEVER_CONNECTED);
    row_int(rows, op->name);
    row_int(rows, op->sequence);
    row_int(rows, op->forward);
    put_inputs(f, rows, op);
    put_unless(rows, op->chain, NO_CHAIN);
    row_int(rows, API_OP);
}

static void note_step(Framework *f, const StrobeView *record)
{
    StrobeStringId *plain = &f->plain[record->name % PLAIN_NAMES];
    Step step = {.begin = record->begin_ns, .end = record->end_ns};
    StrobeText name;

    if (*plain == record->name)
        return;
    name = f->db->host->string(f->db->self, record->name);
    if (name.length > strlen(STEP_NAME) && !memcmp(name.bytes, STEP_NAME, strlen(STEP_NAME)) &&
        g_ascii_string_to_signed(name.bytes + strlen(STEP_NAME), 10, 0, G_MAXINT64, &step.number,
                                 NULL) &&
        f->op_steps->len < STEPS_MAX)
        g_array_append_val(f->op_steps, step);
    else
        *plain = record->name;
}

void framework_take_op(Db *db, DbKind *kind, const StrobeView *record)
{
    Framework *f = db->framework;
    gint64 tid = db_global_tid(db, record->track);
    const StrobeStringId *frames = NULL;
    StrobeStackId stack;
    gint64 sequence;
    gboolean has_links;
    size_t n_frames = 0;
    RowBuffer *rows;
    guint32 number = (guint32)strobe_record_log_count(f->held);
    OpRow op = {0};

    if (G_UNLIKELY(!kind->known))
        db_kind_know(kind, op_fields, G_N_ELEMENTS(op_fields));
    stack = strobe_field_u32(record, kind->known[OP_STACK], 0);
    if (stack)
        n_frames = MIN(db->host->stack_frames(db->self, stack, &frames), FRAMES_MAX);
    sequence = strobe_field_i64(record, kind->known[OP_SEQUENCE], -1);
    has_links = connections_has(f->connections, tid, record->begin_ns, record->end_ns);
    note_step(f, record);
    if (has_links)
        connections_claim(f->connections, tid, record->begin_ns, record->end_ns, number);
    if (sequence >= 0)
        sequences_add(f->sequences, sequence,
                      strobe_field_u64(record, kind->known[OP_FORWARD], 0) != 0, number);
    read_op(f, kind, record, n_frames > 0, &op);
    if (has_links || sequence >= 0) {
        strobe_record_log_add(f->held, &op, sizeof op);
        db_strings_done(db);
    } else {
        rows = out_db_rows(db->out);
        put_op(f, rows, &op, NEVER_CONNECTED);
        db_row_done(db, rows);
    }
    if (n_frames) {
        add_chain(f, frames, n_frames);
        f->next_chain++;
    }
}

/* ---- garbage collections, steps and Python calls ---- */

static void put_end(RowBuffer *rows, gint64 type)
{
    for (guint i = 0; i < API_COLUMNS_EMPTY; i++)
        row_null(rows);
    row_int(rows, type);
}

enum { QUEUE_CORRELATION, QUEUE_IS_DEQUEUE };

static const StrobeWantedField queue_fields[] = {
    {"correlation", STROBE_FIELD_LINK},
    {"is_dequeue", STROBE_FIELD_BOOL},
};

void framework_take_queue(Db *db, DbKind *kind, const StrobeView *record)
{
    static const char *const words[] = {"Enqueue", "Dequeue"};
    Framework *f = db->framework;
    gint64 tid = db_global_tid(db, record->track), correlation, name;
    gboolean is_dequeue;
    RowBuffer *rows;

    if (!kind->known)
        db_kind_know(kind, queue_fields, G_N_ELEMENTS(queue_fields));
    correlation = db_link(strobe_field_u64(record, kind->known[QUEUE_CORRELATION], 0));
    is_dequeue = strobe_field_u8(record, kind->known[QUEUE_IS_DEQUEUE], 0) != 0;
    (is_dequeue ? connections_dequeue : connections_enqueue)(f->connections, tid, record->begin_ns,
                                                             record->end_ns, correlation);
    f->max_correlation = MAX(f->max_correlation, correlation);
    rows = out_db_rows(db->out);
    row_begin(rows, api_table(f));
    put_begin(f, rows, record);
    row_int(rows, f->next_id);
    name = string_ids_of(db->strings, STRING_FRAMEWORK, record->name);
    if (name == STRING_IDS_NONE)
        name = string_ids_word(db->strings, STRING_FRAMEWORK, words[is_dequeue]);
    row_int(rows, name);
    put_end(rows, API_QUEUE);
    db_row_done(db, rows);
    add_connection(f, f->next_id++, correlation + (db->generation == 3 ? QUEUE_IDS : 0));
}

void framework_take_python(Db *db, DbKind *kind, const StrobeView *record)
{
    Framework *f = db->framework;
    RowBuffer *rows = out_db_rows(db->out);

    row_begin(rows, api_table(f));
    put_begin(f, rows, record);
    row_null(rows);
    put_name(f, rows, record->name);
    put_end(rows, API_PYTHON);
    db_row_done(db, rows);
}

enum { CALL_LEVEL, CALL_CONNECTION };

static const StrobeWantedField call_fields[] = {
    {"level", STROBE_FIELD_STRING},
    {"connection", STROBE_FIELD_LINK},
};

static gboolean is_text(Db *db, StrobeStringId id, const char *text)
{
    return !g_ascii_strcasecmp(db->host->string(db->self, id).bytes, text);
}

void framework_take_api(Db *db, DbKind *kind, const StrobeView *record)
{
    guint64 connection;

    if (!kind->known)
        db_kind_know(kind, call_fields, G_N_ELEMENTS(call_fields));
    connection = strobe_field_u64(record, kind->known[CALL_CONNECTION], STROBE_ABSENT_U64);
    if (connection != STROBE_ABSENT_U64 && is_text(db, record->name, "launch") &&
        is_text(db, strobe_field_u32(record, kind->known[CALL_LEVEL], 0), "node"))
        connections_launch(db->framework->connections, db_global_tid(db, record->track),
                           record->begin_ns, record->end_ns, db_link(connection));
    row_map_put(db, db_kind_map(db, kind, 0, "CANN_API", NULL), record);
}

enum { STEP_NUMBER, STEP_THREAD };

static const StrobeWantedField step_fields[] = {
    {"number", STROBE_FIELD_I64},
    {"thread", STROBE_FIELD_U64},
};

void framework_take_step(Db *db, DbKind *kind, const StrobeView *record)
{
    Framework *f = db->framework;
    const StrobeTrackView *track = db_track(db, record->track);
    Step step = {.begin = record->begin_ns, .end = record->end_ns, .name = record->name};
    guint64 thread;

    if (!kind->known)
        db_kind_know(kind, step_fields, G_N_ELEMENTS(step_fields));
    row_map_put(db, db_kind_map(db, kind, 0, "STEP_TIME", NULL), record);
    thread = strobe_field_u64(record, kind->known[STEP_THREAD], 0);
    step.number = strobe_field_i64(record, kind->known[STEP_NUMBER], 0);
    step.tid = (gint64)((track ? track->pid << 32 : 0) | (thread & G_MAXUINT32));
    db->has_steps = TRUE;
    if (thread && thread != STROBE_ABSENT_U64 && f->steps->len < STEPS_MAX)
        g_array_append_val(f->steps, step);
}

/* ---- the end ---- */

/* If there are no records of steps, adds a row of STEP_TIME for each step that an operator
 * announces. If no operator announces steps, adds a row of PYTORCH_API for each record of a step.
 * In the Ascend profiler's databases every step has both rows. */
static void match_steps(Framework *f)
{
    const AscendDbTable *format = ascend_db_table("STEP_TIME");

    for (guint i = 0; !f->db->has_steps && i < f->op_steps->len; i++) {
        const Step *step = &g_array_index(f->op_steps, Step, i);
        OutTable *table = db_table(f->db, format, NULL, 0);
        RowBuffer *rows = out_db_rows(f->db->out);

        row_begin(rows, table);
        row_int(rows, step->number);
        row_int(rows, step->begin);
        row_int(rows, step->end);
        db_row_done(f->db, rows);
    }
    for (guint i = 0; !f->op_steps->len && i < f->steps->len; i++) {
        const Step *step = &g_array_index(f->steps, Step, i);
        OutTable *table = api_table(f);
        RowBuffer *rows = out_db_rows(f->db->out);

        row_begin(rows, table);
        put_time(rows, step->begin);
        put_time(rows, step->end);
        row_int(rows, step->tid);
        row_null(rows);
        put_name(f, rows, step->name);
        row_int(rows, -1);
        row_int(rows, 0);
        row_null(rows);
        row_null(rows);
        row_null(rows);
        row_int(rows, API_OP);
        db_row_done(f->db, rows);
    }
}

static gint64 connection_of(const Framework *f, gint64 link)
{
    gint64 first = f->max_correlation + 1 + (f->db->generation == 3 ? QUEUE_IDS : 0);

    return link < 0 ? first - 1 - link : link;
}

/* Writes the links of the operator `op`. `*link` is the next link in the order of operators; NULL:
 * there are no more. Returns whether the operator has links. */
static gboolean put_links(Framework *f, guint32 op, const OpLink **link)
{
    gboolean is_linked = FALSE;
    size_t length;

    for (; *link && (*link)->op == op; *link = strobe_external_sorter_next(f->links, &length)) {
        is_linked = TRUE;
        add_connection(f, f->next_id, connection_of(f, (*link)->value));
    }
    return is_linked;
}

static int put_held(Framework *f)
{
    StrobeRecordLogReader *reader = strobe_record_log_read(f->held);
    size_t length;
    const OpLink *link = strobe_external_sorter_next(f->links, &length);
    const OpRow *op;
    int error;

    for (guint32 n = 0; (op = strobe_record_log_next(reader, &length)); n++) {
        const gboolean is_linked = put_links(f, n, &link);
        RowBuffer *rows = out_db_rows(f->db->out);

        put_op(f, rows, op, is_linked ? f->next_id : NO_CONNECTION);
        row_end(rows);
        f->next_id += is_linked;
        out_db_sent(f->db->out, rows);
    }
    error = strobe_record_log_reader_error(reader);
    strobe_record_log_reader_free(reader);
    return error ? error : strobe_external_sorter_error(f->links);
}

void framework_end(Framework *f)
{
    int error;

    match_steps(f);
    sequences_end(f->sequences);
    connections_end(f->connections, f->links);
    error = put_held(f);
    if (error)
        strobe_storage_fail(f->db->host, f->db->self, "operators", error);
    if (connections_n_forgotten(f->connections))
        f->db->host->log(f->db->self, STROBE_LOG_WARNING,
                         "%" G_GUINT64_FORMAT " launches or entries of the task queue lie in no "
                         "operator that ended soon: they are not connected",
                         connections_n_forgotten(f->connections));
}
