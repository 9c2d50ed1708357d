/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of texts in STRING_IDS: dealt out at the first use, apart for each writer of the
 * original. Kept are four bytes for each text of the capture and form that it is used in. */
#ifndef STROBE_DB_STRING_IDS_H
#define STROBE_DB_STRING_IDS_H

#include <strobe/exporter.h>

#include "out-db.h"

#define STRING_IDS_NONE 4294967295 /* number of the empty text, which is not stored */

/* Who writes the text, and in which form. */
enum {
    STRING_DEVICE = 0, /* the device's tool */
    STRING_FRAMEWORK = 1,
    STRING_LIST = 2, /* the framework, each ';' followed by CR LF */
    STRING_MEMORY = 3,
    STRING_QOS = 4, /* the device's tool, with "QoS " before it */
    STRING_FORMS = 5
};

typedef struct StringIds StringIds;

StringIds *string_ids_new(const StrobeConsumerHost *host, StrobeInstance *self, OutTable *table);
void string_ids_free(StringIds *ids);

/* Number of the text; STRING_IDS_NONE for an empty one. New ones leave a row in string_ids_rows. */
gint64 string_ids_of(StringIds *ids, guint form, StrobeStringId string);
/* The same for one of a few texts of the exporter's own. */
gint64 string_ids_word(StringIds *ids, guint form, const char *word);

/* Rows of new texts, to be moved on behind the row under way. */
RowBuffer *string_ids_rows(StringIds *ids);

/* Appends valid UTF-8 without NUL: U+FFFD for each invalid part. */
void string_append_valid(GString *out, const char *bytes, gsize length);

#endif
