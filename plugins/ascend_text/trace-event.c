/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-event.h"

#include <errno.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>

/* A member of the event that is being read. Its texts are stored as offsets in the arena, because
 * the arena may move when it grows. */
typedef struct Member {
    gsize key, text, length;
    int token;
} Member;

struct TraceReader {
    StrobeJsonScanner *scanner;
    GString *arena;
    GArray *args; /* elements of type Member */
    GArray *done; /* elements of type TraceArg */
    gsize texts[6];
    gboolean is_begun, is_over;
    StrobeJsonWriter json; /* writer for nested values */
};

enum { TEXT_PHASE, TEXT_NAME, TEXT_CATEGORY, TEXT_TS, TEXT_DUR, TEXT_ID };

TraceReader *trace_reader_new(int descriptor)
{
    TraceReader *r = g_new0(TraceReader, 1);

    r->scanner = strobe_json_scanner_new(descriptor);
    r->arena = g_string_new(NULL);
    r->args = g_array_new(FALSE, FALSE, sizeof(Member));
    r->done = g_array_new(FALSE, FALSE, sizeof(TraceArg));
    return r;
}

void trace_reader_free(TraceReader *r)
{
    strobe_json_scanner_free(r->scanner);
    g_string_free(r->arena, TRUE);
    g_array_unref(r->args);
    g_array_unref(r->done);
    g_free(r);
}

static gsize keep_text(TraceReader *r, const char *text, gsize length)
{
    gsize at = r->arena->len;

    g_string_append_len(r->arena, text, (gssize)length);
    g_string_append_c(r->arena, '\0');
    return at;
}

static int append_bytes(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

static void copy_scalar(StrobeJsonWriter *json, int token, const char *text, gsize length)
{
    switch (token) {
    case STROBE_JSON_TRUE:
    case STROBE_JSON_FALSE:
        strobe_json_bool(json, token == STROBE_JSON_TRUE);
        break;
    case STROBE_JSON_NULL:
        strobe_json_null(json);
        break;
    case STROBE_JSON_NUMBER: /* a number is stored as a text, so it keeps its digits */
        strobe_json_raw(json, text, length);
        break;
    default:
        strobe_json_text(json, text, length);
    }
}

static void copy_token(StrobeJsonWriter *json, int token, const char *text, gsize length)
{
    switch (token) {
    case STROBE_JSON_OBJECT:
        strobe_json_begin_object(json);
        break;
    case STROBE_JSON_OBJECT_END:
        strobe_json_end_object(json);
        break;
    case STROBE_JSON_ARRAY:
        strobe_json_begin_array(json);
        break;
    case STROBE_JSON_ARRAY_END:
        strobe_json_end_array(json);
        break;
    case STROBE_JSON_KEY:
        strobe_json_key_text(json, text, length);
        break;
    default:
        copy_scalar(json, token, text, length);
    }
}

int json_copy_value(StrobeJsonScanner *scanner, int token, const char *text, gsize length,
                    StrobeJsonWriter *json, GString *out)
{
    gboolean is_nested = token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY;
    guint32 until = strobe_json_scanner_depth(scanner) - is_nested;

    strobe_json_init(json, append_bytes, out, STROBE_JSON_SPACED);
    for (;;) {
        copy_token(json, token, text, length);
        if (strobe_json_scanner_depth(scanner) == until)
            return strobe_json_flush(json) ? STROBE_JSON_ERROR : token;
        token = strobe_json_scanner_next(scanner, &text, &length);
        if (token < 0)
            return token;
    }
}

void trace_event_write_args(const TraceEvent *event, const guint8 *only, StrobeJsonWriter *json,
                            GString *out)
{
    strobe_json_init(json, append_bytes, out, STROBE_JSON_SPACED);
    strobe_json_begin_object(json);
    for (guint i = 0; i < event->n_args; i++) {
        const TraceArg *arg = &event->args[i];

        if (only && !only[i])
            continue;
        strobe_json_key_text(json, arg->key, strlen(arg->key));
        if (arg->token == STROBE_JSON_OBJECT) /* the text is JSON */
            strobe_json_raw(json, arg->text, arg->length);
        else
            copy_scalar(json, arg->token, arg->text, arg->length);
    }
    strobe_json_end_object(json);
    strobe_json_flush(json);
}

static int take_nested(TraceReader *r, int token, Member *member)
{
    member->text = r->arena->len;
    token = json_copy_value(r->scanner, token, "", 0, &r->json, r->arena);
    member->length = r->arena->len - member->text;
    member->token = STROBE_JSON_OBJECT;
    g_string_append_c(r->arena, '\0');
    return token;
}

/* Reads the members of "args". */
static int take_args(TraceReader *r)
{
    for (;;) {
        const char *text;
        gsize length;
        Member member = {0};
        int token = strobe_json_scanner_next(r->scanner, &text, &length);

        if (token != STROBE_JSON_KEY)
            return token; /* the end, or an error */
        member.key = keep_text(r, text, length);
        token = strobe_json_scanner_next(r->scanner, &text, &length);
        if (token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY) {
            token = take_nested(r, token, &member);
        } else {
            member.text = keep_text(r, text, length);
            member.length = length;
            member.token = token;
        }
        if (token < 0)
            return token;
        if (r->args->len < TRACE_ARGS_MAX)
            g_array_append_val(r->args, member);
    }
}

static gboolean take_int(const char *text, gint64 *value)
{
    return g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, value, NULL);
}

static int take_member(TraceReader *r, TraceEvent *event)
{
    static const char *const keys[] = {"ph", "name", "cat", "ts", "dur", "id"};
    gsize at, key_at = r->arena->len, length;
    const char *text, *key;
    int token = strobe_json_scanner_next(r->scanner, &text, &length);

    if (token != STROBE_JSON_KEY)
        return token;
    keep_text(r, text, length);
    token = strobe_json_scanner_next(r->scanner, &text, &length);
    if (token == STROBE_JSON_OBJECT && strcmp(r->arena->str + key_at, "args") == 0)
        return take_args(r) < 0 ? STROBE_JSON_ERROR : STROBE_JSON_KEY;
    if (token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY) {
        Member member = {.key = key_at};

        token = take_nested(r, token, &member);
        return token < 0 ? token : STROBE_JSON_KEY;
    }
    if (token < 0)
        return token;
    at = keep_text(r, text, length);
    key = r->arena->str + key_at;
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        if (strcmp(key, keys[i]) == 0)
            r->texts[i] = at;
    if (strcmp(key, "pid") == 0)
        event->has_pid = take_int(r->arena->str + at, &event->pid);
    else if (strcmp(key, "tid") == 0)
        take_int(r->arena->str + at, &event->tid);
    return STROBE_JSON_KEY;
}

static void finish_event(TraceReader *r, TraceEvent *event)
{
    const char *base = r->arena->str;

    event->phase = base + r->texts[TEXT_PHASE];
    event->name = base + r->texts[TEXT_NAME];
    event->category = base + r->texts[TEXT_CATEGORY];
    event->ts = base + r->texts[TEXT_TS];
    event->dur = base + r->texts[TEXT_DUR];
    event->id = base + r->texts[TEXT_ID];
    event->has_dur = r->texts[TEXT_DUR] != 0;
    event->has_category = r->texts[TEXT_CATEGORY] != 0;
    event->offset = strobe_json_scanner_offset(r->scanner);
    g_array_set_size(r->done, 0);
    for (guint i = 0; i < r->args->len; i++) {
        const Member *m = &g_array_index(r->args, Member, i);
        TraceArg arg = {base + m->key, base + m->text, m->length, m->token};

        g_array_append_val(r->done, arg);
    }
    event->args = (const TraceArg *)(const void *)r->done->data;
    event->n_args = r->done->len;
}

/* Reads an event, after its opening brace. */
static int take_event(TraceReader *r, TraceEvent *event)
{
    int token;

    memset(event, 0, sizeof *event);
    memset(r->texts, 0, sizeof r->texts);
    g_string_truncate(r->arena, 0);
    g_string_append_c(r->arena, '\0'); /* offset 0 is an empty text, which missing members have */
    g_array_set_size(r->args, 0);
    do
        token = take_member(r, event);
    while (token == STROBE_JSON_KEY);
    if (token < 0)
        return token;
    finish_event(r, event);
    return 1;
}

/* Moves to the next event. Returns FALSE if there is none. */
static gboolean seek_event(StrobeJsonScanner *scanner)
{
    if (!strobe_json_scanner_seek(scanner, '{'))
        return FALSE;
    strobe_json_scanner_set_levels(scanner, "[");
    return TRUE;
}

static int report_error(TraceReader *r, TraceEvent *event, int token, const char **error)
{
    event->offset = strobe_json_scanner_offset(r->scanner);
    *error = token == STROBE_JSON_IO ? g_strerror(errno) : strobe_json_scanner_error(r->scanner);
    if (!**error)
        *error = "an event of a trace";
    r->is_over = token == STROBE_JSON_IO || !seek_event(r->scanner);
    return -1;
}

int trace_reader_next(TraceReader *r, TraceEvent *event, const char **error)
{
    int token = r->is_over ? STROBE_JSON_END : strobe_json_scanner_next(r->scanner, NULL, NULL);

    if (token == STROBE_JSON_ARRAY && !r->is_begun) {
        r->is_begun = TRUE;
        token = strobe_json_scanner_next(r->scanner, NULL, NULL);
    }
    if (token == STROBE_JSON_ARRAY_END || token == STROBE_JSON_END)
        return 0;
    if (token == STROBE_JSON_OBJECT)
        token = take_event(r, event);
    else if (token > 0)
        token = STROBE_JSON_ERROR;
    return token == 1 ? 1 : report_error(r, event, token, error);
}

const TraceArg *trace_event_arg(const TraceEvent *event, const char *key)
{
    for (guint i = 0; i < event->n_args; i++)
        if (strcmp(event->args[i].key, key) == 0)
            return &event->args[i];
    return NULL;
}
