/* SPDX-License-Identifier: Apache-2.0 */
#include "slices.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <external-folder.h>

#define MARK ".slice_"

gsize slice_name(const char *name, guint64 *number)
{
    const char *mark = g_strrstr(name, MARK);

    *number = 0;
    if (!mark || !g_ascii_string_to_unsigned(mark + strlen(MARK), 10, 0, G_MAXUINT64, number, NULL))
        return strlen(name);
    return (gsize)(mark - name);
}

Slices *slices_new(int folder, const char *name, gsize length)
{
    Slices *s = g_new0(Slices, 1);

    s->folder = folder;
    s->name = g_strndup(name, length);
    s->names = g_ptr_array_new_with_free_func(g_free);
    s->fd = -1;
    return s;
}

void slices_free(Slices *s)
{
    if (s->fd >= 0)
        close(s->fd);
    g_ptr_array_unref(s->names);
    g_free(s->buffer);
    g_free(s->name);
    g_free(s);
}

void slices_add(Slices *s, const char *name, guint64 bytes)
{
    g_ptr_array_add(s->names, g_strdup(name));
    s->bytes += bytes;
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    guint64 m, n;

    slice_name(x, &m);
    slice_name(y, &n);
    return m != n ? (m < n ? -1 : 1) : strcmp(x, y);
}

void slices_sort(Slices *s)
{
    g_ptr_array_sort(s->names, compare_numbers);
}

/* ---- reading ---- */

static gboolean open_next(Slices *s)
{
    const char *name;
    guint64 number;

    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (s->next == s->names->len)
        return FALSE;
    name = g_ptr_array_index(s->names, s->next++);
    slice_name(name, &number);
    s->fd = external_folder_open_file(s->folder, name);
    if (s->fd < 0)
        s->error = errno;
    if (number > s->number || s->fd < 0) {
        s->is_gap = TRUE;
        s->n_missing += number > s->number ? number - s->number : 0;
    }
    s->number = number + 1;
    return TRUE;
}

/* Reads more bytes. Returns FALSE at the end of the last slice, before a gap, or if the buffer is
 * full. */
static gboolean fill_buffer(Slices *s)
{
    gssize done = 0;

    if (!s->buffer)
        s->buffer = g_malloc(SLICE_LINE_MAX + 1);
    memmove(s->buffer, s->buffer + s->at, s->used - s->at);
    s->used -= s->at;
    s->at = 0;
    while (s->used < SLICE_LINE_MAX && !s->is_gap) {
        if (s->fd >= 0)
            done = read(s->fd, s->buffer + s->used, SLICE_LINE_MAX - s->used);
        if (s->fd >= 0 && done > 0) {
            s->used += (gsize)done;
            return TRUE;
        }
        if (s->fd >= 0 && done < 0 && errno == EINTR)
            continue;
        if (s->fd >= 0 && done < 0) { /* the rest of the file cannot be read */
            s->error = errno;
            s->is_gap = TRUE;
        }
        if (!open_next(s))
            return FALSE;
    }
    return FALSE;
}

/* Skips a line that is longer than the buffer. */
static void skip_line(Slices *s)
{
    s->n_long++;
    for (;;) {
        const char *end = memchr(s->buffer + s->at, '\n', s->used - s->at);

        if (end) {
            s->at = (gsize)(end - s->buffer) + 1;
            return;
        }
        s->at = s->used;
        if (!fill_buffer(s)) {
            s->is_in_long = s->is_gap;
            return;
        }
    }
}

/* Skips the begin of a line before a gap, because the line's end is missing. Returns whether the
 * line after the gap must be skipped as well: its begin may be missing, unless each slice seems to
 * end at the end of a line. */
static gboolean pass_gap(Slices *s)
{
    const gboolean is_torn = s->used > s->at || s->is_in_long || s->next == 1;

    s->n_cut += s->used > s->at;
    s->at = s->used;
    s->is_gap = s->is_in_long = FALSE;
    return is_torn;
}

static char *take_line(Slices *s)
{
    gsize seen = 0;

    for (;;) {
        char *begin = NULL, *end = NULL;

        if (s->used > s->at + seen) { /* there may be no buffer yet */
            begin = s->buffer + s->at;
            end = memchr(begin + seen, '\n', s->used - s->at - seen);
        }
        if (end) {
            *end = 0;
            s->at += (gsize)(end - begin) + 1;
            return begin;
        }
        seen = s->used - s->at;
        if (fill_buffer(s))
            continue;
        if (s->is_gap)
            return NULL;
        if (s->used - s->at == SLICE_LINE_MAX) {
            skip_line(s);
            seen = 0;
            continue;
        }
        if (s->used == s->at)
            return NULL;
        begin = s->buffer + s->at; /* the last line has no newline */
        s->buffer[s->used] = 0;
        s->at = s->used;
        return begin;
    }
}

char *slices_line(Slices *s)
{
    char *line;

    while (!(line = take_line(s)) && s->is_gap)
        if (pass_gap(s) && take_line(s))
            s->n_cut++;
    return line;
}

/* Returns FALSE if the begin of the first record after the gap is unknown. */
static gboolean pass_gap_of_records(Slices *s, gsize n)
{
    if (s->used > s->at || (s->next == 1 && s->bytes % n != 0)) {
        s->is_shifted = TRUE;
        return FALSE;
    }
    s->is_gap = FALSE;
    return TRUE;
}

const char *slices_record(Slices *s, gsize n)
{
    const char *record;

    while (s->used - s->at < n)
        if (!fill_buffer(s) && (!s->is_gap || !pass_gap_of_records(s, n))) {
            s->n_left = s->used - s->at;
            return NULL;
        }
    record = s->buffer + s->at;
    s->at += n;
    return record;
}
