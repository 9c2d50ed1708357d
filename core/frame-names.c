/* SPDX-License-Identifier: Apache-2.0 */
#include "demangle.h"

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

char *strobe_demangle_frame(StrobeText frame)
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

char *strobe_demangle_frame(StrobeText frame)
{
    return NULL;
}

#endif
