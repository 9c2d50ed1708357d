/* SPDX-License-Identifier: Apache-2.0 */
#include "stack-frames.h"

#include <strobe/helpers/keyed-hash.h>

#define FRAMES_MAX (4u << 20)
#define ID_BYTES_MAX (64u << 20)
/* maximum depth of a stack by ids, because in the capture each stack stores all its frames */
#define DEPTH_MAX 1024u

typedef struct Frame {
    const char *id;
    StrobeStringId name;
    guint32 parent;       /* index in `frames`; 0: the frame has none */
    guint32 walk;         /* number of the last walk that visited the frame */
    StrobeStackId stack;  /* the stack whose innermost frame is this one; 0: not made yet */
    gboolean is_reported; /* "stackFrames" has described the frame */
} Frame;

struct StackFrames {
    GArray *frames;     /* elements of type Frame; the first entry stands for no frame */
    GHashTable *places; /* id -> index in `frames` */
    GStringChunk *ids;
    GArray *names; /* names of the stack that is being made */
    gsize id_bytes;
    guint32 n_walks;
    gboolean is_known;
    const char *missing; /* id of the first frame without a description */
    guint64 n_missing, n_twice, n_circles, n_cut, n_left_out, n_odd;
};

StackFrames *stack_frames_new(void)
{
    StackFrames *frames = g_new0(StackFrames, 1);

    frames->frames = g_array_new(FALSE, TRUE, sizeof(Frame));
    g_array_set_size(frames->frames, 1);
    frames->places = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    frames->ids = g_string_chunk_new(64u << 10);
    frames->names = g_array_new(FALSE, FALSE, sizeof(StrobeStringId));
    return frames;
}

void stack_frames_free(StackFrames *frames)
{
    if (!frames)
        return;
    g_array_unref(frames->frames);
    g_hash_table_unref(frames->places);
    g_string_chunk_free(frames->ids);
    g_array_unref(frames->names);
    g_free(frames);
}

gboolean stack_frames_are_known(const StackFrames *frames)
{
    return frames->is_known;
}

void stack_frames_set_known(StackFrames *frames)
{
    frames->is_known = TRUE;
}

/* ---- frames ---- */

static Frame *frame_at(const StackFrames *frames, guint32 place)
{
    return &g_array_index(frames->frames, Frame, place);
}

/* Returns the index of the frame with this id; adds the frame if it is new. Returns 0 if the value
 * is not an id, or if there is no room. */
static guint32 place_of(Import *import, const StrobeJsonValue *id)
{
    StackFrames *frames = import->frames;
    guint32 place;

    if (id->type != STROBE_JSON_STRING && id->type != STROBE_JSON_NUMBER) {
        frames->n_odd += id->type != STROBE_JSON_END && !VALUE_IS(id, "null");
        return 0;
    }
    g_string_truncate(import->text, 0);
    value_append(id, import->text);
    place = GPOINTER_TO_UINT(g_hash_table_lookup(frames->places, import->text->str));
    if (place)
        return place;
    if (frames->frames->len > FRAMES_MAX || frames->id_bytes + id->length > ID_BYTES_MAX) {
        frames->n_left_out++;
        return 0;
    }
    const Frame frame = {.id = g_string_chunk_insert(frames->ids, import->text->str)};
    frames->id_bytes += id->length;
    place = frames->frames->len;
    g_array_append_val(frames->frames, frame);
    g_hash_table_insert(frames->places, (gpointer)frame.id, GUINT_TO_POINTER(place));
    return place;
}

static const StrobeJsonValue *member_of(const Event *event, const char *key)
{
    static const StrobeJsonValue none;

    for (guint i = 0; i < event->n_others; i++)
        if (value_equals(&event->others[i].key, key, strlen(key)))
            return &event->others[i].value;
    return &none;
}

/* Returns the name with the category, "name (category)". The category is the frame's file or
 * library. */
static StrobeStringId name_of(Import *import, const Event *event)
{
    const StrobeJsonValue *category = member_of(event, "category");
    GString *text = import->text;

    g_string_truncate(text, 0);
    value_append(&event->name, text);
    if (category->length) {
        g_string_append(text, text->len ? " (" : "(");
        value_append(category, text);
        g_string_append_c(text, ')');
    }
    return text->len ? import->host->intern(import->self, text->str, text->len) : 0;
}

void stack_frames_take(Import *import, const Event *event)
{
    StackFrames *frames = import->frames;
    guint32 place = place_of(import, &event->id), parent;

    if (!place)
        return;
    if (frame_at(frames, place)->is_reported) {
        frames->n_twice++;
        return;
    }
    parent = place_of(import, member_of(event, "parent"));
    StrobeStringId name = name_of(import, event);
    Frame *frame = frame_at(frames, place);
    frame->is_reported = TRUE;
    frame->parent = parent;
    frame->name = name;
}

/* ---- stacks ---- */

/* Returns the frame's name; a frame without a name is named by its id. */
static StrobeStringId known_name(Import *import, Frame *frame)
{
    StackFrames *frames = import->frames;

    if (frame->name)
        return frame->name;
    g_string_printf(import->text, "[frame %s]", frame->id);
    frame->name = import->host->intern(import->self, import->text->str, import->text->len);
    if (!frame->is_reported) {
        frames->missing = frames->missing ? frames->missing : frame->id;
        frames->n_missing++;
    }
    return frame->name;
}

static StrobeStackId stack_of_names(Import *import)
{
    const GArray *names = import->frames->names;

    return import->host->stack(import->self, (const void *)names->data, names->len);
}

static StrobeStackId stack_of_frame(Import *import, const StrobeJsonValue *id)
{
    StackFrames *frames = import->frames;
    const guint32 place = place_of(import, id);

    if (!place || frame_at(frames, place)->stack)
        return place ? frame_at(frames, place)->stack : 0;
    g_array_set_size(frames->names, 0);
    frames->n_walks++;
    for (guint32 at = place; at; at = frame_at(frames, at)->parent) {
        Frame *frame = frame_at(frames, at);
        StrobeStringId name = known_name(import, frame);

        if (frame->walk == frames->n_walks) {
            frames->n_circles++;
            break;
        }
        if (frames->names->len == DEPTH_MAX) {
            frames->n_cut++;
            break;
        }
        frame->walk = frames->n_walks;
        g_array_append_val(frames->names, name);
    }
    return frame_at(frames, place)->stack = stack_of_names(import);
}

/* Returns the stack for a list of frames, which begins with the outermost one. */
static StrobeStackId stack_of_list(Import *import, const StrobeJsonValue *list)
{
    GArray *names = import->frames->names;
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(list->text, list->length);
    StrobeJsonValue frame;
    int token;

    strobe_json_scanner_allow_non_finite(scanner);
    g_array_set_size(names, 0);
    strobe_json_scanner_next_raw(scanner, &frame); /* skips the bracket */
    while ((token = strobe_json_scanner_next_raw(scanner, &frame)) > 0 &&
           token != STROBE_JSON_ARRAY_END) {
        if (token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY)
            strobe_json_scanner_take_whole(scanner, &frame);
        StrobeStringId name = import_intern(import, &frame);

        if (name) /* an empty text is not a frame */
            g_array_append_val(names, name);
    }
    strobe_json_scanner_free(scanner);
    if (names->len > STACK_FRAMES_MAX) {
        import->frames->n_cut++;
        g_array_remove_range(names, 0, names->len - STACK_FRAMES_MAX);
    }
    for (guint i = 0; i < names->len / 2; i++) {
        StrobeStringId *low = &g_array_index(names, StrobeStringId, i);
        StrobeStringId *high = &g_array_index(names, StrobeStringId, names->len - 1 - i);
        StrobeStringId kept = *low;

        *low = *high;
        *high = kept;
    }
    return names->len ? stack_of_names(import) : 0;
}

static StrobeStackId stack_of(Import *import, const StrobeJsonValue *id,
                              const StrobeJsonValue *list)
{
    StrobeStackId stack = stack_of_frame(import, id);

    if (stack || list->type == STROBE_JSON_END)
        return stack;
    if (list->type == STROBE_JSON_ARRAY)
        return stack_of_list(import, list);
    import->frames->n_odd++;
    return 0;
}

Stacks stacks_of_event(Import *import, const Event *event)
{
    return (Stacks){stack_of(import, &event->frame, &event->stack),
                    stack_of(import, &event->end_frame, &event->end_stack)};
}

/* Fields of chrome_trace.stack. */
struct stack {
    StrobeStackId stack;
    guint8 is_end;
};

void stacks_emit(Import *import, const Stacks *stacks, StrobeTrackId track, StrobeStringId name,
                 gint64 begin, gint64 end)
{
    const StrobeStackId ids[] = {stacks->begin, stacks->end};

    for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
        gint64 time = i ? end : begin;
        struct stack *fields =
            ids[i] ? import_emit(import, RECORD_STACK, track, name, time, time) : NULL;

        if (!fields)
            continue;
        fields->stack = ids[i];
        fields->is_end = i != 0;
    }
}

/* ---- damage ---- */

static void report_damage(Import *import, guint64 n, const char *what)
{
    g_autofree char *reason = g_strdup_printf("%" G_GUINT64_FORMAT " %s", n, what);

    if (n)
        import->host->damage(import->self, import->part, reason);
}

void stack_frames_finish(Import *import)
{
    const StackFrames *frames = import->frames;
    g_autofree char *missing =
        g_strdup_printf("frames of stacks are not in stackFrames, such as \"%.64s\"",
                        frames->missing ? frames->missing : "");

    report_damage(import, frames->n_missing, missing);
    report_damage(import, frames->n_twice,
                  "frames occur several times in stackFrames: only the first description is used");
    report_damage(import, frames->n_circles,
                  "stacks have a cycle: they end where the cycle closes");
    report_damage(import, frames->n_cut,
                  "stacks are too long: their outermost frames are left out");
    report_damage(import, frames->n_left_out,
                  "times there was no room for a frame: it is left out");
    report_damage(import, frames->n_odd,
                  "stacks are neither the id of a frame nor a list of frames");
}
