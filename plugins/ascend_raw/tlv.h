/* SPDX-License-Identifier: Apache-2.0 */
/* Reads records of type, length and value. The value is a fixed part, followed by text fields that
 * also have type, length and value. */
#ifndef STROBE_ASCEND_RAW_TLV_H
#define STROBE_ASCEND_RAW_TLV_H

#include <string.h>

#include "byte-stream.h"

#define TLV_HEAD 6u
#define TLV_FIELDS 11u /* fields with this type or a higher one are ignored */
#define TLV_RECORD_MAX (256u << 20)

typedef struct TlvText {
    const char *bytes;
    gsize length;
} TlvText;

typedef struct TlvRecord {
    const guchar *fixed;
    guint32 present; /* a bit for each type of field that the record has */
    TlvText fields[TLV_FIELDS];
} TlvRecord;

typedef struct TlvReader {
    ByteStream stream;
    gsize fixed;       /* number of bytes of the fixed part */
    guint64 n_records; /* records returned so far */
    guint64 n_short;   /* number of records that are too short for the fixed part */
    guint64 n_long;    /* number of records that are longer than TLV_RECORD_MAX */
    guint64 n_cut;     /* number of records whose last field is cut */
    gboolean is_torn;  /* the last record is incomplete; it begins at the stream's position */
} TlvReader;

void tlv_init(TlvReader *reader, int fd, gsize fixed);
void tlv_clear(TlvReader *reader);
void tlv_rewind(TlvReader *reader);

/* Gets the next record, which is valid until the next call. Returns FALSE after the last complete
 * record. */
gboolean tlv_next(TlvReader *reader, TlvRecord *record);

/* Read little-endian numbers of the fixed part. */
static inline guint64 raw_u64(const guchar *at)
{
    guint64 value;

    memcpy(&value, at, sizeof value);
    return GUINT64_FROM_LE(value);
}

static inline gint64 raw_i64(const guchar *at)
{
    return (gint64)raw_u64(at);
}

static inline guint32 raw_u32(const guchar *at)
{
    guint32 value;

    memcpy(&value, at, sizeof value);
    return GUINT32_FROM_LE(value);
}

static inline guint16 raw_u16(const guchar *at)
{
    guint16 value;

    memcpy(&value, at, sizeof value);
    return GUINT16_FROM_LE(value);
}

#endif
