/* SPDX-License-Identifier: Apache-2.0 */
#include "held-rows.h"

#include <errno.h>
#include <strobe/helpers/safe-file.h>

#define PART_BYTES (1u << 20) /* that is read at once, and written once there is a file */

struct HeldRows {
    int scratch;
    gsize room; /* so much is kept in memory until it is written */
    gsize head_bytes;
    guint32 n;
    RowBuffer rows; /* heads and rows; those behind what is in the file */
    StrobeSafeFile *file;
    int error;
    gsize head; /* place of the head under way */
    guint64 at; /* of the next row to read, in the file */
    gsize next; /* the same, in `rows` */
};

HeldRows *held_rows_new(int scratch, gsize memory_bytes, gsize head_bytes)
{
    HeldRows *held = g_new0(HeldRows, 1);

    held->scratch = scratch;
    held->room = memory_bytes;
    held->head_bytes = head_bytes;
    return held;
}

void held_rows_free(HeldRows *held)
{
    if (!held)
        return;
    strobe_safe_file_discard(held->file);
    g_free(held->rows.bytes);
    g_free(held);
}

guint32 held_rows_n(const HeldRows *held)
{
    return held->n;
}

int held_rows_error(const HeldRows *held)
{
    return held->error;
}

void held_rows_report(const HeldRows *held, const StrobeConsumerHost *host, StrobeInstance *self,
                      const char *what)
{
    if (held->error)
        host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                   "Cannot keep %s in the folder for temporary files: %s: %s", what,
                   host->facts(self)->scratch_path, g_strerror(held->error));
}

RowBuffer *held_rows_begin(HeldRows *held, OutTable *table)
{
    held->head = held->rows.used;
    row_room(&held->rows, held->head_bytes);
    row_begin(&held->rows, table);
    return &held->rows;
}

static void spill(HeldRows *held)
{
    if (!held->file && !held->error && !(held->file = strobe_safe_file_scratch(held->scratch)))
        held->error = errno;
    if (!held->error)
        held->error =
            strobe_safe_file_write(held->file, (const char *)held->rows.bytes, held->rows.used);
    held->rows.used = 0;
    if (held->room <= PART_BYTES)
        return;
    /* All of it is read from the file then: more memory would only be made and given back. */
    held->room = PART_BYTES;
    g_clear_pointer(&held->rows.bytes, g_free);
    held->rows.size = 0;
}

static void count_row(HeldRows *held)
{
    held->n++;
    if (held->rows.used >= held->room)
        spill(held);
}

void held_rows_end(HeldRows *held, const void *head)
{
    row_end(&held->rows);
    memcpy(held->rows.bytes + held->head, head, held->head_bytes);
    count_row(held);
}

void held_rows_add(HeldRows *held, const guint8 *row)
{
    RowHead head;

    memcpy(&head, row, sizeof head);
    memcpy(row_room(&held->rows, head.bytes), row, head.bytes);
    count_row(held);
}

/* ---- reading ---- */

/* At least `n` bytes of the file from where it is read on, in `rows`. */
static gboolean fill(HeldRows *held, gsize n)
{
    guint64 left = strobe_safe_file_size(held->file) - held->at;
    gsize more = MIN(left, MAX(n, PART_BYTES));

    if (held->rows.used - held->next >= n)
        return TRUE;
    memmove(held->rows.bytes, held->rows.bytes + held->next, held->rows.used - held->next);
    held->rows.used -= held->next;
    held->next = 0;
    held->error =
        strobe_safe_file_read(held->file, held->at, (char *)row_room(&held->rows, more), more);
    held->at += more;
    return !held->error && held->rows.used >= n;
}

gboolean held_rows_next(HeldRows *held, const void **head, guint8 **row, guint32 *bytes)
{
    RowHead known;
    gsize ends = held->head_bytes + sizeof known;

    if (held->file && !held->at && held->rows.used)
        spill(held); /* the last of them: all is read from the file now */
    if (held->error ||
        (held->file ? held->next == held->rows.used && held->at == strobe_safe_file_size(held->file)
                    : held->next == held->rows.used))
        return FALSE;
    if (held->file && !fill(held, ends))
        return FALSE;
    memcpy(&known, held->rows.bytes + held->next + held->head_bytes, sizeof known);
    if (held->file && !fill(held, held->head_bytes + known.bytes))
        return FALSE;
    *head = held->rows.bytes + held->next;
    *row = held->rows.bytes + held->next + held->head_bytes;
    *bytes = known.bytes;
    held->next += held->head_bytes + known.bytes;
    return TRUE;
}
