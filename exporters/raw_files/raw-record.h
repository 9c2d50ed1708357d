/* SPDX-License-Identifier: Apache-2.0 */
/* Composes the bytes of a raw record: integers are little endian and packed. A type and a length
 * precede the record, and each of its texts. */
#ifndef STROBE_EXPORTERS_RAW_RECORD_H
#define STROBE_EXPORTERS_RAW_RECORD_H

#include <glib.h>

/* Begins a record of the type `type`. Empties `bytes` first. */
void raw_record_begin(GByteArray *bytes, guint16 type);
void raw_record_add_u64(GByteArray *bytes, guint64 value);
void raw_record_add_u8(GByteArray *bytes, guint8 value);
/* Appends a text, even an empty one, with its type and length. */
void raw_record_add_text(GByteArray *bytes, guint16 type, const char *text, gsize length);
/* Writes the record's length into its head. */
void raw_record_end(GByteArray *bytes);

#endif
