/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-pieces.h"

#define PIECES 16u                /* of a round, so that no thread waits long for another one */
#define STRETCH 2048u             /* records that are cut up together */
#define PIECE_RECORDS 96u         /* fewer are not worth waking a thread */
#define PIECE_BYTES (512u << 10)  /* of a piece in memory; who has longer texts goes on in order */
#define SORTED_BYTES (512u << 10) /* of what was put in order, cut up together */

typedef struct Job {
    const TraceKind *kind;
    const StrobeView *record;
    const TraceRow *row;
} Job;

/* What was put in order, as the sorter has it. */
typedef struct Ordered {
    const char *bytes;
    gsize length;
} Ordered;

typedef struct Piece Piece;

/* Composes what is left of a piece, as long as there are no more than `most` bytes of it. FALSE:
 * something is left. */
typedef gboolean (*Compose)(ChromeTrace *trace, Piece *piece, gsize most);

struct Piece {
    gint is_taken;               /* atomic */
    gboolean is_whole;           /* all of it is composed */
    gboolean is_written;         /* by who writes */
    const ChromeTrace *composer; /* of which part: mostly the same thread has that again */
    TraceOut out;
    TracePlace place;
    guint from, until; /* of the stretch */
    const Job *jobs;
    /* Or of what was put in order. */
    const Ordered *ordered;
    const TraceSorter *sorter;
    GArray *words; /* of one record */
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
    guint n_written; /* by who writes */
} Round;

struct TracePieces {
    ChromeTrace *trace;
    StrobeSafeFile *file;
    gboolean has_places; /* in the file; FALSE: pieces are written in order */
    Round *now;
    Round *before;     /* of which not all is in the file yet */
    gint is_writing;   /* somebody; atomic */
    GPtrArray *others; /* of ChromeTrace, for each part but the first */
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
        round->all[i].words = g_array_new(FALSE, FALSE, sizeof(guint32));
    }
    return round;
}

static void round_free(Round *round)
{
    for (guint i = 0; i < PIECES; i++) {
        trace_out_clear(&round->all[i].out);
        held_reader_clear(&round->all[i].reader);
        g_array_unref(round->all[i].words);
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
    pieces->file = trace->main.file;
    pieces->has_places = trace_out_has_places(&trace->main);
    pieces->n_parts = n;
    pieces->now = round_new(trace);
    pieces->before = round_new(trace);
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
    g_free(pieces);
}

/* ---- by any thread ---- */

static gboolean compose_jobs(ChromeTrace *trace, Piece *piece, gsize most)
{
    for (; piece->from < piece->until && trace->main.used <= most; piece->from++) {
        const Job *job = &piece->jobs[piece->from];

        job->kind->compose(trace, job->kind, job->record, job->row);
    }
    return piece->from == piece->until;
}

/* A record, or an event that was composed when it came. */
static void compose_row(ChromeTrace *trace, const TraceSorter *sorter, GArray *words,
                        const Ordered *ordered)
{
    TraceSorted sorted;
    const TraceKind *kind;

    g_array_set_size(words, trace_sorter_n_words(sorter, ordered->bytes));
    if (words->len == 0) {
        trace_out_sink(&trace->main, ordered->bytes, ordered->length);
        return;
    }
    trace_sorter_read(sorter, &sorted, ordered->bytes, (guint32 *)(gpointer)words->data);
    kind = trace->all_kinds->pdata[sorted.kind];
    sorted.view.kind = kind->view;
    kind->compose(trace, kind, &sorted.view, trace->rows->all->pdata[sorted.row]);
}

static gboolean compose_ordered(ChromeTrace *trace, Piece *piece, gsize most)
{
    for (; piece->from < piece->until && trace->main.used <= most; piece->from++)
        compose_row(trace, piece->sorter, piece->words, &piece->ordered[piece->from]);
    return piece->from == piece->until;
}

static void compose_entry(ChromeTrace *trace, HeldEntry *entry)
{
    const TraceKind *kind = trace->all_kinds->pdata[entry->kind];

    entry->view.kind = kind->view;
    kind->compose(trace, kind, &entry->view, trace->rows->all->pdata[entry->row]);
}

static gboolean compose_chunk(ChromeTrace *trace, Piece *piece, gsize most)
{
    HeldEntry entry;

    while (!piece->n_text && trace->main.used <= most) {
        if (!held_reader_next(&piece->reader, &entry))
            return TRUE;
        piece->n_text = entry.n_text;
        if (!entry.n_text)
            compose_entry(trace, &entry);
    }
    return FALSE;
}

static gboolean take_piece(Piece *piece)
{
    return g_atomic_int_compare_and_exchange(&piece->is_taken, FALSE, TRUE);
}

/* In the piece's own memory. */
static void compose_piece(TracePieces *pieces, ChromeTrace *trace, Piece *piece)
{
    TraceOut main = trace->main;

    trace->main = piece->out;
    piece->is_whole = pieces->compose(trace, piece, PIECE_BYTES);
    piece->out = trace->main;
    piece->composer = trace;
    trace->main = main;
}

/* Of the round before, a piece that the same part has composed; `composer` NULL: any. One thread
 * writes a file at a time: it is not waited for. FALSE: nothing to write now. */
static gboolean write_next(TracePieces *pieces, const ChromeTrace *composer)
{
    Round *round = pieces->before;
    gboolean has_written = FALSE;

    if (!pieces->has_places || !g_atomic_int_compare_and_exchange(&pieces->is_writing, FALSE, TRUE))
        return FALSE;
    for (guint i = 0; i < round->n && round->n_written < round->n && !has_written; i++) {
        Piece *piece = &round->all[i];

        if (piece->is_written || (composer && piece->composer != composer))
            continue;
        trace_out_write_placed(pieces->file, &piece->out, &piece->place);
        has_written = piece->is_written = TRUE;
        round->n_written++;
    }
    g_atomic_int_set(&pieces->is_writing, FALSE);
    return has_written;
}

static void write_placed(TracePieces *pieces, const ChromeTrace *composer)
{
    while (write_next(pieces, composer))
        ;
}

/* The first part begins with the first piece, others with the last one. */
static void compose_and_write(TracePieces *pieces, ChromeTrace *trace)
{
    Round *round = pieces->now;

    for (guint i = 0; i < round->n; i++) {
        Piece *piece = &round->all[trace == pieces->trace ? i : round->n - 1 - i];

        write_placed(pieces, trace);
        if (take_piece(piece))
            compose_piece(pieces, trace, piece);
    }
    write_placed(pieces, trace);
}

/* ---- in order ---- */

static void write_rest(ChromeTrace *trace, Compose compose, Piece *piece)
{
    while (!piece->is_whole) {
        if (piece->n_text)
            trace_held_append(piece->held, piece->n_text, &trace->main);
        piece->n_text = 0;
        piece->is_whole = compose(trace, piece, G_MAXSIZE);
    }
}

/* Those of the round before follow what is in the file: they have their places then, or are there
 * themselves. What is left of a piece, which is seldom, is composed here. */
static void follow(TracePieces *pieces)
{
    ChromeTrace *trace = pieces->trace;
    Round *round = pieces->before;

    if (round->n_written == round->n)
        return;
    for (guint i = 0; i < round->n; i++) {
        Piece *piece = &round->all[i];

        if (pieces->has_places)
            trace_out_place(&trace->main, &piece->out, &piece->place);
        else
            trace_out_take(&trace->main, &piece->out);
        write_rest(trace, pieces->compose, piece);
        if (!trace->main.error)
            trace->main.error = piece->out.error;
    }
    if (!pieces->has_places)
        round->n_written = round->n;
}

static void do_part(void *user, uint32_t number)
{
    TracePieces *pieces = user;

    if (number == 0 && !pieces->has_places)
        follow(pieces);
    compose_and_write(pieces, number ? pieces->others->pdata[number - 1] : pieces->trace);
}

/* What is composed is put into the file in the next round, while others are composed. */
static void share_round(TracePieces *pieces, guint n)
{
    ChromeTrace *trace = pieces->trace;
    Round *round = pieces->now;

    round->n = n;
    round->n_written = 0;
    for (guint i = 0; i < n; i++)
        round->all[i].is_taken = round->all[i].is_written = FALSE;
    trace->host->side_by_side(trace->self, pieces->n_parts, do_part, pieces);
    write_placed(pieces, NULL);
    pieces->now = pieces->before;
    pieces->before = round;
    if (pieces->has_places)
        follow(pieces);
}

/* A piece alone goes straight into the file. */
static void begin_round(TracePieces *pieces, Compose compose, guint n)
{
    ChromeTrace *trace = pieces->trace;

    pieces->compose = compose;
    trace->straight = &trace->main;
    if (n > 1) {
        share_round(pieces, n);
    } else {
        if (!pieces->has_places)
            follow(pieces);
        if (n)
            write_rest(trace, compose, &pieces->now->all[0]);
    }
    trace->straight = NULL;
}

/* The records of the round are gone then, and something else may follow. */
static void end_rounds(TracePieces *pieces)
{
    if (pieces->has_places)
        return;
    pieces->trace->straight = &pieces->trace->main;
    follow(pieces);
    pieces->trace->straight = NULL;
}

void trace_pieces_finish(TracePieces *pieces)
{
    if (pieces)
        write_placed(pieces, NULL);
}

/* So many of them, in pieces of like size. */
static guint cut(TracePieces *pieces, guint n_all)
{
    const guint n = CLAMP(n_all / PIECE_RECORDS, 1, PIECES);

    for (guint i = 0; i < n; i++) {
        pieces->now->all[i].is_whole = FALSE;
        pieces->now->all[i].from = i * n_all / n;
        pieces->now->all[i].until = (i + 1) * n_all / n;
    }
    return n;
}

void trace_pieces_flush(TracePieces *pieces)
{
    const guint n = cut(pieces, pieces->n_jobs);

    for (guint i = 0; i < n; i++)
        pieces->now->all[i].jobs = pieces->jobs;
    begin_round(pieces, compose_jobs, n);
    end_rounds(pieces);
    pieces->n_jobs = 0;
}

void trace_pieces_add(TracePieces *pieces, const TraceKind *kind, const StrobeView *record,
                      const TraceRow *row)
{
    pieces->jobs[pieces->n_jobs++] = (Job){kind, record, row};
    if (pieces->n_jobs == STRETCH)
        trace_pieces_flush(pieces);
}

/* ---- what was held back ---- */

static gboolean begin_chunk(ChromeTrace *trace, Piece *piece, TraceHeld *held, guint i)
{
    gsize length;

    piece->held = held;
    piece->is_whole = FALSE;
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
    GArray *words; /* of one record */
    Ordered ordered[STRETCH];
    guint n;
    gsize used;
    char bytes[SORTED_BYTES];
} Sorting;

static void flush_sorted(Sorting *sorting)
{
    TracePieces *pieces = sorting->pieces;
    const guint n = cut(pieces, sorting->n);

    for (guint i = 0; i < n; i++) {
        pieces->now->all[i].ordered = sorting->ordered;
        pieces->now->all[i].sorter = sorting->sorter;
    }
    begin_round(pieces, compose_ordered, n);
    end_rounds(pieces);
    sorting->n = 0;
    sorting->used = 0;
}

static void add_ordered(Sorting *sorting, const char *bytes, gsize length)
{
    char *copy = sorting->bytes + sorting->used;

    memcpy(copy, bytes, length);
    sorting->used += length;
    sorting->ordered[sorting->n++] = (Ordered){copy, length};
    if (sorting->n == STRETCH)
        flush_sorted(sorting);
}

static int take_sorted(void *user, const char *bytes, size_t length)
{
    Sorting *sorting = user;
    ChromeTrace *trace = sorting->trace;
    const Ordered ordered = {bytes, length};

    if (sorting->pieces && sorting->used + length > SORTED_BYTES)
        flush_sorted(sorting);
    if (sorting->pieces && length <= SORTED_BYTES) {
        add_ordered(sorting, bytes, length);
    } else {
        trace->straight = &trace->main;
        compose_row(trace, sorting->sorter, sorting->words, &ordered);
        trace->straight = NULL;
    }
    return trace->main.error;
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
    sorting->words = g_array_new(FALSE, FALSE, sizeof(guint32));
    sorting->n = 0;
    sorting->used = 0;
    trace_sorter_finish(sorter, take_sorted, sorting);
    if (pieces)
        flush_sorted(sorting);
    g_array_unref(sorting->words);
    g_free(sorting);
}
