/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-text-marks.h"

#include <string.h>

#include <strobe/helpers/mark-kinds.h>

struct mark {
    guint64 argument;
    StrobeStringId domain;
    guint32 event;
    StrobeStringId arguments;
};

static const StrobeField fields_of_mark[] = {
    STROBE_MARK_ARGUMENT,
    STROBE_MARK_DOMAIN,
    STROBE_MARK_EVENT,
    {ASCEND_TEXT_ARGUMENTS, STROBE_FIELD_STRING, 0, "",
     "Arguments without another field, as JSON."},
};

static const StrobeKind range_kind =
    STROBE_MARK_RANGE_KIND(fields_of_mark, G_N_ELEMENTS(fields_of_mark));
static const StrobeKind instant_kind =
    STROBE_MARK_INSTANT_KIND(fields_of_mark, G_N_ELEMENTS(fields_of_mark));

static guint32 event_type(const TraceEvent *event)
{
    static const char *const words[] = {"marker", "push/pop", "start/end", "marker_ex"};
    const TraceArg *arg = trace_event_arg(event, "event_type");

    for (guint32 i = 0; arg && i < G_N_ELEMENTS(words); i++)
        if (!strcmp(arg->text, words[i]))
            return i;
    return STROBE_ABSENT_U32;
}

void marks_take(TraceKinds *kinds, const TraceEvent *event, StrobeTrackId track, gint64 begin_ns,
                gint64 end_ns)
{
    Import *import = kinds->import;
    guint32 type = event_type(event);
    gboolean is_range = type == 1 || type == 2 || end_ns > begin_ns;
    struct mark *fields =
        text_import_emit(import, is_range ? &range_kind : &instant_kind, track,
                         text_import_intern(import, event->name), begin_ns, end_ns);
    guint8 other[TRACE_ARGS_MAX] = {0};
    gboolean has_other = FALSE;

    if (!fields)
        return;
    fields->event = type;
    for (guint i = 0; i < event->n_args; i++) {
        const TraceArg *arg = &event->args[i];

        if (!strcmp(arg->key, "domain") && arg->token == STROBE_JSON_STRING)
            fields->domain = text_import_intern(import, arg->text);
        else if (strcmp(arg->key, "event_type") || type == STROBE_ABSENT_U32)
            other[i] = has_other = TRUE;
    }
    if (has_other)
        fields->arguments = trace_kinds_args(kinds, event, other);
}
