/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row of an event, and writes the M events that name the rows. */
#include "tensorboard.h"

#include <strobe/helpers/keyed-hash.h>

/* First number of rows without a thread. Readers need a number for every row. The number is larger
 * than every thread id that the kernel assigns. */
#define FIRST_EXTRA_TID 4194305u

struct BoardRows {
    /* BoardRow, indexed by the track's id; index 0: events without a track */
    GPtrArray *of_track;
    GHashTable *of_thread; /* "pid tid" -> BoardRow */
};

static void free_row(gpointer data)
{
    BoardRow *row = data;

    if (!row)
        return;
    g_free(row->pid);
    g_free(row->tid);
    g_free(row->name);
    g_free(row->place);
    g_free(row);
}

BoardRows *board_rows_new(Board *board)
{
    BoardRows *rows = g_new0(BoardRows, 1);

    rows->of_track = g_ptr_array_new_with_free_func(free_row);
    rows->of_thread = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, free_row);
    return rows;
}

void board_rows_free(BoardRows *rows)
{
    if (!rows)
        return;
    g_ptr_array_unref(rows->of_track);
    g_hash_table_unref(rows->of_thread);
    g_free(rows);
}

static char *escape_text(Board *board, const char *text)
{
    const CachedText *cached = text_cache_escape(board->texts, text, strlen(text));

    return g_strndup(cached->bytes, cached->length);
}

static guint64 process_of(Board *board, const StrobeTrackView *track)
{
    return track && track->pid ? track->pid : board->host->metadata(board->self)->pid;
}

static BoardRow *finish_row(BoardRow *row)
{
    row->place = g_strdup_printf("\"pid\": %s, \"tid\": %s, \"ts\": ", row->pid, row->tid);
    row->place_length = (guint)strlen(row->place);
    return row;
}

static BoardRow *new_row(Board *board, StrobeTrackId id, const StrobeTrackView *track)
{
    BoardRow *row = g_new0(BoardRow, 1);
    gboolean is_own = track && (track->type == STROBE_TRACK_THREAD ||
                                (track->type == STROBE_TRACK_STREAM && track->device >= 0));

    row->device = track && track->type != STROBE_TRACK_THREAD ? track->device : -1;
    if (track && track->type == STROBE_TRACK_PROCESS && *track->group) {
        /* the source has texts instead of pids */
        row->pid = escape_text(board, strcmp(track->group, "no process") ? track->group : "");
        row->tid = escape_text(board, track->name);
        return finish_row(row);
    }
    row->pid = row->device >= 0 ? g_strdup_printf("%d", row->device)
                                : g_strdup_printf("%" G_GUINT64_FORMAT, process_of(board, track));
    row->tid = g_strdup_printf("%" G_GINT64_FORMAT,
                               (gint64)(is_own ? track->number : FIRST_EXTRA_TID + (guint64)id));
    if (track && *track->name)
        row->name = escape_text(board, track->name);
    else if (track && track->type == STROBE_TRACK_STREAM)
        row->name = g_strdup_printf("\"stream %" G_GUINT64_FORMAT "\"", track->number);
    else if (is_own)
        row->name = g_strdup_printf("\"thread %" G_GUINT64_FORMAT "\"", track->number);
    return finish_row(row);
}

BoardRow *board_row(Board *board, StrobeTrackId id)
{
    GPtrArray *rows = board->rows->of_track;
    guint32 n = board->host->track_count(board->self);

    if (G_UNLIKELY(id >= rows->len)) {
        id = id <= n ? id : 0; /* all unknown ids share the row of the id 0 */
        if (id >= rows->len)
            g_ptr_array_set_size(rows, (gint)n + 1);
    }
    if (G_UNLIKELY(!rows->pdata[id]))
        rows->pdata[id] = new_row(board, id, id ? board->host->track(board->self, id) : NULL);
    ((BoardRow *)rows->pdata[id])->is_used = TRUE;
    return rows->pdata[id];
}

BoardRow *board_row_of_thread(Board *board, StrobeTrackId track, guint64 thread)
{
    guint64 pid = process_of(board, board->host->track(board->self, track));
    char *key = g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, pid, thread);
    BoardRow *row = g_hash_table_lookup(board->rows->of_thread, key);

    if (row) {
        g_free(key);
        return row;
    }
    row = g_new0(BoardRow, 1);
    row->device = -1;
    row->pid = g_strdup_printf("%" G_GUINT64_FORMAT, pid);
    row->tid = g_strdup_printf("%" G_GUINT64_FORMAT, thread);
    finish_row(row);
    g_hash_table_insert(board->rows->of_thread, key, row);
    return row;
}

/* ---- names ---- */

static void write_name(Board *board, const char *name, const char *pid, const char *tid,
                       const char *key, const char *value)
{
    TraceOut *out = &board->main;
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "\n{\"ph\": \"M\", \"cat\": \"__metadata\", \"name\": \"");
    at = trace_out_text(out, at, name, strlen(name));
    PUT_LITERAL(at, "\", \"pid\": ");
    at = trace_out_text(out, at, pid, strlen(pid));
    PUT_LITERAL(at, ", \"tid\": ");
    at = trace_out_text(out, at, tid, strlen(tid));
    PUT_LITERAL(at, ", \"ts\": ");
    at = put_time(board, at, board->first);
    PUT_LITERAL(at, ", \"args\": {\"");
    at = trace_out_text(out, at, key, strlen(key));
    PUT_LITERAL(at, "\": ");
    at = trace_out_text(out, at, value, strlen(value));
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

/* Returns the process's own name, if it has one, else the program's name as in PyTorch's traces. */
static char *process_name(Board *board, const StrobeTrackView *track)
{
    const char *command = board->host->metadata(board->self)->command;
    g_autofree char *program = NULL;

    if (track && track->device < 0 && *track->group &&
        process_of(board, track) != board->host->metadata(board->self)->pid)
        return escape_text(board, track->group);
    if (!command || !*command || *command == ' ')
        return g_strdup("\"python\"");
    program = g_strndup(command, strcspn(command, " "));
    if (*command == '/') {
        g_autofree char *base = g_path_get_basename(program);

        return escape_text(board, base);
    }
    return escape_text(board, program);
}

static void write_process(Board *board, const BoardRow *row, const StrobeTrackView *track)
{
    g_autofree char *name = process_name(board, track);
    g_autofree char *label =
        row->device < 0 ? g_strdup("\"CPU\"") : g_strdup_printf("\"GPU %d\"", row->device);
    g_autofree char *index =
        g_strdup_printf("%d", row->device < 0 ? 0 : MIN(row->device, 100000) + 5000000);

    write_name(board, "process_name", row->pid, "0", "name", name);
    write_name(board, "process_labels", row->pid, "0", "labels", label);
    write_name(board, "process_sort_index", row->pid, "0", "sort_index", index);
}

void board_rows_write(Board *board)
{
    GPtrArray *rows = board->rows->of_track;
    g_autoptr(GHashTable) named = g_hash_table_new(strobe_hash_of_text, g_str_equal);

    for (guint i = 0; i < rows->len; i++) {
        const BoardRow *row = rows->pdata[i];

        if (!row || !row->is_used || *row->pid == '"')
            continue;
        if (g_hash_table_add(named, row->pid))
            write_process(board, row, i ? board->host->track(board->self, i) : NULL);
        if (row->name) {
            write_name(board, "thread_name", row->pid, row->tid, "name", row->name);
            write_name(board, "thread_sort_index", row->pid, row->tid, "sort_index", row->tid);
        }
    }
}
