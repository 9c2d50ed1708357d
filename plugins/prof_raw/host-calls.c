/* SPDX-License-Identifier: Apache-2.0 */
/* host_syscall.data and host_pthreadcall.data: what `perf trace -T` and `ltrace -ttt -T` printed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prof_raw.h"

#define IGNORED "pthread_once"

typedef struct Call {
    guint64 thread;
    char *name;
    gint64 begin, end;
    gint64 status;
} Call;

static void emit(Prof *prof, const Call *call)
{
    char name[40];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = call->thread,
                               .name = name,
                               .group = "OS Runtime API"};
    struct strobe_os_call *fields;

    g_snprintf(name, sizeof name, "Thread %" G_GUINT64_FORMAT, call->thread);
    fields = prof_emit(prof, &strobe_kind_os_call,
                       prof->host->track(prof->self, &track, prof->pid ? prof->pid : call->thread),
                       call->name, call->begin, call->end);
    if (fields)
        fields->status = call->status;
}

/* ns of a time that is printed in units of `unit` ns. */
static gboolean read_time(const char *text, char **end, double unit, gint64 *ns)
{
    gint64 whole = 0;
    double value;

    while (*text == ' ')
        text++;
    value = g_ascii_strtod(text, end);
    if (*end == text || !(value >= 0) || value * unit > 4e18)
        return FALSE;
    whole = (gint64)value;
    *ns = whole * (gint64)unit + llround((value - (double)whole) * unit);
    return TRUE;
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

/* Cuts the name that stands before the first bracket; `text` is what stands before it. */
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

/* "1234.567 ( 0.012 ms): command/1234 futex(...) = 0"; a call that was cut off has no duration. */
static gboolean read_perf(Prof *prof, char *line, Call *call)
{
    char *at, *open, *behind, *slash;
    gint64 duration = 0;

    if (!read_time(line, &at, 1e6, &call->begin) || !(open = strchr(at, '(')))
        return FALSE;
    at = strstr(open, "): ");
    if (!at)
        return FALSE;
    read_time(open + 1, &behind, 1e6, &duration);
    call->name = cut_name(at + 3, &behind);
    slash = call->name ? strrchr(at + 3, '/') : NULL;
    if (!slash || call->name == at + 3)
        return FALSE;
    call->thread = g_ascii_strtoull(slash + 1, NULL, 10);
    call->status = status_of(behind);
    call->begin = prof_time(prof, (guint64)call->begin);
    call->end = call->begin + duration;
    return TRUE;
}

/* "1234 1700000000.123456 pthread_create(...) = 0 <0.000012>": seconds since the epoch. */
static gboolean read_ltrace(char *line, Call *call)
{
    gint64 duration = 0;
    char *at, *behind, *mark;

    call->thread = g_ascii_strtoull(line, &at, 10);
    if (at == line || !read_time(at, &at, 1e9, &call->begin))
        return FALSE;
    call->name = cut_name(at, &behind);
    if (!call->name)
        return FALSE;
    mark = strrchr(behind, '<');
    if (mark)
        read_time(mark + 1, &at, 1e9, &duration);
    call->status = status_of(behind);
    call->end = call->begin + duration;
    return TRUE;
}

static void import_calls(Prof *prof, Slices *slices, gboolean is_perf)
{
    char *line;

    while (!prof->is_full && (line = slices_line(slices))) {
        Call call = {0};

        if (!*g_strstrip(line))
            continue;
        if (!(is_perf ? read_perf(prof, line, &call) : read_ltrace(line, &call)))
            prof->n_strange++;
        else if (strcmp(call.name, IGNORED))
            emit(prof, &call);
    }
}

void host_syscall_import(Prof *prof, Slices *slices)
{
    import_calls(prof, slices, TRUE);
}

void host_pthreadcall_import(Prof *prof, Slices *slices)
{
    import_calls(prof, slices, FALSE);
}
