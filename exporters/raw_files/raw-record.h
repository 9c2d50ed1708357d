/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of one raw record: integers are little endian and packed; a type and a length go before
 * the record, and before each of its texts. */
#ifndef STROBE_EXPORTERS_RAW_RECORD_H
#define STROBE_EXPORTERS_RAW_RECORD_H

#include <glib.h>

/* Begins a record with its type; `bytes` is emptied. */
void raw_record_begin(GByteArray *bytes, guint16 type);
void raw_record_add_u64(GByteArray *bytes, guint64 value);
void raw_record_add_u8(GByteArray *bytes, guint8 value);
/* Appends a text with its type and length; an empty one too. */
void raw_record_add_text(GByteArray *bytes, guint16 type, const char *text, gsize length);
/* Fills in the record's length. */
void raw_record_end(GByteArray *bytes);

#endif
