/* SPDX-License-Identifier: Apache-2.0 */
/* Converts texts of the raw files to the capture's string ids. Most texts repeat, so recent texts
 * are found without a call to the host. */
#ifndef STROBE_ASCEND_RAW_TEXT_CACHE_H
#define STROBE_ASCEND_RAW_TEXT_CACHE_H

#include <glib.h>
#include <strobe/importer.h>

#define TEXT_CACHE_MARGIN 48u

typedef struct TextCache TextCache;

TextCache *text_cache_new(const StrobeImporterHost *host, StrobeInstance *self);
void text_cache_free(TextCache *cache);

/* The text that replaces a text which is not UTF-8. Such texts are counted. */
#define TEXT_CACHE_INVALID "N/A"
StrobeStringId text_cache_string(TextCache *cache, const char *bytes, gsize length);
/* Does the same as text_cache_string, for a text in a file's window: TEXT_CACHE_MARGIN bytes from
 * its begin must be readable. */
StrobeStringId text_cache_field(TextCache *cache, const char *bytes, gsize length);
/* Returns the stack for a text of frames joined by ';', innermost first. TEXT_CACHE_MARGIN bytes
 * from its begin must be readable. */
StrobeStackId text_cache_stack(TextCache *cache, const char *bytes, gsize length);

gboolean text_is_utf8(const char *bytes, gsize length);

/* Returns the id of the replacement for texts that are not UTF-8; 0: there was no such text. */
StrobeStringId text_cache_invalid(const TextCache *cache);
/* Returns the number of texts that were not UTF-8. */
guint64 text_cache_n_invalid(const TextCache *cache);

#endif
