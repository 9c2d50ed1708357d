/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tables, stored as bytes: one thread makes them, and another inserts them into
 * databases. */
#ifndef STROBE_DB_ROW_BUFFER_H
#define STROBE_DB_ROW_BUFFER_H

#include <glib.h>
#include <string.h>

typedef struct OutTable OutTable;

/* Types of values. After the type's byte comes the number or the text. */
enum {
    ROW_NULL = 0,
    ROW_INT = 1,     /* gint64 */
    ROW_REAL = 2,    /* double */
    ROW_TEXT = 3,    /* guint32 length, then the bytes of the text */
    ROW_NOTHING = 4, /* a NULL that row_patch can replace by an integer; has room for a gint64 */
};

typedef struct RowHead {
    OutTable *table;
    guint32 bytes; /* size of the row, including its head */
    guint32 reserved;
} RowHead;

typedef struct RowBuffer {
    guint8 *bytes;
    gsize used, size;
    gsize row; /* offset of the current row */
} RowBuffer;

static inline guint8 *row_room(RowBuffer *buffer, gsize n)
{
    guint8 *at;

    if (G_UNLIKELY(buffer->size - buffer->used < n)) {
        buffer->size = MAX(buffer->size * 2, buffer->used + n);
        buffer->bytes = g_realloc(buffer->bytes, buffer->size);
    }
    at = buffer->bytes + buffer->used;
    buffer->used += n;
    return at;
}

static inline void row_begin(RowBuffer *buffer, OutTable *table)
{
    const RowHead head = {.table = table};

    buffer->row = buffer->used;
    memcpy(row_room(buffer, sizeof head), &head, sizeof head);
}

static inline void row_end(RowBuffer *buffer)
{
    const guint32 bytes = (guint32)(buffer->used - buffer->row);

    memcpy(buffer->bytes + buffer->row + G_STRUCT_OFFSET(RowHead, bytes), &bytes, sizeof bytes);
}

static inline void row_null(RowBuffer *buffer)
{
    *row_room(buffer, 1) = ROW_NULL;
}

static inline void row_int(RowBuffer *buffer, gint64 value)
{
    guint8 *at = row_room(buffer, 1 + sizeof value);

    at[0] = ROW_INT;
    memcpy(at + 1, &value, sizeof value);
}

static inline void row_real(RowBuffer *buffer, double value)
{
    guint8 *at = row_room(buffer, 1 + sizeof value);

    at[0] = ROW_REAL;
    memcpy(at + 1, &value, sizeof value);
}

static inline void row_text(RowBuffer *buffer, const char *bytes, gsize length)
{
    const guint32 size = (guint32)length;
    guint8 *at = row_room(buffer, 1 + sizeof size + length);

    at[0] = ROW_TEXT;
    memcpy(at + 1, &size, sizeof size);
    memcpy(at + 1 + sizeof size, bytes, length);
}

/* Adds a NULL that row_patch can replace later. Returns its position in the row. */
static inline guint32 row_nothing(RowBuffer *buffer)
{
    const guint32 place = (guint32)(buffer->used - buffer->row);

    *row_room(buffer, 1 + sizeof(gint64)) = ROW_NOTHING;
    return place;
}

typedef struct RowValue {
    int type; /* ROW_*; a ROW_NOTHING in the row becomes ROW_NULL */
    union {
        gint64 whole;
        double real;
    } as;
    const char *text; /* points into the row */
    guint32 length;
} RowValue;

/* Reads the value at `at`. Returns the address after the value. */
static inline const guint8 *row_value(const guint8 *at, RowValue *value)
{
    *value = (RowValue){.type = *at++};
    switch (value->type) {
    case ROW_NOTHING:
        value->type = ROW_NULL;
        return at + sizeof value->as;
    case ROW_INT:
    case ROW_REAL:
        memcpy(&value->as, at, sizeof value->as);
        return at + sizeof value->as;
    case ROW_TEXT:
        memcpy(&value->length, at, sizeof value->length);
        value->text = (const char *)at + sizeof value->length;
        return at + sizeof value->length + value->length;
    default:
        return at;
    }
}

static inline void row_patch(guint8 *row, guint32 place, gint64 value)
{
    row[place] = ROW_INT;
    memcpy(row + place + 1, &value, sizeof value);
}

#endif
