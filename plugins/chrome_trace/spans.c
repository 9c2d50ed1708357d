/* SPDX-License-Identifier: Apache-2.0 */
/* Converts spans that consist of one event (phase X), by their category. */
#include "trace-flow-events.h"
#include "trace-equal-spans.h"
#include "events.h"
#include "stack-frames.h"

#include <math.h>
#include <stdlib.h>

/* Returns the number in a name like "ProfilerStep#12"; -1 for other names. */
static gint64 step_number(const StrobeJsonValue *name)
{
    static const char prefix[] = "ProfilerStep#";
    gint64 number = 0;

    if (name->length <= strlen(prefix) || name->length > strlen(prefix) + 18 ||
        memcmp(name->text, prefix, strlen(prefix)) != 0)
        return -1;
    for (gsize i = strlen(prefix); i < name->length; i++) {
        if (!g_ascii_isdigit(name->text[i]))
            return -1;
        number = number * 10 + (name->text[i] - '0');
    }
    return number;
}

static gboolean is_collective(const StrobeJsonValue *name)
{
    return name->length > 4 && (!memcmp(name->text, "nccl", 4) || !memcmp(name->text, "rccl", 4));
}

static gboolean is_of_gpu(const StrobeJsonValue *category)
{
    return VALUE_IS(category, "gpu_user_annotation");
}

/* Returns whether the event is a device's task. Other tracers also have a category "kernel", whose
 * events are not tasks of a device. */
static gboolean is_of_device(const Event *event)
{
    for (guint i = 0; i < event->n_args; i++) {
        const StrobeJsonValue *key = &event->arg[i].key;

        if (VALUE_IS(key, "External id") || VALUE_IS(key, "correlation") || VALUE_IS(key, "stream"))
            return TRUE;
    }
    return FALSE;
}

static const Category *category_of(Import *import, const StrobeJsonValue *text)
{
    Category *category = &import->categories[(text->length ^ (guchar)text->text[0]) % CATEGORIES];

    if (category->length == text->length && !memcmp(category->text, text->text, text->length))
        return category;
    category->record_type = type_of_category(text->text, text->length);
    category->id = import_intern(import, text);
    category->length = text->length;
    memcpy(category->text, text->text, text->length);
    return category;
}

static guint sort_of_span(Import *import, const Event *event)
{
    const StrobeJsonValue *text = &event->category;
    guint record_type = text->length && text->length <= sizeof import->categories[0].text
                            ? category_of(import, text)->record_type
                            : RECORD_SPAN;

    /* old files have steps among the operators; a device's step is not used, because it is only a
     * copy of the host's step */
    if ((record_type == RECORD_MARKER || record_type == RECORD_OPERATOR) &&
        !is_of_gpu(&event->category) && step_number(&event->name) >= 0)
        return RECORD_STEP;
    if (record_type != RECORD_TASK)
        return record_type;
    if (!is_of_device(event))
        return RECORD_SPAN;
    return is_collective(&event->name) ? RECORD_COMMUNICATION : RECORD_TASK;
}

/* Returns the direction of a copy; for example, "HtoD" for "Memcpy HtoD (Pageable -> Device)". */
static StrobeStringId copy_direction(Import *import, const StrobeJsonValue *name)
{
    StrobeJsonValue word = *name;
    const char *blank;

    if (name->length < 11 || memcmp(name->text, "Memcpy ", 7) != 0)
        return 0;
    word.text += 7;
    word.length -= 7;
    blank = memchr(word.text, ' ', word.length);
    word.length = blank ? (guint32)(blank - word.text) : word.length;
    return import_intern(import, &word);
}

static void finish_task(Import *import, const Event *event, struct strobe_device_task *fields)
{
    fields->task = import->host->link_ids(import->self, 1);
    fields->task_type = category_of(import, &event->category)->id;
    fields->is_kernel = event->category.length == 6; /* the category is "kernel" or "Kernel" */
    if (!fields->is_kernel)
        fields->copy_direction = copy_direction(import, &event->name);
}

static void finish_span(Import *import, guint record_type, const Row *row, const Event *event,
                        void *fields)
{
    struct strobe_python_call *call = fields;
    struct strobe_step *step = fields;

    switch (record_type) {
    case RECORD_STEP:
        step->number = step_number(&event->name);
        step->thread = row->number;
        break;
    case RECORD_PYTHON:
        if (call->parent == STROBE_ABSENT_U64)
            call->parent = 0;
        break;
    case RECORD_CALL:
        ((struct strobe_api_call *)fields)->level = category_of(import, &event->category)->id;
        break;
    case RECORD_TASK:
        finish_task(import, event, fields);
        break;
    case RECORD_COMMUNICATION:
        ((struct strobe_comm_op *)fields)->op = import->host->link_ids(import->self, 1);
        break;
    default:
        break;
    }
}

/* Sets fields for which 0 or -1 is a valid value to their absent value. */
static void begin_fields(guint record_type, void *fields)
{
    struct strobe_cpu_op *op = fields;

    if (record_type == RECORD_OPERATOR) {
        op->sequence = -1;
        op->forward_thread = 0;
    }
}

static void note_task(Import *import, guint record_type, const void *fields)
{
    if (record_type == RECORD_TASK)
        flow_events_note_task(import, ((const struct strobe_device_task *)fields)->connection);
    else if (record_type == RECORD_COMMUNICATION)
        flow_events_note_task(import, ((const struct strobe_comm_op *)fields)->connection);
}

static void take_known(Import *import, guint record_type, Row *row, const Event *event,
                       gint64 begin, gint64 end, gboolean is_exact)
{
    StrobeTrackId track =
        record_type == RECORD_STEP ? rows_steps(import->rows) : rows_track(import->rows, row);
    StrobeStringId name = import_intern(import, &event->name);
    void *fields = equal_spans_add(import, row, record_type, track, name, begin, end);
    double exact;

    if (!fields)
        return;
    begin_fields(record_type, fields);
    import_fill(import, record_type, event, fields);
    finish_span(import, record_type, row, event, fields);
    note_task(import, record_type, fields);
    if (!is_exact && import->record_types[record_type].exact >= 0 &&
        value_to_double(&event->dur, &exact))
        memcpy((char *)fields + import->record_types[record_type].exact, &exact, sizeof exact);
    if (G_LIKELY(!event_has_stack(event)))
        return;
    Stacks stacks = stacks_of_event(import, event);
    if (record_type == RECORD_OPERATOR && !((struct strobe_cpu_op *)fields)->stack) {
        ((struct strobe_cpu_op *)fields)->stack = stacks.begin;
        stacks.begin = 0;
    }
    stacks_emit(import, &stacks, track, name, begin, end);
}

static void take_unknown(Import *import, Row *row, const Event *event, gint64 begin, gint64 end)
{
    StrobeTrackId track = rows_track(import->rows, row);
    StrobeStringId name = import_intern(import, &event->name);
    Stacks stacks = stacks_of_event(import, event);
    struct chrome_trace_span *fields =
        equal_spans_add(import, row, RECORD_SPAN, track, name, begin, end);

    if (!fields)
        return;
    fields->category = import_intern(import, &event->category);
    fields->id = import_intern(import, &event->id);
    fields->arguments = import_intern_arguments(import, event);
    fields->phase = import_intern_text(import, "X");
    fields->stack = stacks.begin;
    stacks.begin = 0;
    stacks_emit(import, &stacks, track, name, begin, end);
}

void spans_take(Import *import, Row *row, const Event *event, gint64 stated)
{
    const gint64 begin = MAX(stated, 0);
    guint record_type = sort_of_span(import, event);
    gboolean is_exact = TRUE;
    gint64 duration = 0, end;

    if (event->dur.type && !value_to_us(&event->dur, &duration, &is_exact)) {
        import_damage(import, event, "a duration that is not a number");
        duration = 0;
    }
    if (duration < 0 || __builtin_add_overflow(stated, duration, &end)) {
        import_damage(import, event, "a duration that is out of range");
        end = begin;
    }
    end = MAX(end, begin);
    is_exact |= begin != stated;
    import->last = MAX(import->last, end);
    if (record_type == RECORD_SPAN) {
        take_unknown(import, row, event, begin, end);
        return;
    }
    rows_tell_owner(row, record_type,
                    sort_is_of_device(record_type) || is_of_gpu(&event->category));
    take_known(import, record_type, row, event, begin, end, is_exact);
}
