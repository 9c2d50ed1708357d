/* SPDX-License-Identifier: Apache-2.0 */
#include "proto-message.h"

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

/* Appends a number with seven bits in each byte, the lowest bits first. The highest bit of a byte
 * is set if another byte follows. */
static void append_varint(GByteArray *message, guint64 number)
{
    guint8 bytes[10];
    guint n = 0;

    for (; number >= 0x80; number >>= 7)
        bytes[n++] = (guint8)(number | 0x80);
    bytes[n++] = (guint8)number;
    g_byte_array_append(message, bytes, n);
}

static void append_tag(GByteArray *message, guint field, guint wire)
{
    append_varint(message, (guint64)field << 3 | wire);
}

void proto_add_number(GByteArray *message, guint field, guint64 number)
{
    if (!number)
        return;
    append_tag(message, field, WIRE_VARINT);
    append_varint(message, number);
}

void proto_add_bytes(GByteArray *message, guint field, const void *bytes, gsize length)
{
    append_tag(message, field, WIRE_BYTES);
    append_varint(message, length);
    g_byte_array_append(message, bytes, (guint)length);
}

void proto_add_message(GByteArray *message, guint field, const GByteArray *part)
{
    proto_add_bytes(message, field, part->data, part->len);
}

void proto_add_packed(GByteArray *message, guint field, const guint64 *numbers, guint n)
{
    g_autoptr(GByteArray) packed = g_byte_array_new();

    for (guint i = 0; i < n; i++)
        append_varint(packed, numbers[i]);
    proto_add_message(message, field, packed);
}
