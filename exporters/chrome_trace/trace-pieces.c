/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-pieces.h"

#include <pthread.h>

#define PIECES 16u                /* of a round, so that no thread waits long for another one */
#define STRETCH 2048u             /* records that are cut up together */
#define PIECE_RECORDS 96u         /* fewer are not worth waking a thread */
#define PIECE_BYTES (512u << 10)  /* of a piece in memory; who has longer texts goes on in order */
#define SORTED_BYTES (512u << 10) /* of what was put in order, cut up together */

typedef struct Job {
    const TraceKind *kind; /* NULL: an event that was composed when it came */
    const StrobeView *record;
    const TraceRow *row;
    const char *text;
    gsize length;
} Job;

typedef struct Piece Piece;

/* Composes what is left of a piece, as long as there are no more than `most` bytes of it. */
typedef void (*Compose)(ChromeTrace *trace, Piece *piece, gsize most);

struct Piece {
    gint is_taken; /* atomic */
    TraceOut out;  /* by another thread than the first */
    const Job *from, *until;
    /* Or of a part that was held back. */
    TraceHeld *held;
    HeldReader reader;
    guint64 n_text; /* the thread that goes in order has to append, before what is left */
    char chunk[HELD_CHUNK];
};

/* Pieces that are composed at once. */
typedef struct Round {
    Piece all[PIECES];
    guint n;
    guint n_written; /* of these, in the file */
} Round;

struct TracePieces {
    ChromeTrace *trace;
    Round *now;
    Round *before; /* of which not all is in the file yet */
    pthread_mutex_t lock;
    GPtrArray *others; /* of ChromeTrace, as other threads need it, that none has */
    guint n_parts;     /* threads that take part at most */
    Compose compose;
    guint n_jobs;
    Job jobs[STRETCH];
};

static ChromeTrace *other_new(const ChromeTrace *trace, guint n)
{
    ChromeTrace *other = g_new0(ChromeTrace, 1);

    other->host = trace->host;
    other->self = trace->self;
    other->rows = trace->rows;
    other->all_kinds = trace->all_kinds;
    other->is_old = trace->is_old;
    other->is_import = trace->is_import;
    other->has_steps = trace->has_steps;
    other->texts = text_cache_new(trace->host, trace->self, n);
    other->straight = &other->main;
    trace_out_init_event(&other->event);
    return other;
}

static void other_free(gpointer user)
{
    ChromeTrace *other = user;

    trace_out_clear(&other->event);
    text_cache_free(other->texts);
    g_free(other);
}

static Round *round_new(const ChromeTrace *trace)
{
    Round *round = g_new0(Round, 1);

    for (guint i = 0; i < PIECES; i++) {
        trace_out_init_held(&round->all[i].out, -1, G_MAXSIZE);
        held_reader_init(&round->all[i].reader, &trace->store);
    }
    return round;
}

static void round_free(Round *round)
{
    for (guint i = 0; i < PIECES; i++) {
        trace_out_clear(&round->all[i].out);
        held_reader_clear(&round->all[i].reader);
    }
    g_free(round);
}

TracePieces *trace_pieces_new(ChromeTrace *trace)
{
    const guint n = MIN(trace->host->facts(trace->self)->n_threads, PIECES);
    TracePieces *pieces;

    if (n < 2)
        return NULL;
    pieces = g_new0(TracePieces, 1);
    pieces->trace = trace;
    pieces->n_parts = n;
    pieces->now = round_new(trace);
    pieces->before = round_new(trace);
    pthread_mutex_init(&pieces->lock, NULL);
    pieces->others = g_ptr_array_new_with_free_func(other_free);
    while (pieces->others->len < n - 1)
        g_ptr_array_add(pieces->others, other_new(trace, n));
    return pieces;
}

void trace_pieces_free(TracePieces *pieces)
{
    if (!pieces)
        return;
    round_free(pieces->now);
    round_free(pieces->before);
    g_ptr_array_unref(pieces->others);
    pthread_mutex_destroy(&pieces->lock);
    g_free(pieces);
}

/* ---- by any thread ---- */

static void do_job(ChromeTrace *trace, const Job *job)
{
    if (job->kind)
        job->kind->compose(trace, job->kind, job->record, job->row);
    else
        trace_out_sink(&trace->main, job->text, job->length);
}

static void compose_jobs(ChromeTrace *trace, Piece *piece, gsize most)
{
    for (; piece->from < piece->until && trace->main.used <= most; piece->from++)
        do_job(trace, piece->from);
}

static void compose_chunk(ChromeTrace *trace, Piece *piece, gsize most)
{
    HeldEntry entry;

    while (!piece->n_text && trace->main.used <= most && held_reader_next(&piece->reader, &entry)) {
        const TraceKind *kind;

        piece->n_text = entry.n_text;
        if (entry.n_text)
            continue;
        kind = trace->all_kinds->pdata[entry.kind];
        entry.view.kind = kind->view;
        kind->compose(trace, kind, &entry.view, trace->rows->all->pdata[entry.row]);
    }
}

/* There are as many as threads that compose. */
static ChromeTrace *take_other(TracePieces *pieces)
{
    ChromeTrace *other;

    pthread_mutex_lock(&pieces->lock);
    other = pieces->others->pdata[--pieces->others->len];
    pthread_mutex_unlock(&pieces->lock);
    return other;
}

static void give_other(TracePieces *pieces, ChromeTrace *other)
{
    pthread_mutex_lock(&pieces->lock);
    pieces->others->pdata[pieces->others->len++] = other;
    pthread_mutex_unlock(&pieces->lock);
}

static gboolean take_piece(Piece *piece)
{
    return g_atomic_int_compare_and_exchange(&piece->is_taken, FALSE, TRUE);
}

/* The last pieces that nobody has, until there is none. */
static void compose_last(TracePieces *pieces)
{
    ChromeTrace *other = take_other(pieces);
    Round *round = pieces->now;

    for (guint i = round->n; i > 0; i--) {
        Piece *piece = &round->all[i - 1];

        if (!take_piece(piece))
            continue;
        other->main = piece->out;
        pieces->compose(other, piece, PIECE_BYTES);
        piece->out = other->main;
    }
    give_other(pieces, other);
}

/* ---- in order ---- */

static void write_rest(ChromeTrace *trace, Compose compose, Piece *piece)
{
    do {
        if (piece->n_text)
            trace_held_append(piece->held, piece->n_text, &trace->main);
        piece->n_text = 0;
        compose(trace, piece, G_MAXSIZE);
    } while (piece->n_text);
}

static void write_piece(TracePieces *pieces, Round *round)
{
    Piece *piece = &round->all[round->n_written++];

    trace_out_take(&pieces->trace->main, &piece->out);
    write_rest(pieces->trace, pieces->compose, piece);
}

static void write_round(TracePieces *pieces, Round *round)
{
    while (round->n_written < round->n)
        write_piece(pieces, round);
}

/* What is left of the round before; then the first pieces go straight to the file, up to one that
 * another thread has. */
static void write_first(TracePieces *pieces)
{
    Round *round = pieces->now;

    write_round(pieces, pieces->before);
    while (round->n_written < round->n && take_piece(&round->all[round->n_written]))
        write_piece(pieces, round);
}

static void do_part(void *user, uint32_t number)
{
    if (number)
        compose_last(user);
    else
        write_first(user);
}

/* What other threads have composed is put into the file in the next round, while they compose. */
static void begin_round(TracePieces *pieces, Compose compose, guint n)
{
    ChromeTrace *trace = pieces->trace;
    Round *round = pieces->now;

    pieces->compose = compose;
    round->n = n;
    round->n_written = 0;
    for (guint i = 0; i < n; i++)
        round->all[i].is_taken = FALSE;
    trace->straight = &trace->main;
    if (n > 1)
        trace->host->side_by_side(trace->self, pieces->n_parts, do_part, pieces);
    else
        write_first(pieces);
    trace->straight = NULL;
    pieces->now = pieces->before;
    pieces->before = round;
}

static void end_rounds(TracePieces *pieces)
{
    ChromeTrace *trace = pieces->trace;

    trace->straight = &trace->main;
    write_round(pieces, pieces->before);
    trace->straight = NULL;
}

void trace_pieces_flush(TracePieces *pieces)
{
    const guint n_jobs = pieces->n_jobs, n = CLAMP(n_jobs / PIECE_RECORDS, 1, PIECES);

    for (guint i = 0; i < n; i++) {
        pieces->now->all[i].from = pieces->jobs + i * n_jobs / n;
        pieces->now->all[i].until = pieces->jobs + (i + 1) * n_jobs / n;
    }
    begin_round(pieces, compose_jobs, n);
    end_rounds(pieces); /* the records are gone then */
    pieces->n_jobs = 0;
}

void trace_pieces_add(TracePieces *pieces, const TraceKind *kind, const StrobeView *record,
                      const TraceRow *row)
{
    pieces->jobs[pieces->n_jobs++] = (Job){kind, record, row, NULL, 0};
    if (pieces->n_jobs == STRETCH)
        trace_pieces_flush(pieces);
}

/* ---- what was held back ---- */

static gboolean begin_chunk(ChromeTrace *trace, Piece *piece, TraceHeld *held, guint i)
{
    gsize length;

    piece->held = held;
    if (held_log_read(held->log, i, piece->chunk, &length))
        return FALSE; /* which the store's error says */
    held_reader_begin(&piece->reader, piece->chunk, length);
    return TRUE;
}

static void write_chunks(ChromeTrace *trace, TraceHeld *held, guint n)
{
    Piece *piece = g_new0(Piece, 1);

    held_reader_init(&piece->reader, &trace->store);
    trace->straight = &trace->main;
    for (guint i = 0; i < n && !trace->main.error && begin_chunk(trace, piece, held, i); i++)
        write_rest(trace, compose_chunk, piece);
    trace->straight = NULL;
    held_reader_clear(&piece->reader);
    g_free(piece);
}

void trace_pieces_write_held(TracePieces *pieces, ChromeTrace *trace, TraceHeld *held)
{
    const guint n = trace_held_n_chunks(held);

    if (!pieces)
        write_chunks(trace, held, n);
    for (guint done = 0; pieces && done < n && !trace->main.error; done += PIECES) {
        guint k = 0;

        while (k < MIN(n - done, PIECES) &&
               begin_chunk(trace, &pieces->now->all[k], held, done + k))
            k++;
        begin_round(pieces, compose_chunk, k);
    }
    if (pieces)
        end_rounds(pieces);
    trace_held_append(held, G_MAXUINT64, &trace->main);
}

/* ---- what was put in order ---- */

/* What the sorter hands on stays no longer than the call. */
typedef struct Sorting {
    ChromeTrace *trace;
    TracePieces *pieces; /* NULL: by one thread */
    const TraceSorter *sorter;
    StrobeView views[STRETCH];
    gsize used;
    _Alignas(8) char bytes[SORTED_BYTES];
} Sorting;

static Job job_of(const ChromeTrace *trace, const TraceSorted *sorted, StrobeView *view)
{
    const TraceKind *kind;

    if (sorted->text)
        return (Job){.text = sorted->text, .length = sorted->length};
    kind = trace->all_kinds->pdata[sorted->kind];
    *view = sorted->view;
    view->kind = kind->view;
    return (Job){.kind = kind, .record = view, .row = trace->rows->all->pdata[sorted->row]};
}

static void write_job(ChromeTrace *trace, const Job *job)
{
    trace->straight = &trace->main;
    do_job(trace, job);
    trace->straight = NULL;
}

static void flush_sorted(Sorting *sorting)
{
    if (sorting->pieces)
        trace_pieces_flush(sorting->pieces);
    sorting->used = 0;
}

static void add_job(Sorting *sorting, const char *bytes, gsize length, gsize room)
{
    TracePieces *pieces = sorting->pieces;
    char *at = sorting->bytes + sorting->used;
    const guint i = pieces ? pieces->n_jobs : 0;
    TraceSorted sorted;
    Job job;

    trace_sorter_read(sorting->sorter, &sorted, bytes, length, at);
    job = job_of(sorting->trace, &sorted, &sorting->views[i]);
    if (!pieces) {
        write_job(sorting->trace, &job);
        return;
    }
    sorting->used += (room + 7) & ~(gsize)7;
    pieces->jobs[pieces->n_jobs++] = job;
    if (pieces->n_jobs == STRETCH)
        flush_sorted(sorting);
}

static int take_sorted(void *user, const char *bytes, size_t length)
{
    Sorting *sorting = user;
    const gsize room = trace_sorter_room(sorting->sorter, bytes, length);

    if (sorting->used + room + 8 > SORTED_BYTES)
        flush_sorted(sorting);
    if (room + 8 > SORTED_BYTES) /* a long text */
        trace_out_sink(&sorting->trace->main, bytes, length);
    else
        add_job(sorting, bytes, length, room);
    return sorting->trace->main.error;
}

void trace_pieces_write_sorted(TracePieces *pieces, ChromeTrace *trace, TraceSorter *sorter)
{
    Sorting *sorting;

    if (!sorter->has_events)
        return;
    sorting = g_new(Sorting, 1);
    sorting->trace = trace;
    sorting->pieces = pieces;
    sorting->sorter = sorter;
    sorting->used = 0;
    trace_sorter_finish(sorter, take_sorted, sorting);
    flush_sorted(sorting);
    g_free(sorting);
}
