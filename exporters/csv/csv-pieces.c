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
    /* Of a block. */
    gboolean is_composed, is_written;
    guint64 at; /* of one that has its place */
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
    /* One that is a block: all rows are of this file, and go on where it stands. */
    CsvFile *file;
    guint n_cells; /* of each row at least; 0: it is none */
    gint next;     /* piece that nobody has; atomic */
    guint n_placed;
    pthread_mutex_t write_lock; /* the system lets one thread at a time write to a file */
};

CsvPieces *csv_pieces_new(CsvContext *context)
{
    const guint n = MIN(context->host->facts(context->self)->n_threads, PIECES);
    CsvPieces *pieces;

    if (n < 2)
        return NULL;
    pieces = g_new0(CsvPieces, 1);
    pthread_mutex_init(&pieces->lock, NULL);
    pthread_mutex_init(&pieces->write_lock, NULL);
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
    pthread_mutex_destroy(&pieces->write_lock);
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
        row->n_cells = MAX(cells.n, pieces->n_cells);
        if (pieces->n_cells)
            csv_file_fill_row(&cells, pieces->n_cells);
        row->end = cells.used;
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

static void write_rows(CsvPieces *pieces)
{
    if (pieces->n_pieces > 1)
        pieces->context->host->side_by_side(pieces->context->self, pieces->n_parts, do_part,
                                            pieces);
    while (pieces->n_written < pieces->n_pieces)
        write_piece(pieces, &pieces->all[pieces->n_written++]);
}

/* ---- blocks ----
 *
 * Rows of one file, which need no order but their own, are not copied by who goes in order: a piece
 * gets its place in the file when those before it are composed, and who has composed it writes it
 * there. */

static void find_block(CsvPieces *pieces, guint n)
{
    CsvFile *file = n ? csv_rows_file(pieces->rows[0].rows) : NULL;

    pieces->file = file;
    pieces->n_cells = n >= 2 * PIECE_ROWS ? csv_file_block_cells(file) : 0;
    for (guint i = 0; i < n && pieces->n_cells; i++)
        if (csv_rows_file(pieces->rows[i].rows) != file ||
            !csv_file_goes_on(file, i ? &pieces->rows[i - 1].key : NULL, pieces->rows[i].key))
            pieces->n_cells = 0;
}

/* Under the lock. */
static void place(CsvPieces *pieces, Piece *piece)
{
    int error = csv_file_place(pieces->file, piece->cells.used, &piece->at);

    if (!pieces->error)
        pieces->error = error;
    pieces->n_placed++;
}

static void write_block(CsvPieces *pieces, Piece *piece)
{
    csv_file_write_placed(pieces->file, piece->at, piece->cells.bytes, piece->cells.used);
    piece->is_written = TRUE;
}

/* Pieces that the thread has composed, of `mine`, as far as they have their place; where another
 * one writes there is more to compose. */
static void write_mine(CsvPieces *pieces, guint mine)
{
    guint n_placed;

    pthread_mutex_lock(&pieces->lock);
    n_placed = pieces->error ? 0 : pieces->n_placed;
    pthread_mutex_unlock(&pieces->lock);
    if (pthread_mutex_trylock(&pieces->write_lock))
        return;
    for (guint i = 0; i < n_placed; i++)
        if (mine >> i & 1 && !pieces->all[i].is_written)
            write_block(pieces, &pieces->all[i]);
    pthread_mutex_unlock(&pieces->write_lock);
}

static void note_composed(CsvPieces *pieces, Piece *piece)
{
    pthread_mutex_lock(&pieces->lock);
    piece->is_composed = TRUE;
    while (pieces->n_placed < pieces->n_pieces && !pieces->error) {
        piece = &pieces->all[pieces->n_placed];
        if (!piece->is_composed || piece->done < piece->until)
            break;
        place(pieces, piece);
    }
    pthread_mutex_unlock(&pieces->lock);
}

static void do_block_part(void *user, uint32_t number)
{
    CsvPieces *pieces = user;
    CsvContext *context = number ? take_context(pieces) : pieces->context;
    guint mine = 0, i;

    while ((i = (guint)g_atomic_int_add(&pieces->next, 1)) < pieces->n_pieces) {
        compose(pieces, context, &pieces->all[i]);
        note_composed(pieces, &pieces->all[i]);
        mine |= 1u << i;
        write_mine(pieces, mine);
    }
    if (number)
        give_context(pieces, context);
}

/* What nobody has written; rows that are too long for a piece go into the file one by one. */
static void finish_block_piece(CsvPieces *pieces, guint index)
{
    Piece *piece = &pieces->all[index];
    gsize at = 0;

    if (!csv_file_block_cells(pieces->file)) /* a row before it was one to be held */
        piece->done = piece->from;
    else if (index >= pieces->n_placed && !pieces->error)
        place(pieces, piece);
    for (guint i = piece->from; i < piece->done && !pieces->error; i++) {
        const Row *row = &pieces->rows[i];

        pieces->error = csv_file_note_row(pieces->file, row->key, row->end - at, row->n_cells);
        at = row->end;
    }
    if (!piece->is_written && piece->done > piece->from && !pieces->error)
        write_block(pieces, piece);
    for (guint i = piece->done; i < piece->until && !pieces->error; i++)
        pieces->error = piece->error ? piece->error : put_row(pieces, &pieces->rows[i]);
}

static void write_blocks(CsvPieces *pieces)
{
    pieces->failed = pieces->rows[0].rows;
    pieces->next = 0;
    pieces->n_placed = 0;
    pieces->context->host->side_by_side(pieces->context->self, pieces->n_parts, do_block_part,
                                        pieces);
    for (guint i = 0; i < pieces->n_pieces; i++)
        finish_block_piece(pieces, i);
}

/* ---- all ---- */

int csv_pieces_flush(CsvPieces *pieces, CsvRows **failed)
{
    const guint n = pieces->n;

    pieces->n_pieces = CLAMP(n / PIECE_ROWS, 1, PIECES);
    for (guint i = 0; i < pieces->n_pieces; i++) {
        Piece *piece = &pieces->all[i];

        piece->from = piece->done = i * n / pieces->n_pieces;
        piece->until = (i + 1) * n / pieces->n_pieces;
        piece->error = 0;
        piece->is_taken = piece->is_composed = piece->is_written = FALSE;
    }
    pieces->n = pieces->n_written = 0;
    pieces->error = 0;
    find_block(pieces, n);
    if (pieces->n_cells)
        write_blocks(pieces);
    else
        write_rows(pieces);
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
