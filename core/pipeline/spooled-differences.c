/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record is a byte with the number of its words, and its kind behind that, or 0 where both are as
 * those of the record before; half a byte a word, the length of its difference; the differences,
 * their sign lowest, in no more bytes than they have.
 */
#include "spooled-differences.h"

#include <string.h>

#define HEAD_WORDS (sizeof(struct StrobeSpooled) / 8)
#define WORDS_MAX 255u
#define KINDS 16u /* whose records before are told apart */

_Static_assert(sizeof(struct StrobeSpooled) % 8 == 0, "a record is words");
_Static_assert(HEAD_WORDS + STROBE_KIND_FIELDS_MAX <= WORDS_MAX, "a byte counts them");

/* What both ways have to know of the records before. */
typedef struct Before {
    const guint64 *records[KINDS]; /* NULL: none */
    guint32 sizes[KINDS];          /* their words */
    guint16 kinds[KINDS];
    guint16 kind; /* of the last one, and its words; 0: none */
    guint32 n;
} Before;

/* The one that a record differs from. */
static const guint64 *find_before(const Before *before, guint16 kind, guint32 n)
{
    static const guint64 zeros[WORDS_MAX];
    const guint slot = kind % KINDS;

    return before->sizes[slot] == n && before->kinds[slot] == kind ? before->records[slot] : zeros;
}

static void set_before(Before *before, guint16 kind, guint32 n, const guint64 *record)
{
    const guint slot = kind % KINDS;

    before->records[slot] = record;
    before->sizes[slot] = n;
    before->kinds[slot] = kind;
    before->kind = kind;
    before->n = n;
}

/* ---- there ---- */

static inline char *put_difference(char *to, guint64 now, guint64 before, guint *length)
{
    const guint64 less = now - before, word = less << 1 ^ (guint64)((gint64)less >> 63);

    memcpy(to, &word, sizeof word); /* what is too much is written over */
    *length = word ? 8 - (guint)__builtin_clzll(word) / 8 : 0;
    return to + *length;
}

static char *put_head(char *to, const Before *before, guint16 kind, guint32 n)
{
    if (before->n == n && before->kind == kind) {
        *to = 0;
        return to + 1;
    }
    *to = (char)n;
    memcpy(to + 1, &kind, sizeof kind);
    return to + 1 + sizeof kind;
}

gsize strobe_spooled_put(const char *records, gsize bytes, char *to)
{
    const char *start = to;
    Before all = {0};

    for (gsize at = 0; at < bytes;) {
        const struct StrobeSpooled *record = (const void *)(records + at);
        const guint64 *words = (const void *)record;
        const guint32 n = (guint32)HEAD_WORDS + record->field_bytes / 8;
        const guint64 *before = find_before(&all, record->kind, n);
        guint8 *lengths;

        lengths = (guint8 *)put_head(to, &all, record->kind, n);
        to = (char *)lengths + (n + 1) / 2;
        for (guint i = 0; i < n; i += 2) {
            guint low, high = 0;

            to = put_difference(to, words[i], before[i], &low);
            if (i + 1 < n)
                to = put_difference(to, words[i + 1], before[i + 1], &high);
            lengths[i / 2] = (guint8)(low | high << 4);
        }
        set_before(&all, record->kind, n, words);
        at += n * 8;
    }
    return (gsize)(to - start);
}

/* ---- and back ---- */

typedef struct Input {
    const char *at, *end;
} Input;

static inline gboolean take_difference(Input *in, guint length, guint64 before, guint64 *now)
{
    const gsize left = (gsize)(in->end - in->at);
    guint64 word = 0;

    if (length > 8 || length > left)
        return FALSE;
    if (left >= sizeof word) {
        memcpy(&word, in->at, sizeof word);
        word &= length ? G_MAXUINT64 >> (64 - 8 * length) : 0;
    } else {
        memcpy(&word, in->at, length);
    }
    in->at += length;
    *now = before + (word >> 1 ^ (0 - (word & 1)));
    return TRUE;
}

static gboolean take_head(Input *in, const Before *before, guint16 *kind, guint32 *n)
{
    *n = (guint8)*in->at++;
    if (*n == 0) {
        *n = before->n;
        *kind = before->kind;
    } else if ((gsize)(in->end - in->at) >= sizeof *kind) {
        memcpy(kind, in->at, sizeof *kind);
        in->at += sizeof *kind;
    } else {
        return FALSE;
    }
    return *n >= HEAD_WORDS;
}

static gboolean take_words(Input *in, guint32 n, const guint64 *before, guint64 *words)
{
    const guint8 *lengths = (const guint8 *)in->at;

    if ((gsize)(in->end - in->at) < (n + 1) / 2)
        return FALSE;
    in->at += (n + 1) / 2;
    for (guint i = 0; i < n; i++)
        if (!take_difference(in, lengths[i / 2] >> i % 2 * 4 & 15, before[i], &words[i]))
            return FALSE;
    return TRUE;
}

gboolean strobe_spooled_take(const char *from, gsize length, char *records, gsize bytes)
{
    Input in = {from, from + length};
    Before all = {0};
    gsize used = 0;

    while (in.at < in.end) {
        guint64 *words = (void *)(records + used);
        const struct StrobeSpooled *record = (const void *)words;
        guint16 kind;
        guint32 n;

        if (!take_head(&in, &all, &kind, &n) || n > (bytes - used) / 8 ||
            !take_words(&in, n, find_before(&all, kind, n), words) || record->kind != kind ||
            record->field_bytes != (n - HEAD_WORDS) * 8)
            return FALSE;
        set_before(&all, kind, n, words);
        used += n * 8;
    }
    return used == bytes;
}
