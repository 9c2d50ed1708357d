/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-rows.h"

#include <stdlib.h>
#include <strobe/helpers/keyed-hash.h>

#include "ascend-trace.h"

#define ROWS_MAX 100000u
#define CACHE_SLOTS 64u
#define TEXT_MAX 4096u
#define FIRST_NUMBER ((guint64)1 << 32) /* first number for rows whose tid is not a number */

typedef struct Cached {
    char pid[24], tid[24];
    guint8 pid_length, tid_length;
    Row *row;
} Cached;

struct Rows {
    Import *import;
    GHashTable *processes; /* text of the pid -> Process */
    GHashTable *rows;      /* "pid\1tid" -> Row */
    GPtrArray *order;      /* the rows in the order of their first events */
    Row *overflow;         /* the row for all further rows; it is in `order` as well */
    StrobeTrackId steps;
    Cached cache[CACHE_SLOTS];
    GString *key;
};

static void free_process(gpointer data)
{
    Process *process = data;

    g_free(process->text);
    g_free(process->name);
    g_free(process);
}

static void free_row(gpointer data)
{
    Row *row = data;

    g_free(row->text);
    g_free(row->name);
    if (row->begun)
        g_array_unref(row->begun);
    g_free(row->equal.entries);
    g_free(row);
}

Rows *rows_new(Import *import)
{
    Rows *rows = g_new0(Rows, 1);

    rows->import = import;
    rows->processes = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, NULL, free_process);
    rows->rows = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    rows->order = g_ptr_array_new_with_free_func(free_row);
    rows->key = g_string_new(NULL);
    return rows;
}

void rows_free(Rows *rows)
{
    if (!rows)
        return;
    g_hash_table_unref(rows->processes);
    g_hash_table_unref(rows->rows);
    g_ptr_array_unref(rows->order);
    g_string_free(rows->key, TRUE);
    g_free(rows);
}

/* ---- finding ---- */

static Process *process_of(Rows *rows, const char *text)
{
    Process *process = g_hash_table_lookup(rows->processes, text);

    if (process)
        return process;
    process = g_new0(Process, 1);
    process->text = g_strdup(text);
    process->is_number = g_ascii_string_to_signed(text, 10, 0, G_MAXINT64, &process->pid, NULL);
    g_hash_table_insert(rows->processes, process->text, process);
    return process;
}

/* Reads a tid as a number. In old files the tid of a stream is, for example, "stream 7". */
static gboolean take_number(const char *text, guint64 *number)
{
    gint64 value;

    if (g_str_has_prefix(text, "stream "))
        text += strlen("stream ");
    if (!g_ascii_string_to_signed(text, 10, -G_MAXINT32, G_MAXUINT32, &value, NULL))
        return FALSE;
    *number = (guint64)value; /* -1 means that the event is on no stream */
    return TRUE;
}

static Row *new_row(Rows *rows, Process *process, const char *text)
{
    Row *row = g_new0(Row, 1);

    row->process = process;
    row->text = g_strdup(text);
    row->is_number = take_number(text, &row->number);
    if (!row->is_number)
        row->number = FIRST_NUMBER + rows->order->len;
    g_ptr_array_add(rows->order, row);
    return row;
}

static Row *find_row(Rows *rows, const StrobeJsonValue *pid, const StrobeJsonValue *tid)
{
    GString *key = rows->key;
    const char *tid_text;
    Row *row;

    g_string_truncate(key, 0);
    value_append(pid, key);
    g_string_truncate(key, MIN(key->len, TEXT_MAX));
    g_string_append_c(key, '\1');
    value_append(tid, key);
    g_string_truncate(key, MIN(key->len, 2 * TEXT_MAX));
    row = g_hash_table_lookup(rows->rows, key->str);
    if (row)
        return row;
    if (rows->overflow)
        return rows->overflow;
    g_autofree char *whole = g_strdup(key->str); /* a copy that ends at the first NUL */
    tid_text = strchr(whole, '\1');
    g_autofree char *pid_text = tid_text ? g_strndup(whole, (gsize)(tid_text - whole)) : NULL;
    if (g_hash_table_size(rows->rows) == ROWS_MAX) {
        rows->overflow = new_row(rows, process_of(rows, "other processes"), "other threads");
        return rows->overflow;
    }
    row =
        new_row(rows, process_of(rows, tid_text ? pid_text : whole), tid_text ? tid_text + 1 : "");
    g_hash_table_insert(rows->rows, g_steal_pointer(&whole), row);
    return row;
}

static gboolean is_cached(const Cached *cached, const StrobeJsonValue *pid,
                          const StrobeJsonValue *tid)
{
    return cached->row && cached->pid_length == pid->length && cached->tid_length == tid->length &&
           (!pid->length || !memcmp(cached->pid, pid->text, pid->length)) &&
           (!tid->length || !memcmp(cached->tid, tid->text, tid->length));
}

Row *rows_of_event(Rows *rows, const Event *event)
{
    const StrobeJsonValue *pid = &event->pid, *tid = &event->tid;
    guint hash = pid->length * 31 + tid->length;
    Cached *cached;
    Row *row;

    if (pid->length >= sizeof cached->pid || tid->length >= sizeof cached->tid)
        return find_row(rows, pid, tid);
    if (tid->length)
        hash =
            hash * 31 + (guchar)tid->text[tid->length - 1] * 7 + (guchar)tid->text[tid->length / 2];
    if (pid->length)
        hash = hash * 31 + (guchar)pid->text[pid->length - 1];
    cached = &rows->cache[hash % CACHE_SLOTS];
    if (G_LIKELY(is_cached(cached, pid, tid)))
        return cached->row;
    row = find_row(rows, pid, tid);
    cached->row = row;
    cached->pid_length = (guint8)pid->length;
    cached->tid_length = (guint8)tid->length;
    if (pid->length)
        memcpy(cached->pid, pid->text, pid->length);
    if (tid->length)
        memcpy(cached->tid, tid->text, tid->length);
    return row;
}

/* ---- tracks ---- */

StrobeTrackId rows_track(Rows *rows, Row *row)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = row->number,
                               .name = row->text,
                               .group = row->process->text};

    if (G_UNLIKELY(!row->track)) /* makes a unique temporary track, which rows_finish changes */
        row->track =
            rows->import->host->track(rows->import->self, &track, (guint64)row->process->pid);
    return row->track;
}

StrobeTrackId rows_steps(Rows *rows)
{
    const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_STEPS, .device = -1};

    if (!rows->steps)
        rows->steps = rows->import->host->track(rows->import->self, &track, 0);
    return rows->steps;
}

static void set_text(Rows *rows, char **text, const StrobeJsonValue *value)
{
    GString *out = rows->import->text;

    g_string_truncate(out, 0);
    value_append(value, out);
    g_free(*text);
    *text = g_strndup(out->str, MIN(out->len, TEXT_MAX));
}

void rows_take_metadata(Rows *rows, const Event *event)
{
    const StrobeJsonValue *name = &event->name;
    Row *row;

    if (event->n_args == 0 || event->arg[0].value.type != STROBE_JSON_STRING)
        return;
    if (VALUE_IS(name, "thread_name")) {
        row = rows_of_event(rows, event);
        set_text(rows, &row->name, &event->arg[0].value);
    } else if (VALUE_IS(name, "process_name")) {
        row = find_row(rows, &event->pid, &event->tid);
        set_text(rows, &row->process->name, &event->arg[0].value);
    } else if (VALUE_IS(name, "process_labels")) {
        const StrobeJsonValue *label = &event->arg[0].value;

        row = find_row(rows, &event->pid, &event->tid);
        if (row->process->is_number && VALUE_IS(label, "CPU"))
            row->process->is_host = row->process->is_program = TRUE;
        row->process->is_device |= label->length > 4 && !memcmp(label->text, "GPU ", 4);
    }
}

void rows_tell_owner(Row *row, guint record_type, gboolean is_device)
{
    Process *process = row->process;

    if (!process->is_number)
        return;
    if (is_device) {
        row->is_device = process->is_device = TRUE;
        return;
    }
    process->is_host = TRUE;
    /* RECORD_CALL does not count, because some tracers put calls on streams */
    process->is_program |= record_type != RECORD_CALL;
}

/* Returns whether the row is a device's stream. In a container the pid of a program may be equal to
 * the number of a device; then the row's events show what the row is. */
static gboolean is_stream(const Row *row)
{
    const Process *process = row->process;

    return process->is_device && process->is_number && process->pid <= G_MAXINT32 &&
           (row->is_device || !process->is_program);
}

static void tell_row(Rows *rows, const Row *row, const Process *host)
{
    const Process *process = row->process;
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_THREAD,
                         .device = -1,
                         .id = row->number,
                         .name = row->name,
                         .group = process->name};
    gint64 pid = process->pid;

    if (!row->track)
        return;
    if (is_stream(row)) {
        track.type = STROBE_TRACK_STREAM;
        track.device = (gint32)process->pid;
        track.group = NULL;
        pid = host ? host->pid : 0;
    } else if (!process->is_number) {
        track.type = STROBE_TRACK_PROCESS;
        track.group = *process->text ? process->text : "no process";
        track.name = row->text;
        pid = 0;
    } else if (process == host) {
        track.group = NULL;
    }
    if (!row->is_number && (!track.name || is_stream(row)))
        track.name = row->text;
    rows->import->host->retrack(rows->import->self, row->track, &track, (guint64)pid);
}

/* Returns whether the process is a layer of the hardware or of CANN. Such a process is never the
 * program, whatever events it has. */
static gboolean is_other_layer(const Process *process)
{
    const AscendLayer *layer = process->name ? ascend_layer_by_name(process->name) : NULL;

    return layer && layer->layer != ASCEND_LAYER_PYTHON;
}

static const Process *host_process(const Rows *rows)
{
    for (guint i = 0; i < rows->order->len; i++) {
        const Row *row = rows->order->pdata[i];

        if (row->process->is_host && (row->process->is_program || !row->process->is_device) &&
            !is_other_layer(row->process))
            return row->process;
    }
    return NULL;
}

/* Gives a row of the program like "stream 7" its own number if there is also a row "7", which is a
 * thread. The row "stream 7" keeps its text. */
static void part_row(const Rows *rows, Row *row, guint index)
{
    const Row *plain;

    if (!row->track || !row->is_number || is_stream(row))
        return;
    g_autofree char *key =
        g_strdup_printf("%s\1%" G_GINT64_FORMAT, row->process->text, (gint64)row->number);
    plain = g_hash_table_lookup(rows->rows, key);
    if (!plain || plain == row || !plain->track)
        return;
    row->is_number = FALSE;
    row->number = FIRST_NUMBER + index;
}

void rows_finish(Rows *rows)
{
    const Process *host = host_process(rows);
    Import *import = rows->import;
    StrobeTrack steps = {.struct_size = sizeof steps, .type = STROBE_TRACK_STEPS, .device = -1};

    for (guint i = 0; i < rows->order->len; i++)
        part_row(rows, rows->order->pdata[i], i);
    for (guint i = 0; i < rows->order->len; i++)
        tell_row(rows, rows->order->pdata[i], host);
    if (!host)
        return;
    if (rows->steps)
        import->host->retrack(import->self, rows->steps, &steps, (guint64)host->pid);
    import->host->metadata_int(import->self, "pid", host->pid);
    if (host->name)
        import->host->metadata_text(import->self, "command", host->name);
}

void rows_for_each(Rows *rows, void (*call)(Import *import, Row *row, gpointer user), gpointer user)
{
    for (guint i = 0; i < rows->order->len; i++)
        call(rows->import, rows->order->pdata[i], user);
}
