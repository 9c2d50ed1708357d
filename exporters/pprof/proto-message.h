/* SPDX-License-Identifier: Apache-2.0 */
/* Appends fields to a message in the wire format of Protocol Buffers: numbers, bytes, packed
 * numbers. */
#ifndef STROBE_PPROF_PROTO_MESSAGE_H
#define STROBE_PPROF_PROTO_MESSAGE_H

#include <glib.h>

/* Each function appends one field to the message. A number 0 is omitted, because an absent field
 * means 0. */
void proto_add_number(GByteArray *message, guint field, guint64 number);
void proto_add_bytes(GByteArray *message, guint field, const void *bytes, gsize length);
void proto_add_message(GByteArray *message, guint field, const GByteArray *part);
void proto_add_packed(GByteArray *message, guint field, const guint64 *numbers, guint n);

#endif
