/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns numbers to texts, which are stored in STRING_IDS. A text gets its number at its first
 * use. Each program of the Ascend profiler that writes texts has its own range of numbers. Uses
 * four bytes of memory for each pair of a text and a form that occurs. */
#ifndef STROBE_DB_STRING_IDS_H
#define STROBE_DB_STRING_IDS_H

#include <strobe/exporter.h>

#include "out-db.h"

#define STRING_IDS_NONE 4294967295 /* number of the empty text, which is not stored */

/* Forms of a text. The form says which program of the Ascend profiler writes the text, and how it
 * changes the text. */
enum {
    STRING_DEVICE = 0, /* text of the device's program */
    STRING_FRAMEWORK = 1,
    STRING_LIST = 2, /* text of the framework, with CR LF after each ';' */
    STRING_MEMORY = 3,
    STRING_QOS = 4, /* text of the device's program, with the prefix "QoS " */
    STRING_FORMS = 5
};

typedef struct StringIds StringIds;

StringIds *string_ids_new(const StrobeConsumerHost *host, StrobeInstance *self, OutTable *table);
void string_ids_free(StringIds *ids);

/* Returns the number of the text in this form; STRING_IDS_NONE for the empty text. For a new text,
 * adds a row to string_ids_rows. */
gint64 string_ids_of(StringIds *ids, guint form, StrobeStringId string);
/* Returns the number of a word that is not a text of the capture. */
gint64 string_ids_word(StringIds *ids, guint form, const char *word);

/* Returns the buffer with the rows of new texts. The caller must pass them on after the current
 * row. */
RowBuffer *string_ids_rows(StringIds *ids);

/* Appends the text as valid UTF-8 without NUL: each invalid part becomes U+FFFD. */
void string_append_valid(GString *out, const char *bytes, gsize length);

#endif
