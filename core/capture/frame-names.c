/* SPDX-License-Identifier: Apache-2.0 */
#include "frame-names.h"

#include <setjmp.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* A short name may stand for a text that doubles with every few of its letters. */
#define MANGLED_MAX 1024
#define TEXT_MAX 4096

typedef struct Text {
    jmp_buf is_full;
    GString *text;
} Text;

static void append(const char *bytes, size_t length, void *user)
{
    Text *text = user;

    if (text->text->len + length > TEXT_MAX)
        longjmp(text->is_full, 1); /* over frames that hold nothing but memory of their own stack */
    g_string_append_len(text->text, bytes, (gssize)length);
}

static gboolean demangle(const char *name, GString *into)
{
    Text text = {.text = into};

    if (setjmp(text.is_full))
        return FALSE;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, append, &text) != 0;
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
    if (!demangle(name, text))
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
    GHashTable *known; /* id of a name of C++ -> id of what to tell */
};

static gboolean may_be_of_cpp(StrobeText text)
{
    return text.length > 2 && text.bytes[0] == '_' && text.bytes[1] == 'Z';
}

StrobeStringId strobe_frame_names_of(StrobeFrameNames *names, StrobeStringId frame)
{
    StrobeText text = strobe_string_table_text(names->table, frame);
    gpointer known;

    if (!may_be_of_cpp(text))
        return frame;
    if (g_hash_table_lookup_extended(names->known, GUINT_TO_POINTER(frame), NULL, &known))
        return GPOINTER_TO_UINT(known);
    g_autofree char *told = strobe_frame_name(text);
    StrobeStringId id =
        told ? strobe_string_table_intern(names->table, told, strlen(told), FALSE) : frame;
    g_hash_table_insert(names->known, GUINT_TO_POINTER(frame), GUINT_TO_POINTER(id));
    return id;
}

StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table)
{
    StrobeFrameNames *names = g_new0(StrobeFrameNames, 1);
    guint32 n = strobe_string_table_n_ids(table);

    names->table = table;
    names->known = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (guint32 id = 0; id < n; id++)
        strobe_frame_names_of(names, id);
    if (g_hash_table_size(names->known))
        strobe_string_table_replace_frames(table, names->known);
    return names;
}

void strobe_frame_names_free(StrobeFrameNames *names)
{
    if (!names)
        return;
    g_hash_table_unref(names->known);
    g_free(names);
}
