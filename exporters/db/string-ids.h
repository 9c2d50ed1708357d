/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of texts in STRING_IDS, assigned at the first use, with a separate range for each program
 * that writes texts in the Ascend profiler. Needs four bytes for each text of the capture and form
 * in which it is used. */
#ifndef STROBE_DB_STRING_IDS_H
#define STROBE_DB_STRING_IDS_H

#include <strobe/exporter.h>

#include "out-db.h"

#define STRING_IDS_NONE 4294967295 /* number of the empty text, which is not stored */

/* The writer of the text, and its form. */
enum {
    STRING_DEVICE = 0, /* the device's tool */
    STRING_FRAMEWORK = 1,
    STRING_LIST = 2, /* the framework, with CR LF after each ';' */
    STRING_MEMORY = 3,
    STRING_QOS = 4, /* the device's tool, with a "QoS " prefix */
    STRING_FORMS = 5
};

typedef struct StringIds StringIds;

StringIds *string_ids_new(const StrobeConsumerHost *host, StrobeInstance *self, OutTable *table);
void string_ids_free(StringIds *ids);

/* Number of the text; STRING_IDS_NONE for an empty one. A new text leaves a row in
 * string_ids_rows. */
gint64 string_ids_of(StringIds *ids, guint form, StrobeStringId string);
/* The number of one of the exporter's own words. */
gint64 string_ids_word(StringIds *ids, guint form, const char *word);

/* Rows of new texts, to be passed on after the current row. */
RowBuffer *string_ids_rows(StringIds *ids);

/* Appends valid UTF-8 without NUL: U+FFFD for each invalid part. */
void string_append_valid(GString *out, const char *bytes, gsize length);

#endif
