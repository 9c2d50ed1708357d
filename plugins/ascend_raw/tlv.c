/* SPDX-License-Identifier: Apache-2.0 */
#include "tlv.h"

void tlv_init(TlvReader *r, int fd, gsize fixed)
{
    memset(r, 0, sizeof *r);
    byte_stream_init(&r->stream, fd);
    r->fixed = fixed;
}

void tlv_clear(TlvReader *r)
{
    byte_stream_clear(&r->stream);
}

void tlv_rewind(TlvReader *r)
{
    byte_stream_rewind(&r->stream);
    r->n_records = r->n_short = r->n_long = r->n_cut = 0;
    r->is_torn = FALSE;
}

/* Reads the fields. If a type repeats, uses its last field. Cuts a field that reaches past the end
 * of its record. */
static void read_fields(TlvReader *r, TlvRecord *record, const guchar *at, const guchar *end)
{
    record->present = 0;
    while ((gsize)(end - at) >= TLV_HEAD) {
        guint type = raw_u16(at);
        gsize length = raw_u32(at + 2), left;

        at += TLV_HEAD;
        left = (gsize)(end - at);
        if (length > left) {
            length = left;
            r->n_cut++;
        }
        if (type < TLV_FIELDS) {
            record->present |= 1u << type;
            record->fields[type] = (TlvText){(const char *)at, length};
        }
        at += length;
    }
    r->n_cut += at != end;
}

gboolean tlv_next(TlvReader *r, TlvRecord *record)
{
    const guchar *at;

    while ((at = byte_stream_peek(&r->stream, TLV_HEAD))) {
        gsize length = raw_u32(at + 2);

        if (byte_stream_left(&r->stream) < TLV_HEAD + length)
            break;
        if (length < r->fixed || length > TLV_RECORD_MAX) {
            *(length < r->fixed ? &r->n_short : &r->n_long) += 1;
            byte_stream_skip_far(&r->stream, TLV_HEAD + length);
            continue;
        }
        at = byte_stream_peek(&r->stream, TLV_HEAD + length);
        if (!at)
            break;
        record->fixed = at + TLV_HEAD;
        read_fields(r, record, record->fixed + r->fixed, record->fixed + length);
        byte_stream_skip(&r->stream, TLV_HEAD + length);
        r->n_records++;
        return TRUE;
    }
    r->is_torn = byte_stream_left(&r->stream) > 0;
    return FALSE;
}
