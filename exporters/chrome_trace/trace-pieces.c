/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-pieces.h"

#include <pthread.h>

#define PIECES 8u              /* of a stretch, so that no thread waits long for another one */
#define STRETCH 2048u          /* records that are cut up together */
#define PIECE_RECORDS 96u      /* fewer are not worth waking a thread */
#define PIECE_BYTES (1u << 20) /* of a piece in memory; who has longer texts goes on in order */
#define LOOK 8u                /* so many records, and a look at its size */

typedef struct Piece {
    ChromeTrace trace; /* what writers see: the parts of the file that the piece is composed in */
    TraceRows rows;    /* the same rows, found by a memory of its own */
    guint from, done, until; /* records of the stretch */
} Piece;

struct TracePieces {
    ChromeTrace *trace;
    Piece *all;
    pthread_mutex_t lock;
    GPtrArray *texts; /* of TextCache, that no thread has; the trace's own among them */
    guint n_texts;
    /* The stretch. */
    const StrobeView *records;
    const TraceKind *kinds[STRETCH];
};

static void init_piece(Piece *piece, const ChromeTrace *trace)
{
    piece->trace = (ChromeTrace){.host = trace->host,
                                 .self = trace->self,
                                 .rows = &piece->rows,
                                 .is_import = trace->is_import,
                                 .has_steps = trace->has_steps,
                                 .is_prepared = TRUE};
    trace_out_init_held(&piece->trace.main, -1, G_MAXSIZE);
    trace_out_init_event(&piece->trace.event);
    trace_groups_init_memory(&piece->trace.python);
    trace_groups_init_memory(&piece->trace.devices);
}

static void clear_piece(Piece *piece)
{
    trace_out_clear(&piece->trace.main);
    trace_out_clear(&piece->trace.event);
    trace_groups_clear(&piece->trace.python);
    trace_groups_clear(&piece->trace.devices);
}

TracePieces *trace_pieces_new(ChromeTrace *trace)
{
    const guint n = trace->host->facts(trace->self)->n_threads;
    TracePieces *pieces;

    if (n < 2 || trace->is_old || trace->gate)
        return NULL;
    pieces = g_new0(TracePieces, 1);
    pieces->trace = trace;
    pieces->all = g_new0(Piece, PIECES);
    for (guint i = 0; i < PIECES; i++)
        init_piece(&pieces->all[i], trace);
    pthread_mutex_init(&pieces->lock, NULL);
    pieces->texts = g_ptr_array_new();
    pieces->n_texts = MIN(n, PIECES);
    g_ptr_array_add(pieces->texts, trace->texts);
    while (pieces->texts->len < pieces->n_texts)
        g_ptr_array_add(pieces->texts, text_cache_new(trace->host, trace->self, pieces->n_texts));
    return pieces;
}

void trace_pieces_free(TracePieces *pieces)
{
    if (!pieces)
        return;
    for (guint i = 0; i < PIECES; i++)
        clear_piece(&pieces->all[i]);
    for (guint i = 0; i < pieces->texts->len; i++)
        if (pieces->texts->pdata[i] != pieces->trace->texts)
            text_cache_free(pieces->texts->pdata[i]);
    g_ptr_array_unref(pieces->texts);
    pthread_mutex_destroy(&pieces->lock);
    g_free(pieces->all);
    g_free(pieces);
}

/* ---- by any thread ---- */

static gsize piece_bytes(const Piece *piece)
{
    return piece->trace.main.used + trace_groups_bytes(&piece->trace.python) +
           trace_groups_bytes(&piece->trace.devices);
}

static gboolean is_composed(const TraceKind *kind)
{
    return kind->prepare != NULL;
}

static void compose(const TracePieces *pieces, ChromeTrace *trace, guint at)
{
    if (is_composed(pieces->kinds[at]))
        pieces->kinds[at]->write(trace, pieces->kinds[at], &pieces->records[at]);
}

/* There are as many as threads that compose. */
static TextCache *take_texts(TracePieces *pieces)
{
    TextCache *texts;

    pthread_mutex_lock(&pieces->lock);
    texts = g_ptr_array_steal_index_fast(pieces->texts, pieces->texts->len - 1);
    pthread_mutex_unlock(&pieces->lock);
    return texts;
}

static void give_texts(TracePieces *pieces, TextCache *texts)
{
    pthread_mutex_lock(&pieces->lock);
    g_ptr_array_add(pieces->texts, texts);
    pthread_mutex_unlock(&pieces->lock);
}

static void compose_piece(void *user, uint32_t number)
{
    TracePieces *pieces = user;
    Piece *piece = &pieces->all[number];

    piece->rows = *pieces->trace->rows;
    piece->trace.texts = take_texts(pieces);
    for (piece->done = piece->from; piece->done < piece->until; piece->done++) {
        if ((piece->done - piece->from) % LOOK == 0 && piece_bytes(piece) > PIECE_BYTES)
            break;
        compose(pieces, &piece->trace, piece->done);
    }
    give_texts(pieces, piece->trace.texts);
}

/* ---- in order ---- */

static void join(TracePieces *pieces, Piece *piece)
{
    ChromeTrace *trace = pieces->trace;

    trace_out_take(&trace->main, &piece->trace.main);
    trace_groups_take(&trace->python, &piece->trace.python);
    trace_groups_take(&trace->devices, &piece->trace.devices);
    for (guint at = piece->done; at < piece->until; at++)
        compose(pieces, trace, at);
}

static void write_stretch(TracePieces *pieces, guint n)
{
    const guint n_pieces = MIN(n / PIECE_RECORDS, PIECES);
    ChromeTrace *trace = pieces->trace;

    trace->is_prepared = TRUE;
    if (n_pieces < 2) {
        for (guint at = 0; at < n; at++)
            compose(pieces, trace, at);
    } else {
        for (guint i = 0; i < n_pieces; i++) {
            pieces->all[i].from = i * n / n_pieces;
            pieces->all[i].until = (i + 1) * n / n_pieces;
        }
        trace->host->side_by_side(trace->self, n_pieces, compose_piece, pieces);
        for (guint i = 0; i < n_pieces; i++)
            join(pieces, &pieces->all[i]);
    }
    trace->is_prepared = FALSE;
}

/* What depends on the order of records is done for as many as can be composed in pieces; others
 * write to parts that no piece has. FALSE: a record that is composed in its place comes next, for
 * which what depends on the order is `is_prepared`. */
static gboolean prepare(TracePieces *pieces, const StrobeView *records, gsize n, guint *n_prepared,
                        gboolean *is_prepared)
{
    ChromeTrace *trace = pieces->trace;
    guint at;

    *is_prepared = FALSE;
    pieces->records = records;
    for (at = 0; at < n && at < STRETCH; at++) {
        const TraceKind *kind = trace_find_kind(trace, records[at].kind);

        if (!kind->prepare && !kind->is_elsewhere)
            break;
        *is_prepared = kind->prepare != NULL;
        if (*is_prepared && !kind->prepare(trace, kind, &records[at]))
            break;
        if (!*is_prepared)
            kind->write(trace, kind, &records[at]);
        pieces->kinds[at] = kind;
    }
    *n_prepared = at;
    return at == n || at == STRETCH;
}

void trace_pieces_write(TracePieces *pieces, const StrobeView *records, gsize n)
{
    ChromeTrace *trace = pieces->trace;
    gboolean is_prepared;
    guint n_done;

    while (n) {
        const gboolean is_whole = prepare(pieces, records, n, &n_done, &is_prepared);

        write_stretch(pieces, n_done);
        if (!is_whole) {
            const TraceKind *kind = trace_find_kind(trace, records[n_done].kind);

            trace->is_prepared = is_prepared;
            kind->write(trace, kind, &records[n_done++]);
            trace->is_prepared = FALSE;
        }
        records += n_done;
        n -= n_done;
    }
}
