/* SPDX-License-Identifier: Apache-2.0 */
/* A value of a JSON text where it stands: nothing is copied or unescaped before somebody wants it.
 */
#ifndef STROBE_CHROME_TRACE_SLICE_H
#define STROBE_CHROME_TRACE_SLICE_H

#include <glib.h>
#include <string.h>

enum {
    SLICE_NONE = 0,
    SLICE_STRING = 1, /* without its quotes, escapes as they are */
    SLICE_NUMBER = 2,
    SLICE_WORD = 3, /* true, false, null */
    SLICE_OBJECT = 4,
    SLICE_ARRAY = 5,
    SLICE_ODD = 6 /* NaN, inf ...: no JSON */
};

/* Tags are below. */
#define SLICE_TAGS 1024u

typedef struct Slice {
    const char *text;
    guint32 length;
    guint8 type;        /* SLICE_* */
    guint8 has_escapes; /* of an object or array: words that are no JSON stand in it */
    guint16 tag;        /* of an argument's key: keys of the same tag are the same; 0: not known */
} Slice;

/* The value that begins at `p` (no blanks before it), up to `end`, behind which a '"' stands and
 * 64 more bytes may be read. Returns where it ends; NULL with `expected` NULL: it does not end
 * before `end`; NULL otherwise: it is no value, and `place` says where. */
const char *slice_scan(const char *p, const char *end, Slice *slice, const char **expected,
                       const char **place);

/* The text, unescaped where it must be (words that are no JSON become texts), at the end of `arena`
 * (which moves); returns its offset. A NUL follows it. */
gsize slice_append(const Slice *slice, GString *arena);

/* ns of a number of microseconds (a string with a number in it too), rounded; FALSE: it is none, or
 * beyond 64 bits. `is_exact` (may be NULL): nothing was below the ns. */
gboolean slice_us(const Slice *slice, gint64 *ns, gboolean *is_exact);
/* A whole number; a fraction is rounded. */
gboolean slice_int(const Slice *slice, gint64 *value);
gboolean slice_uint(const Slice *slice, guint64 *value);
gboolean slice_double(const Slice *slice, double *value);

static inline gboolean slice_is(const Slice *slice, const char *text, gsize length)
{
    return slice->length == length && memcmp(slice->text, text, length) == 0;
}

#define SLICE_IS(slice_, literal_) slice_is(slice_, literal_, sizeof(literal_) - 1)

static inline gboolean slice_equals(const Slice *a, const Slice *b)
{
    return a->length == b->length && a->type == b->type && !memcmp(a->text, b->text, a->length);
}

static inline const char *slice_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
        p++;
    return p;
}

/* To the next value of an array, or to `end`, where its closing bracket is. */
static inline const char *slice_skip_separators(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t' || *p == ','))
        p++;
    return p;
}

#endif
