/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the raw files to the capture's ids. Most come again and again: what was seen lately is
 * found without asking the host. */
#ifndef STROBE_ASCEND_RAW_TEXT_CACHE_H
#define STROBE_ASCEND_RAW_TEXT_CACHE_H

#include <glib.h>
#include <strobe/importer.h>

typedef struct TextCache TextCache;

TextCache *text_cache_new(const StrobeImporterHost *host, StrobeInstance *self);
void text_cache_free(TextCache *cache);

/* What is no UTF-8 becomes "N/A", and is counted. */
StrobeStringId text_cache_string(TextCache *cache, const char *bytes, gsize length);
/* Frames joined by ';', innermost first. */
StrobeStackId text_cache_stack(TextCache *cache, const char *bytes, gsize length);

gboolean text_is_utf8(const char *bytes, gsize length);

/* Texts that were no UTF-8. */
guint64 text_cache_n_invalid(const TextCache *cache);

#endif
