/* SPDX-License-Identifier: Apache-2.0 */
#include "strict-json.h"

#include <string.h>

#define DEPTH_MAX 200

struct cursor {
    const char *at, *end;
    guint depth;
};

static gboolean take_value(struct cursor *c);

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && memchr(" \t\r\n", *c->at, 4))
        c->at++;
}

static gboolean take_char(struct cursor *c, char wanted)
{
    if (c->at == c->end || *c->at != wanted)
        return FALSE;
    c->at++;
    return TRUE;
}

static gboolean take_word(struct cursor *c, const char *word)
{
    gsize n = strlen(word);

    if ((gsize)(c->end - c->at) < n || memcmp(c->at, word, n))
        return FALSE;
    c->at += n;
    return TRUE;
}

static gboolean take_digits(struct cursor *c)
{
    const char *from = c->at;

    while (c->at < c->end && g_ascii_isdigit(*c->at))
        c->at++;
    return c->at > from;
}

static gboolean take_number(struct cursor *c)
{
    take_char(c, '-');
    if (!take_char(c, '0') && !take_digits(c))
        return FALSE;
    if (take_char(c, '.') && !take_digits(c))
        return FALSE;
    if (take_char(c, 'e') || take_char(c, 'E')) {
        if (!take_char(c, '+'))
            take_char(c, '-');
        return take_digits(c);
    }
    return TRUE;
}

static gboolean take_escape(struct cursor *c)
{
    if (c->at == c->end)
        return FALSE;
    char kind = *c->at++;
    if (kind != 'u')
        return memchr("\"\\/bfnrt", kind, 8) != NULL;
    for (int i = 0; i < 4; i++)
        if (c->at == c->end || !g_ascii_isxdigit(*c->at++))
            return FALSE;
    return TRUE;
}

static gboolean take_string(struct cursor *c)
{
    if (!take_char(c, '"'))
        return FALSE;
    while (c->at < c->end) {
        guchar byte = (guchar)*c->at++;
        if (byte == '"')
            return TRUE;
        if (byte < 0x20 || (byte == '\\' && !take_escape(c)))
            return FALSE;
    }
    return FALSE;
}

/* Checks the text after an opening bracket up to the closing one. FALSE: it is not valid. */
static gboolean take_items(struct cursor *c, char close, gboolean has_keys)
{
    skip_blanks(c);
    if (take_char(c, close))
        return TRUE;
    do {
        skip_blanks(c);
        if (has_keys) {
            if (!take_string(c))
                return FALSE;
            skip_blanks(c);
            if (!take_char(c, ':'))
                return FALSE;
        }
        if (!take_value(c))
            return FALSE;
        skip_blanks(c);
    } while (take_char(c, ','));
    return take_char(c, close);
}

static gboolean take_value(struct cursor *c)
{
    gboolean ok;

    skip_blanks(c);
    if (c->at == c->end || c->depth >= DEPTH_MAX)
        return FALSE;
    c->depth++;
    if (*c->at == '"')
        ok = take_string(c);
    else if (take_char(c, '{'))
        ok = take_items(c, '}', TRUE);
    else if (take_char(c, '['))
        ok = take_items(c, ']', FALSE);
    else if (*c->at == '-' || g_ascii_isdigit(*c->at))
        ok = take_number(c);
    else
        ok = take_word(c, "true") || take_word(c, "false") || take_word(c, "null");
    c->depth--;
    return ok;
}

gboolean strict_json_is_valid(const char *text, gsize n)
{
    struct cursor c = {text, text + n, 0};

    if (memchr(text, 0, n) || !g_utf8_validate(text, (gssize)n, NULL) || !take_value(&c))
        return FALSE;
    skip_blanks(&c);
    return c.at == c.end;
}
