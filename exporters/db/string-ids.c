/* SPDX-License-Identifier: Apache-2.0 */
#include "string-ids.h"

#include <strobe/helpers/keyed-hash.h>
#include <strobe/helpers/utf8.h>

#define PAGE_BITS 12u
#define PAGE (1u << PAGE_BITS)
#define SHORT_MAX 65536u /* maximum number of texts that are found by content */
#define SHORT_BYTES 32u
#define LIST_PREFIX ";\r\n"

/* First number of the framework's texts. The numbers of its memory tables begin at twice this
 * number. */
#define BLOCK ((gint64)1 << 28)

static const guint block_of[STRING_FORMS] = {
    [STRING_DEVICE] = 0, [STRING_FRAMEWORK] = 1, [STRING_LIST] = 1,
    [STRING_MEMORY] = 2, [STRING_QOS] = 0,
};

/* Numbers of texts by the text's id: 1 + the number within the block; 0: none yet. */
typedef struct Pages {
    guint32 **pages;
    guint32 n_pages;
} Pages;

struct StringIds {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    OutTable *table;
    Pages forms[STRING_FORMS];
    guint32 next[3];   /* the next free number in each block */
    GHashTable *texts; /* block and short text -> number */
    GString *made;
    RowBuffer rows;
};

StringIds *string_ids_new(const StrobeConsumerHost *host, StrobeInstance *self, OutTable *table)
{
    StringIds *ids = g_new0(StringIds, 1);

    ids->host = host;
    ids->self = self;
    ids->table = table;
    ids->texts = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    ids->made = g_string_new(NULL);
    return ids;
}

void string_ids_free(StringIds *ids)
{
    for (guint form = 0; form < STRING_FORMS; form++) {
        for (guint32 i = 0; i < ids->forms[form].n_pages; i++)
            g_free(ids->forms[form].pages[i]);
        g_free(ids->forms[form].pages);
    }
    g_hash_table_unref(ids->texts);
    g_string_free(ids->made, TRUE);
    g_free(ids->rows.bytes);
    g_free(ids);
}

RowBuffer *string_ids_rows(StringIds *ids)
{
    return &ids->rows;
}

void string_append_valid(GString *out, const char *bytes, gsize length)
{
    gsize from = 0, at = 0;

    while (at < length) {
        int n = strobe_utf8_next(bytes + at, length - at);

        if (n > 0 && bytes[at]) {
            at += (gsize)n;
            continue;
        }
        g_string_append_len(out, bytes + from, (gssize)(at - from));
        g_string_append(out, STROBE_UTF8_REPLACEMENT);
        at += (gsize)ABS(n);
        from = at;
    }
    g_string_append_len(out, bytes + from, (gssize)(at - from));
}

/* Returns the slot of the text with the id `id`. Returns NULL if no text of this page has a number
 * yet. */
static guint32 *find_slot(const Pages *pages, guint32 id)
{
    guint32 page = id >> PAGE_BITS;

    return page < pages->n_pages && pages->pages[page] ? &pages->pages[page][id & (PAGE - 1)]
                                                       : NULL;
}

static guint32 *make_slot(Pages *pages, guint32 id)
{
    guint32 page = id >> PAGE_BITS;

    if (G_UNLIKELY(page >= pages->n_pages)) {
        guint32 n = MAX(page + 1, pages->n_pages * 2);

        pages->pages = g_renew(guint32 *, pages->pages, n);
        memset(pages->pages + pages->n_pages, 0, (n - pages->n_pages) * sizeof *pages->pages);
        pages->n_pages = n;
    }
    if (G_UNLIKELY(!pages->pages[page]))
        pages->pages[page] = g_new0(guint32, PAGE);
    return &pages->pages[page][id & (PAGE - 1)];
}

/* Returns the number of the text in `made` within its block. Short texts are looked up by content,
 * because the same text may have two ids in the capture, or may be a word of the exporter
 * itself. */
static guint32 number_of_made(StringIds *ids, guint block)
{
    gboolean is_short = ids->made->len <= SHORT_BYTES;
    char key[SHORT_BYTES + 2];
    gpointer known = NULL;

    if (is_short) {
        key[0] = (char)('0' + block);
        memcpy(key + 1, ids->made->str, ids->made->len + 1);
        if (g_hash_table_lookup_extended(ids->texts, key, NULL, &known))
            return GPOINTER_TO_UINT(known);
        if (g_hash_table_size(ids->texts) < SHORT_MAX)
            g_hash_table_insert(ids->texts, g_strdup(key), GUINT_TO_POINTER(ids->next[block]));
    }
    row_begin(&ids->rows, ids->table);
    row_int(&ids->rows, block * BLOCK + ids->next[block]);
    row_text(&ids->rows, ids->made->str, ids->made->len);
    row_end(&ids->rows);
    return ids->next[block]++;
}

static void make_text(StringIds *ids, guint form, const char *bytes, gsize length)
{
    g_string_assign(ids->made, form == STRING_QOS ? "QoS " : "");
    string_append_valid(ids->made, bytes, length);
    if (form == STRING_LIST)
        g_string_replace(ids->made, ";", LIST_PREFIX, 0);
}

gint64 string_ids_of(StringIds *ids, guint form, StrobeStringId string)
{
    guint32 *slot;
    StrobeText text;

    if (!string)
        return STRING_IDS_NONE;
    slot = find_slot(&ids->forms[form], string);
    if (G_LIKELY(slot && *slot))
        return block_of[form] * BLOCK + *slot - 1;
    text = ids->host->string(ids->self, string);
    if (!text.length) /* in a damaged capture any id may belong to a missing text */
        return STRING_IDS_NONE;
    if (form == STRING_LIST && !memchr(text.bytes, ';', text.length))
        return string_ids_of(ids, STRING_FRAMEWORK, string);
    make_text(ids, form, text.bytes, text.length);
    slot = make_slot(&ids->forms[form], string);
    *slot = number_of_made(ids, block_of[form]) + 1;
    return block_of[form] * BLOCK + *slot - 1;
}

gint64 string_ids_word(StringIds *ids, guint form, const char *word)
{
    make_text(ids, form, word, strlen(word));
    return block_of[form] * BLOCK + number_of_made(ids, block_of[form]);
}
