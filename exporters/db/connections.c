/* SPDX-License-Identifier: Apache-2.0 */
#include "connections.h"

#include <strobe/helpers/keyed-hash.h>

#define WAITING_MAX 65536u
#define THREADS_MAX 4096u

/* An enqueue or launch that waits for the operator that contains it. */
typedef struct Waiting {
    gint64 begin, end, value;
} Waiting;

/* The waiting enqueues and launches of a thread; each list is in the order of ends. */
typedef struct Thread {
    GArray *enqueues, *launches; /* elements of type Waiting */
} Thread;

struct Connections {
    Db *db;
    GHashTable *threads; /* global tid (gint64) -> Thread */
    gint64 last_tid;
    Thread *last;
    OutTable *queued, *launched, *direct; /* NULL: the table has no row yet */
    gboolean has_queue;
    guint64 n_forgotten;
};

static void free_thread(gpointer data)
{
    Thread *thread = data;

    g_array_unref(thread->enqueues);
    g_array_unref(thread->launches);
    g_free(thread);
}

Connections *connections_new(Db *db)
{
    Connections *c = g_new0(Connections, 1);

    c->db = db;
    c->threads = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, free_thread);
    return c;
}

void connections_free(Connections *c)
{
    g_hash_table_unref(c->threads);
    g_free(c);
}

guint64 connections_n_forgotten(const Connections *c)
{
    return c->n_forgotten;
}

/* Returns the thread. `makes`: adds the thread if it is new. */
static Thread *thread_of(Connections *c, gint64 tid, gboolean makes)
{
    Thread *thread = c->last;

    if (G_LIKELY(thread && c->last_tid == tid))
        return thread;
    thread = g_hash_table_lookup(c->threads, &tid);
    if (!thread && makes && g_hash_table_size(c->threads) < THREADS_MAX) {
        thread = g_new0(Thread, 1);
        thread->enqueues = g_array_new(FALSE, FALSE, sizeof(Waiting));
        thread->launches = g_array_new(FALSE, FALSE, sizeof(Waiting));
        g_hash_table_insert(c->threads, g_memdup2(&tid, sizeof tid), thread);
    }
    if (thread) {
        c->last = thread;
        c->last_tid = tid;
    }
    return thread;
}

static void wait_for(Connections *c, GArray *list, const Waiting *item)
{
    /* drops the older half, which probably belongs to no operator */
    if (list->len == WAITING_MAX) {
        g_array_remove_range(list, 0, WAITING_MAX / 2);
        c->n_forgotten += WAITING_MAX / 2;
    }
    g_array_append_vals(list, item, 1);
}

/* Returns the number of entries at the end of the list that begin after `begin`: those that may be
 * inside a span that begins then. */
static guint n_behind(const GArray *list, gint64 begin)
{
    guint n = 0;

    while (n < list->len && g_array_index(list, Waiting, list->len - 1 - n).begin > begin)
        n++;
    return n;
}

static gboolean has_inside(const GArray *list, gint64 begin, gint64 end)
{
    guint n = n_behind(list, begin);

    return n && g_array_index(list, Waiting, list->len - n).end < end;
}

static OutTable *open_scratch_table(Connections *c, OutTable **table, const char *name,
                                    const char *create)
{
    if (!*table)
        *table = out_db_table(c->db->out, OUT_SCRATCH, name, create, 3, -1);
    return *table;
}

static void add_row(Connections *c, OutTable *table, gint64 key, gint64 value, gint64 time)
{
    RowBuffer *rows = out_db_rows(c->db->out);

    row_begin(rows, table);
    row_int(rows, key);
    row_int(rows, value);
    row_int(rows, time);
    db_row_done(c->db, rows);
}

/* Moves the entries that are inside the span from the list to rows of `table`, with the key
 * `key`. */
static void take_inside(Connections *c, GArray *list, gint64 begin, gint64 end, OutTable *table,
                        gint64 key)
{
    guint first = list->len - n_behind(list, begin), n = 0;

    while (first + n < list->len && g_array_index(list, Waiting, first + n).end < end) {
        const Waiting *item = &g_array_index(list, Waiting, first + n);

        add_row(c, table, key, item->value, item->begin);
        n++;
    }
    if (n)
        g_array_remove_range(list, first, n);
}

void connections_enqueue(Connections *c, gint64 tid, gint64 begin, gint64 end, gint64 correlation)
{
    const Waiting item = {begin, end, correlation};
    Thread *thread = thread_of(c, tid, TRUE);

    c->has_queue = TRUE;
    if (thread)
        wait_for(c, thread->enqueues, &item);
}

void connections_launch(Connections *c, gint64 tid, gint64 begin, gint64 end, gint64 connection)
{
    const Waiting item = {begin, end, connection};
    Thread *thread = thread_of(c, tid, TRUE);

    if (thread)
        wait_for(c, thread->launches, &item);
}

void connections_dequeue(Connections *c, gint64 tid, gint64 begin, gint64 end, gint64 correlation)
{
    Thread *thread = thread_of(c, tid, FALSE);

    c->has_queue = TRUE;
    if (thread && has_inside(thread->launches, begin, end))
        take_inside(c, thread->launches, begin, end,
                    open_scratch_table(c, &c->launched, "launched",
                                       "CREATE TABLE launched(correlation, connection, begin)"),
                    correlation);
}

gboolean connections_has(Connections *c, gint64 tid, gint64 begin, gint64 end)
{
    const Thread *thread = thread_of(c, tid, FALSE);

    return thread && (has_inside(thread->enqueues, begin, end) ||
                      (!c->has_queue && has_inside(thread->launches, begin, end)));
}

void connections_claim(Connections *c, gint64 tid, gint64 begin, gint64 end, guint32 op)
{
    Thread *thread = thread_of(c, tid, FALSE);

    if (has_inside(thread->enqueues, begin, end))
        take_inside(c, thread->enqueues, begin, end,
                    open_scratch_table(c, &c->queued, "queued",
                                       "CREATE TABLE queued(op, correlation, begin)"),
                    op);
    if (!c->has_queue && has_inside(thread->launches, begin, end))
        take_inside(c, thread->launches, begin, end,
                    open_scratch_table(c, &c->direct, "direct",
                                       "CREATE TABLE direct(op, connection, begin)"),
                    op);
}

static void add_links(Connections *c, StrobeExternalSorter *links, const char *query)
{
    sqlite3 *sql = out_db_wait(c->db->out, OUT_SCRATCH);
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE;

    if (!sql)
        return;
    if (sqlite3_prepare_v2(sql, query, -1, &statement, NULL))
        code = SQLITE_ERROR;
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW)
        add_op_link(links, (guint32)sqlite3_column_int64(statement, 0),
                    sqlite3_column_int64(statement, 1));
    if (code != SQLITE_DONE)
        out_db_fail(c->db->out, OUT_SCRATCH);
    sqlite3_finalize(statement);
}

void connections_end(Connections *c, StrobeExternalSorter *links)
{
    if (c->queued && c->launched) {
        out_db_run(c->db->out, OUT_SCRATCH, "CREATE INDEX of_launched ON launched(correlation)");
        add_links(c, links,
                  "SELECT q.op, l.connection FROM queued q JOIN launched l "
                  "ON l.correlation = q.correlation ORDER BY q.op, l.begin, l.rowid");
    } else if (c->direct && !c->has_queue) {
        add_links(c, links, "SELECT op, connection FROM direct ORDER BY op, begin, rowid");
    }
}
