/* SPDX-License-Identifier: Apache-2.0 */
#include "raw-record.h"

#include <string.h>

#define HEAD_BYTES 6 /* size of the head of a record or a text: u16 type, u32 length */

static void add_head(GByteArray *bytes, guint16 type, gsize length)
{
    const guint16 little_type = GUINT16_TO_LE(type);
    const guint32 little_length = GUINT32_TO_LE((guint32)length);

    g_byte_array_append(bytes, (const guint8 *)&little_type, sizeof little_type);
    g_byte_array_append(bytes, (const guint8 *)&little_length, sizeof little_length);
}

void raw_record_begin(GByteArray *bytes, guint16 type)
{
    g_byte_array_set_size(bytes, 0);
    add_head(bytes, type, 0);
}

void raw_record_add_u64(GByteArray *bytes, guint64 value)
{
    const guint64 little = GUINT64_TO_LE(value);

    g_byte_array_append(bytes, (const guint8 *)&little, sizeof little);
}

void raw_record_add_u8(GByteArray *bytes, guint8 value)
{
    g_byte_array_append(bytes, &value, 1);
}

void raw_record_add_text(GByteArray *bytes, guint16 type, const char *text, gsize length)
{
    add_head(bytes, type, length);
    g_byte_array_append(bytes, (const guint8 *)text, (guint)length);
}

void raw_record_end(GByteArray *bytes)
{
    const guint32 length = GUINT32_TO_LE(bytes->len - HEAD_BYTES);

    memcpy(bytes->data + sizeof(guint16), &length, sizeof length);
}
