/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the raw files to the capture's ids. Most come again and again: what was seen lately is
 * found without asking the host. */
#ifndef STROBE_ASCEND_RAW_TEXT_CACHE_H
#define STROBE_ASCEND_RAW_TEXT_CACHE_H

#include <glib.h>
#include <strobe/importer.h>

#define TEXT_CACHE_MARGIN 48u

typedef struct TextCache TextCache;

TextCache *text_cache_new(const StrobeImporterHost *host, StrobeInstance *self);
void text_cache_free(TextCache *cache);

/* Replaces text that is not UTF-8; such texts are counted. */
#define TEXT_CACHE_INVALID "N/A"
StrobeStringId text_cache_string(TextCache *cache, const char *bytes, gsize length);
/* The same of a text in a file's window: TEXT_CACHE_MARGIN bytes from its begin may be read. */
StrobeStringId text_cache_field(TextCache *cache, const char *bytes, gsize length);
/* Frames joined by ';', innermost first; margin as above. */
StrobeStackId text_cache_stack(TextCache *cache, const char *bytes, gsize length);

gboolean text_is_utf8(const char *bytes, gsize length);

/* The id of what stands for strings that were no UTF-8, 0: there was none. */
StrobeStringId text_cache_invalid(const TextCache *cache);
/* Texts that were no UTF-8. */
guint64 text_cache_n_invalid(const TextCache *cache);

#endif
