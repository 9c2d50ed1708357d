/* SPDX-License-Identifier: Apache-2.0 */
#include "row-record.h"

#include <errno.h>
#include <math.h>
#include <strobe/helpers/number.h>

#include "page-file.h"

#define RECORD_MAX 1000000000u /* SQLITE_MAX_LENGTH */

/* Serial types */
enum { SERIAL_NULL = 0, SERIAL_REAL = 7, SERIAL_ZERO = 8, SERIAL_ONE = 9, SERIAL_TEXT = 13 };

#define LARGE_BYTES ((gsize)1 << 20) /* room that a long text made does not stay */

struct RowRecord {
    AffinityAsk *ask; /* NULL: nothing to ask yet */
    guint8 *bytes;    /* room for the types twice, the second time before the values */
    gsize size;
    guint8 *types, *types_end, *values_end; /* of the record under way */
    int error;
};

RowRecord *row_record_new(void)
{
    return g_new0(RowRecord, 1);
}

void row_record_free(RowRecord *record)
{
    if (!record)
        return;
    affinity_ask_free(record->ask);
    g_free(record->bytes);
    g_free(record);
}

/* ---- values as they are stored ---- */

static void store_type(RowRecord *record, guint64 type)
{
    record->types_end = page_put_varint(record->types_end, type);
}

static void store_u64(RowRecord *record, guint64 value, guint n)
{
    value = GUINT64_TO_BE(value << (64 - 8 * n));
    memcpy(record->values_end, &value, sizeof value); /* what is too much is overwritten */
    record->values_end += n;
}

static void store_int(RowRecord *record, gint64 value)
{
    static const guint8 bytes[] = {0, 1, 2, 3, 4, 6, 8};
    const guint64 size = value < 0 ? ~(guint64)value : (guint64)value;
    guint type;

    if (size <= 1 && value >= 0) {
        store_type(record, value ? SERIAL_ONE : SERIAL_ZERO);
        return;
    }
    type = !(size >> 7)    ? 1
           : !(size >> 15) ? 2
           : !(size >> 23) ? 3
           : !(size >> 31) ? 4
           : !(size >> 47) ? 5
                           : 6;
    store_type(record, type);
    store_u64(record, (guint64)value, bytes[type]);
}

static void store_real(RowRecord *record, double value)
{
    guint64 bits;

    memcpy(&bits, &value, sizeof bits);
    store_type(record, SERIAL_REAL);
    store_u64(record, bits, sizeof bits);
}

static void store_text(RowRecord *record, const char *bytes, gsize length)
{
    store_type(record, SERIAL_TEXT + 2 * (guint64)length);
    memcpy(record->values_end, bytes, length);
    record->values_end += length;
}

static void put_answer(RowRecord *record, sqlite3_value *value)
{
    int type = value ? sqlite3_value_type(value) : SQLITE_NULL;

    if (!value)
        record->error = ENOMEM;
    if (type == SQLITE_INTEGER)
        store_int(record, sqlite3_value_int64(value));
    else if (type == SQLITE_FLOAT)
        store_real(record, sqlite3_value_double(value));
    else if (type == SQLITE_TEXT)
        store_text(record, (const char *)sqlite3_value_text(value),
                   (gsize)sqlite3_value_bytes(value));
    else
        store_type(record, SERIAL_NULL);
}

/* ---- values as a column takes them ---- */

static AffinityAsk *ask(RowRecord *record)
{
    if (!record->ask)
        record->ask = affinity_ask_new();
    return record->ask;
}

/* A whole number that fits six bytes is stored as that by columns of numbers. */
static gboolean is_short_int(double value)
{
    return value > -0x1p47 && value < 0x1p47 && value == (double)(gint64)value;
}

static void put_int(RowRecord *record, Affinity affinity, gint64 value)
{
    char text[STROBE_NUMBER_MAX];

    if (affinity == AFFINITY_TEXT)
        store_text(record, text, strobe_format_int(text, value));
    else if (affinity == AFFINITY_REAL && !is_short_int((double)value))
        store_real(record, (double)value);
    else
        store_int(record, value);
}

static void put_real(RowRecord *record, Affinity affinity, double value)
{
    if (value != value)
        store_type(record, SERIAL_NULL);
    else if (affinity >= AFFINITY_NUMERIC && is_short_int(value))
        store_int(record, (gint64)value);
    else if (affinity == AFFINITY_TEXT || (affinity == AFFINITY_NUMERIC && fabs(value) >= 0x1p47))
        put_answer(record, affinity_ask_real(ask(record), affinity, value));
    else
        store_real(record, value);
}

static void put_text(RowRecord *record, Affinity affinity, const char *bytes, gsize length)
{
    if (length > RECORD_MAX)
        record->error = EFBIG;
    else if (affinity < AFFINITY_NUMERIC || !affinity_may_change(bytes, length))
        store_text(record, bytes, length);
    else
        put_answer(record, affinity_ask_text(ask(record), affinity, bytes, length));
}

/* ---- rows ---- */

static void put_value(RowRecord *record, Affinity affinity, const RowValue *value)
{
    switch (value->type) {
    case ROW_INT:
        put_int(record, affinity, value->as.whole);
        break;
    case ROW_REAL:
        put_real(record, affinity, value->as.real);
        break;
    case ROW_TEXT:
        put_text(record, affinity, value->text, value->length);
        break;
    default:
        store_type(record, SERIAL_NULL);
    }
}

/* An integer may become a text. */
static guint8 *make_room(RowRecord *record, guint n_columns, gsize row_bytes)
{
    gsize types = PAGE_VARINT_MAX * (n_columns + 1);
    gsize size = 2 * types + row_bytes + n_columns * STROBE_NUMBER_MAX;

    if (G_UNLIKELY(record->size < size || record->size > MAX(size, LARGE_BYTES))) {
        g_free(record->bytes);
        record->size = size;
        record->bytes = g_malloc(size);
    }
    record->types = record->types_end = record->bytes;
    record->values_end = record->bytes + 2 * types;
    return record->values_end;
}

/* The types' bytes, with the count of them before, go right before the values. As many columns as
 * SQLite takes have types of less than 2^14 bytes. */
static guint8 *put_types(RowRecord *record, guint8 *values)
{
    guint8 count[PAGE_VARINT_MAX];
    gsize n_types = (gsize)(record->types_end - record->types);
    gsize n_count = n_types < 127 ? 1 : 2;

    page_put_varint(count, n_types + n_count);
    memcpy(values - n_types, record->types, n_types);
    memcpy(values - n_types - n_count, count, n_count);
    return values - n_types - n_count;
}

int row_record_make(RowRecord *record, const RowShape *shape, const guint8 *row,
                    const guint8 **bytes, gsize *n, gint64 *key, gboolean *has_key)
{
    const guint8 *at = row + sizeof(RowHead);
    RowValue value;
    guint8 *values;
    RowHead head;

    memcpy(&head, row, sizeof head);
    values = make_room(record, shape->n_columns, head.bytes);
    *has_key = FALSE;
    for (guint i = 0; i < shape->n_columns; i++) {
        at = row_value(at, &value);
        if ((gint)i == shape->key) { /* it is the row's number, and not in the record */
            *has_key = value.type == ROW_INT;
            *key = value.as.whole;
            value.type = ROW_NULL;
        }
        put_value(record, shape->affinities[i], &value);
    }
    *bytes = put_types(record, values);
    *n = (gsize)(record->values_end - *bytes);
    if (*n > RECORD_MAX)
        record->error = EFBIG;
    return record->error;
}
