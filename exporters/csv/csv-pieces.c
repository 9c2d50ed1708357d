/* SPDX-License-Identifier: Apache-2.0 */
#include "csv-pieces.h"

#include <pthread.h>

#define PIECES 8u                /* of a stretch, so that no thread waits long for another one */
#define STRETCH 2048u            /* rows that are cut up together */
#define PIECE_ROWS 96u           /* fewer are not worth waking a thread */
#define PIECE_BYTES (512u << 10) /* of a piece in memory; who has longer texts goes on in order */

/* A row that is to be composed; once it is, where it ends in its piece. */
typedef struct Row {
    CsvRows *rows;
    const StrobeView *record;
    StrobeRowKey key;
    gsize end;
    guint n_cells;
} Row;

typedef struct Piece {
    gint is_taken; /* atomic */
    CsvCells cells;
    guint from, done, until; /* rows of the stretch; those before `done` are in `cells` */
    int error;               /* of the row that it is not done with */
} Piece;

struct CsvPieces {
    Piece all[PIECES];
    pthread_mutex_t lock;
    GPtrArray *contexts; /* of CsvContext, the other threads', that none has */
    CsvContext *context; /* the caller's */
    guint n_parts;       /* threads that take part at most */
    /* The stretch. */
    Row rows[STRETCH];
    guint n, n_pieces;
    guint n_written; /* pieces whose rows are in their files */
    int error;
    CsvRows *failed;
};

CsvPieces *csv_pieces_new(CsvContext *context)
{
    const guint n = MIN(context->host->facts(context->self)->n_threads, PIECES);
    CsvPieces *pieces;

    if (n < 2)
        return NULL;
    pieces = g_new0(CsvPieces, 1);
    pthread_mutex_init(&pieces->lock, NULL);
    pieces->context = context;
    pieces->n_parts = n;
    pieces->contexts = g_ptr_array_new();
    while (pieces->contexts->len < n - 1)
        g_ptr_array_add(pieces->contexts, csv_context_copy(context, n - 1));
    return pieces;
}

void csv_pieces_free(CsvPieces *pieces)
{
    if (!pieces)
        return;
    for (guint i = 0; i < PIECES; i++)
        csv_cells_clear(&pieces->all[i].cells);
    for (guint i = 0; i < pieces->contexts->len; i++)
        csv_context_free(pieces->contexts->pdata[i]);
    g_ptr_array_unref(pieces->contexts);
    pthread_mutex_destroy(&pieces->lock);
    g_free(pieces);
}

/* ---- by any thread ---- */

/* There are as many as threads that compose. */
static CsvContext *take_context(CsvPieces *pieces)
{
    CsvContext *context;

    pthread_mutex_lock(&pieces->lock);
    context = g_ptr_array_steal_index_fast(pieces->contexts, pieces->contexts->len - 1);
    pthread_mutex_unlock(&pieces->lock);
    return context;
}

static void give_context(CsvPieces *pieces, CsvContext *context)
{
    pthread_mutex_lock(&pieces->lock);
    g_ptr_array_add(pieces->contexts, context);
    pthread_mutex_unlock(&pieces->lock);
}

static gboolean take_piece(Piece *piece)
{
    return g_atomic_int_compare_and_exchange(&piece->is_taken, FALSE, TRUE);
}

static void compose(CsvPieces *pieces, CsvContext *context, Piece *piece)
{
    CsvCells cells = piece->cells; /* pieces of several threads share lines of the cache */
    int error = 0;
    guint i;

    cells.used = 0;
    for (i = piece->from; i < piece->until && cells.used <= PIECE_BYTES; i++) {
        Row *row = &pieces->rows[i];

        cells.n = 0;
        error = csv_rows_compose(row->rows, context, &cells, row->record);
        if (error)
            break;
        row->end = cells.used;
        row->n_cells = cells.n;
    }
    piece->cells = cells;
    piece->done = i;
    piece->error = error;
}

/* The last pieces that nobody has, until there is none. */
static void compose_last(CsvPieces *pieces)
{
    CsvContext *context = take_context(pieces);

    for (guint i = pieces->n_pieces; i > 0; i--)
        if (take_piece(&pieces->all[i - 1]))
            compose(pieces, context, &pieces->all[i - 1]);
    give_context(pieces, context);
}

/* ---- in order ---- */

static int put_row(CsvPieces *pieces, const Row *row)
{
    CsvFile *file = csv_rows_file(row->rows);
    int error = csv_rows_compose(row->rows, pieces->context, csv_file_begin_row(file), row->record);

    return error ? error : csv_file_end_row(file, row->key);
}

static int take_row(Piece *piece, gsize at, const Row *row)
{
    CsvFile *file = csv_rows_file(row->rows);
    CsvCells *cells = csv_file_begin_row(file);
    const gsize length = row->end - at;

    memcpy(csv_cells_reserve(cells, length), piece->cells.bytes + at, length);
    cells->used += length;
    cells->n = row->n_cells;
    return csv_file_end_row(file, row->key);
}

/* Rows that were composed, and then those that were not. */
static void write_piece(CsvPieces *pieces, Piece *piece)
{
    gsize at = 0;

    for (guint i = piece->from; i < piece->until && !pieces->error; i++) {
        const Row *row = &pieces->rows[i];

        pieces->failed = row->rows;
        if (i < piece->done)
            pieces->error = take_row(piece, at, row);
        else
            pieces->error = piece->error ? piece->error : put_row(pieces, row);
        at = row->end;
    }
}

/* The first pieces go straight into their files, up to one that another thread has. */
static void write_first(CsvPieces *pieces)
{
    while (pieces->n_written < pieces->n_pieces && take_piece(&pieces->all[pieces->n_written]))
        write_piece(pieces, &pieces->all[pieces->n_written++]);
}

static void do_part(void *user, uint32_t number)
{
    if (number)
        compose_last(user);
    else
        write_first(user);
}

int csv_pieces_flush(CsvPieces *pieces, CsvRows **failed)
{
    const guint n = pieces->n;

    pieces->n_pieces = CLAMP(n / PIECE_ROWS, 1, PIECES);
    for (guint i = 0; i < pieces->n_pieces; i++) {
        Piece *piece = &pieces->all[i];

        piece->from = piece->done = i * n / pieces->n_pieces;
        piece->until = (i + 1) * n / pieces->n_pieces;
        piece->error = 0;
        piece->is_taken = FALSE;
    }
    pieces->n = pieces->n_written = 0;
    pieces->error = 0;
    if (pieces->n_pieces > 1)
        pieces->context->host->side_by_side(pieces->context->self, pieces->n_parts, do_part,
                                            pieces);
    while (pieces->n_written < pieces->n_pieces)
        write_piece(pieces, &pieces->all[pieces->n_written++]);
    *failed = pieces->failed;
    return pieces->error;
}

int csv_pieces_add(CsvPieces *pieces, CsvRows *rows, const StrobeView *record, CsvRows **failed)
{
    int error = 0;

    if (csv_rows_waits(rows, record)) {
        error = csv_pieces_flush(pieces, failed);
        *failed = error ? *failed : rows;
        return error ? error : csv_rows_add(rows, record);
    }
    if (!csv_rows_takes(rows, record))
        return 0;
    csv_file_await_row(csv_rows_file(rows));
    pieces->rows[pieces->n++] =
        (Row){.rows = rows, .record = record, .key = csv_rows_key(rows, record)};
    return pieces->n == STRETCH ? csv_pieces_flush(pieces, failed) : 0;
}
