/* SPDX-License-Identifier: Apache-2.0 */
#include "frame-names.h"

#include <setjmp.h>
#include <string.h>
#include "json-text.h"
#include "native-symbols.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* Limits of a mangled name and of its text: a short name may encode a very long text, which doubles
 * with every few letters. */
#define MANGLED_MAX 1024
#define TEXT_MAX 4096

typedef struct Text {
    jmp_buf is_full;
    GString *text;
} Text;

static void append_bytes(const char *bytes, size_t length, void *user)
{
    Text *text = user;

    if (text->text->len + length > TEXT_MAX)
        longjmp(text->is_full, 1); /* jumps out of calls that own no memory */
    g_string_append_len(text->text, bytes, (gssize)length);
}

static gboolean demangle_name(const char *name, GString *into)
{
    Text text = {.text = into};

    if (setjmp(text.is_full))
        return FALSE;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, append_bytes, &text) != 0;
}

char *strobe_frame_name(StrobeText frame)
{
    char name[MANGLED_MAX + 1];
    const char *blank = frame.length ? memchr(frame.bytes, ' ', frame.length) : NULL;
    gsize length = blank ? (gsize)(blank - frame.bytes) : frame.length;

    if (length < 3 || length > MANGLED_MAX || memcmp(frame.bytes, "_Z", 2) != 0 ||
        memchr(frame.bytes, 0, length))
        return NULL;
    memcpy(name, frame.bytes, length);
    name[length] = 0;
    GString *text = g_string_new(NULL);
    if (!demangle_name(name, text))
        return g_string_free(text, TRUE);
    g_string_append_len(text, frame.bytes + length, (gssize)(frame.length - length));
    return g_string_free(text, FALSE);
}

#else

char *strobe_frame_name(StrobeText frame)
{
    return NULL;
}

#endif

struct StrobeFrameNames {
    StrobeStringTable *table;
    StrobeNativeSymbols *symbols;
    GHashTable *known; /* id of a frame -> GArray of the ids that replace it */
};

static gboolean is_of_cpp(StrobeText text)
{
    return text.length > 2 && text.bytes[0] == '_' && text.bytes[1] == 'Z';
}

static StrobeStringId intern_name(StrobeFrameNames *names, const char *text)
{
    g_autofree char *written = strobe_frame_name((StrobeText){text, strlen(text)});

    text = written ? written : text;
    return strobe_string_table_intern(names->table, text, strlen(text), FALSE);
}

static void free_array(gpointer array)
{
    g_array_unref(array);
}

/* Makes the frames that replace `frame`. `text` stays valid, because the texts of ids do not
 * move. */
static GArray *make_frames(StrobeFrameNames *names, StrobeStringId frame, StrobeText text)
{
    GArray *frames = g_array_new(FALSE, FALSE, sizeof(StrobeStringId));
    g_auto(GStrv) functions =
        is_of_cpp(text) ? NULL : strobe_native_symbols_resolve(names->symbols, text.bytes);

    for (char **function = functions; function && *function; function++) {
        frame = intern_name(names, *function);
        g_array_append_val(frames, frame);
    }
    if (functions)
        return frames;
    frame = is_of_cpp(text) ? intern_name(names, text.bytes) : frame;
    g_array_append_val(frames, frame);
    return frames;
}

void strobe_frame_names_append(StrobeFrameNames *names, StrobeStringId frame, GArray *frames)
{
    StrobeText text = strobe_string_table_text(names->table, frame);
    GArray *known;

    if (!is_of_cpp(text) && (text.length == 0 || text.bytes[0] != '/')) {
        g_array_append_val(frames, frame);
        return;
    }
    known = g_hash_table_lookup(names->known, GUINT_TO_POINTER(frame));
    if (!known) {
        known = make_frames(names, frame, text);
        g_hash_table_insert(names->known, GUINT_TO_POINTER(frame), known);
    }
    g_array_append_vals(frames, known->data, known->len);
}

static void expand_frame(gpointer user, StrobeStringId frame, GArray *frames)
{
    strobe_frame_names_append(user, frame, frames);
}

/* Passes the moved objects in the metadata to `symbols`. The metadata may have any form, because a
 * capture may come from another user. */
static void take_moved(StrobeNativeSymbols *symbols, JsonObject *metadata)
{
    JsonNode *node = json_object_get_member(metadata, STROBE_MOVED_OBJECTS);
    g_autoptr(GList) paths = NULL;

    if (!node || !JSON_NODE_HOLDS_OBJECT(node))
        return;
    strobe_native_symbols_set_elsewhere(symbols);
    paths = json_object_get_members(json_node_get_object(node));
    for (const GList *path = paths; path; path = path->next)
        strobe_native_symbols_move(symbols, path->data,
                                   strobe_json_member_text(json_node_get_object(node), path->data));
}

StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table, JsonObject *metadata)
{
    StrobeFrameNames *names = g_new0(StrobeFrameNames, 1);

    names->table = table;
    names->symbols = strobe_native_symbols_new(NULL);
    take_moved(names->symbols, metadata);
    names->known = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_array);
    strobe_string_table_expand_frames(table, expand_frame, names);
    return names;
}

void strobe_frame_names_free(StrobeFrameNames *names)
{
    if (!names)
        return;
    g_hash_table_unref(names->known);
    strobe_native_symbols_free(names->symbols);
    g_free(names);
}
