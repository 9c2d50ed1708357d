/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/json-writer.h>

#include "timeline-file.h"

static void put_row(StrobeJsonWriter *json, gint64 at_ns, guint action, gint64 bytes,
                    guint category)
{
    strobe_json_begin_array(json);
    strobe_json_int(json, at_ns);
    strobe_json_int(json, action);
    strobe_json_int(json, bytes);
    strobe_json_int(json, category);
    strobe_json_end_array(json);
}

int timeline_write_raw(const TimelineText *text, StrobeSafeFile *file)
{
    StrobeJsonWriter json;

    strobe_json_init(&json, strobe_safe_file_write, file, STROBE_JSON_SPACED);
    strobe_json_begin_array(&json);
    for (guint i = 0; i < text->events->len; i++) {
        const TimelineEvent *event = &g_array_index(text->events, TimelineEvent, i);
        gint64 bytes = (gint64)event->bytes;

        if (event->action >= ACTION_INCREMENT_VERSION)
            put_row(&json, event->at_ns, event->action, -bytes, event->category);
        if (event->action <= ACTION_INCREMENT_VERSION)
            put_row(&json, event->at_ns, event->action, bytes, event->next);
    }
    strobe_json_end_array(&json);
    return strobe_json_flush(&json);
}

int timeline_write_json(const TimelineText *text, StrobeSafeFile *file)
{
    StrobeJsonWriter json;

    strobe_json_init(&json, strobe_safe_file_write, file, STROBE_JSON_SPACED);
    strobe_json_begin_array(&json);
    strobe_json_begin_array(&json);
    for (guint i = 0; i < text->samples->len; i++)
        strobe_json_int(&json, g_array_index(text->samples, TimelineSample, i).at_us);
    strobe_json_end_array(&json);
    strobe_json_begin_array(&json);
    for (guint i = 0; i < text->samples->len; i++) {
        strobe_json_begin_array(&json);
        strobe_json_int(&json, 0);
        for (guint k = 0; k < N_CATEGORIES; k++)
            strobe_json_int(&json, g_array_index(text->samples, TimelineSample, i).held[k]);
        strobe_json_end_array(&json);
    }
    strobe_json_end_array(&json);
    strobe_json_end_array(&json);
    return strobe_json_flush(&json);
}
