/* SPDX-License-Identifier: Apache-2.0 */
/* Reads host_syscall.data and host_pthreadcall.data, the output of `perf trace -T` and `ltrace -ttt
 * -T`. */
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "prof_raw.h"

#define IGNORED "pthread_once"
#define MS_DIGITS 6u
#define S_DIGITS 9u
#define CONTINUED "[continued]:"
#define RESUMED_BEGIN "<... "
#define RESUMED_END " resumed>"
#define UNFINISHED "<unfinished ...>"
/* maximum number of threads that have a call whose return was not read yet */
#define OPEN_MAX 65536u

typedef struct Call {
    guint64 thread;
    char *name;
    gint64 begin, end;
    gint64 status;
} Call;

typedef struct Calls {
    Prof *prof;
    GHashTable *open; /* maps a thread to its Call that has not returned yet */
} Calls;

static void emit_call(Prof *prof, const Call *call)
{
    char name[40];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = call->thread,
                               .name = name,
                               .group = "OS Runtime API"};
    struct strobe_os_call *fields;

    if (!strcmp(call->name, IGNORED))
        return;
    g_snprintf(name, sizeof name, "Thread %" G_GUINT64_FORMAT, call->thread);
    fields = prof_emit(prof, &strobe_kind_os_call,
                       prof->host->track(prof->self, &track, prof->pid ? prof->pid : call->thread),
                       call->name, call->begin, call->end);
    if (fields)
        fields->status = call->status;
}

/* Appends a digit to the number. Returns FALSE if the number is then too large. */
static gboolean add_digit(gint64 *value, char digit)
{
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, digit - '0', value);
}

/* Reads a time, which is printed in units of 10^`digits` ns, and converts it to ns. Uses integers,
 * because with a double the error would be up to 119 ns for seconds since the epoch. */
static gboolean read_time(const char *text, char **end, guint digits, gint64 *ns)
{
    const char *at = text + strspn(text, " ");
    gboolean is_good = g_ascii_isdigit(*at), is_up = FALSE;
    guint n = 0;

    *ns = 0;
    for (; g_ascii_isdigit(*at); at++)
        is_good = is_good && add_digit(ns, *at);
    at += *at == '.';
    for (; g_ascii_isdigit(*at); at++, n++) {
        if (n < digits)
            is_good = is_good && add_digit(ns, *at);
        else if (n == digits)
            is_up = *at >= '5';
    }
    for (; n < digits; n++)
        is_good = is_good && add_digit(ns, '0');
    *ns += is_good && is_up;
    *end = (char *)at;
    return is_good && *ns < G_MAXINT64 / 2;
}

static gint64 status_of(const char *text)
{
    const char *mark = g_strrstr(text, " = ");
    gint64 value;
    char *end;

    if (!mark)
        return STROBE_ABSENT_I64;
    value = g_ascii_strtoll(mark + 3, &end, 0);
    return end == mark + 3 ? STROBE_ABSENT_I64 : value;
}

/* Returns the name before the first bracket. Cuts `text` off before the name, and sets `behind` to
 * the text after the bracket. */
static char *cut_name(char *text, char **behind)
{
    char *bracket = strchr(text, '('), *name;

    if (!bracket)
        return NULL;
    *bracket = 0;
    *behind = bracket + 1;
    name = strrchr(text, ' ');
    if (name)
        *name++ = 0;
    else
        name = text;
    return *name ? name : NULL;
}

/* Stores a call whose return is printed on a separate line, after lines of other threads. */
static void begin_open(Calls *calls, const Call *call)
{
    Call *open = g_hash_table_lookup(calls->open, &call->thread);

    if (open)
        emit_call(calls->prof, open); /* the return of the earlier call is missing */
    else if (g_hash_table_size(calls->open) >= OPEN_MAX) {
        emit_call(calls->prof, call);
        return;
    }
    open = g_memdup2(call, sizeof *call);
    open->name = g_strdup(call->name);
    g_hash_table_replace(calls->open, &open->thread, open);
}

/* Sets `begin` to the begin of a call that returns. Returns FALSE if no earlier line has the
 * call. */
static gboolean end_open(Calls *calls, const Call *call, gint64 *begin)
{
    Call *open = g_hash_table_lookup(calls->open, &call->thread);

    if (!open || strcmp(open->name, call->name) != 0)
        return FALSE;
    *begin = open->begin;
    g_hash_table_remove(calls->open, &call->thread);
    return TRUE;
}

/* Reads a line like "1234.567 ( 0.012 ms): command/1234 futex(...) = 0". A call that is interrupted
 * by lines of other threads has no duration and ends in "...". The call is printed again as "...
 * [continued]: futex()) = 0", with the same time and the duration. */
static gboolean take_perf(Calls *calls, char *line)
{
    char *at, *open, *behind, *slash;
    gint64 duration = 0, begin;
    gboolean has_duration;
    Call call = {0};

    if (!read_time(line, &at, MS_DIGITS, &call.begin) || !(open = strchr(at, '(')))
        return FALSE;
    at = strstr(open, "): ");
    if (!at)
        return FALSE;
    has_duration = read_time(open + 1, &behind, MS_DIGITS, &duration);
    call.name = cut_name(at + 3, &behind);
    slash = call.name ? strrchr(at + 3, '/') : NULL;
    if (!slash || call.name == at + 3)
        return FALSE;
    call.thread = g_ascii_strtoull(slash + 1, NULL, 10);
    call.status = status_of(behind);
    call.begin = prof_time(calls->prof, (guint64)call.begin);
    call.end = call.begin + duration;
    if (!has_duration && g_str_has_suffix(behind, "...")) {
        begin_open(calls, &call);
        return TRUE;
    }
    if (strstr(slash, CONTINUED) && end_open(calls, &call, &begin))
        call.begin = MIN(begin, call.begin);
    emit_call(calls->prof, &call);
    return TRUE;
}

/* Splits "<... pthread_join resumed> ) = 0" into the name, which is returned, and the text after
 * the name, `behind`. Returns NULL if the line is different. */
static char *cut_resumed(char *text, char **behind)
{
    char *end;

    if (!g_str_has_prefix(text, RESUMED_BEGIN) || !(end = strstr(text, RESUMED_END)))
        return NULL;
    *end = 0;
    *behind = end + strlen(RESUMED_END);
    return text + strlen(RESUMED_BEGIN);
}

/* Reads a line like "1234 1700000000.123456 pthread_create(...) = 0 <0.000012>", in seconds since
 * the epoch. A call that is interrupted by a line of another thread ends in "<unfinished ...>". Its
 * return has a separate line, with the time of the return. */
static gboolean take_ltrace(Calls *calls, char *line)
{
    gint64 duration = 0, printed;
    gboolean is_resumed, has_duration;
    char *at, *behind, *mark;
    Call call = {0};

    call.thread = g_ascii_strtoull(line, &at, 10);
    if (at == line || !read_time(at, &at, S_DIGITS, &printed))
        return FALSE;
    at = g_strchug(at);
    if (g_str_has_prefix(at, "+++ ") || g_str_has_prefix(at, "--- "))
        return TRUE; /* the line reports the end of a thread or a signal, not a call */
    call.name = cut_resumed(at, &behind);
    is_resumed = call.name != NULL;
    if (!is_resumed)
        call.name = cut_name(at, &behind);
    if (!call.name)
        return FALSE;
    mark = strrchr(behind, '<');
    has_duration = mark && read_time(mark + 1, &at, S_DIGITS, &duration);
    call.status = status_of(behind);
    call.begin = call.end = printed;
    if (!is_resumed && mark && g_str_has_prefix(mark, UNFINISHED)) {
        begin_open(calls, &call);
        return TRUE;
    }
    if (is_resumed && !end_open(calls, &call, &call.begin))
        call.begin = printed - duration;
    if (has_duration)
        call.end = call.begin + duration;
    emit_call(calls->prof, &call);
    return TRUE;
}

static void free_call(gpointer data)
{
    g_free(((Call *)data)->name);
    g_free(data);
}

static gint by_begin(gconstpointer a, gconstpointer b)
{
    const Call *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* Emits the calls that did not return, whose duration is unknown. */
static void emit_open(Calls *calls)
{
    GList *all = g_list_sort(g_hash_table_get_values(calls->open), by_begin);

    for (const GList *at = all; at && !calls->prof->is_full; at = at->next)
        emit_call(calls->prof, at->data);
    g_list_free(all);
}

static void import_calls(Prof *prof, Slices *slices, gboolean (*take)(Calls *calls, char *line))
{
    Calls calls = {.prof = prof};
    char *line;

    calls.open = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, NULL, free_call);
    while (!prof->is_full && (line = slices_line(slices)))
        if (*g_strstrip(line) && !take(&calls, line))
            prof->n_strange++;
    emit_open(&calls);
    g_hash_table_unref(calls.open);
}

void host_syscall_import(Prof *prof, Slices *slices)
{
    import_calls(prof, slices, take_perf);
}

void host_pthreadcall_import(Prof *prof, Slices *slices)
{
    import_calls(prof, slices, take_ltrace);
}
