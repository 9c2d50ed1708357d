/* SPDX-License-Identifier: Apache-2.0 */
/* Records of type, length and value: a fixed part, then fields of text of the same form. */
#ifndef STROBE_ASCEND_RAW_TLV_H
#define STROBE_ASCEND_RAW_TLV_H

#include <string.h>

#include "byte-stream.h"

#define TLV_HEAD 6u
#define TLV_FIELDS 11u /* fields of higher types have no meaning */
#define TLV_RECORD_MAX (256u << 20)

typedef struct TlvText {
    const char *bytes;
    gsize length;
} TlvText;

typedef struct TlvRecord {
    const guchar *fixed;
    guint32 present; /* bit by field type */
    TlvText fields[TLV_FIELDS];
} TlvRecord;

typedef struct TlvReader {
    ByteStream stream;
    gsize fixed;       /* bytes of the fixed part */
    guint64 n_records; /* given out */
    guint64 n_short;   /* too short for the fixed part */
    guint64 n_long;    /* longer than TLV_RECORD_MAX */
    guint64 n_cut;     /* whose last field is not whole */
    gboolean is_torn;  /* the last record is not whole; it begins where the stream stands */
} TlvReader;

void tlv_init(TlvReader *reader, int fd, gsize fixed);
void tlv_clear(TlvReader *reader);
void tlv_rewind(TlvReader *reader);

/* FALSE behind the last whole record. What it points to stays until the next call. */
gboolean tlv_next(TlvReader *reader, TlvRecord *record);

/* Little-endian numbers of the fixed part. */
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
