/* SPDX-License-Identifier: Apache-2.0 */
/* The first walk over what others recorded in the window, beside its pieces. */
#include <string.h>

#include "json-text.h"
#include "reader-survey.h"

/* What they say of the devices and of the form of their files is true of the whole. */
static void take_foreign_facts(StrobeSurvey *survey, JsonObject *facts)
{
    static const char *const taken[] = {"generation",       "level",          "device", "host_uid",
                                        "session_begin_ns", "session_end_ns", "foreign"};

    for (gsize i = 0; i < G_N_ELEMENTS(taken); i++)
        if (json_object_has_member(facts, taken[i]) &&
            !json_object_has_member(survey->facts, taken[i]))
            json_object_set_member(survey->facts, taken[i],
                                   json_node_copy(json_object_get_member(facts, taken[i])));
}

/* The file says by the session's pool and the window's begin whose it is. */
static gboolean is_of_this_window(const StrobeSurvey *survey, JsonObject *facts)
{
    return !g_strcmp0(strobe_json_member_text(facts, "pool_id"),
                      strobe_json_member_text(survey->facts, "pool_id")) &&
           strobe_json_member_int(facts, "start_realtime_ns", 0) ==
               strobe_json_member_int(survey->facts, "start_realtime_ns", -1);
}

static gboolean begin_foreign(StrobeSurvey *survey, const StrobeBlockPlace *place)
{
    g_autoptr(JsonNode) root = NULL;

    if (place->header.type == STROBE_BLOCK_FACTS && strobe_survey_read(survey, place))
        root = strobe_json_parse(survey->buffer, place->header.payload_bytes, "facts", NULL);
    if (!root || !is_of_this_window(survey, json_node_get_object(root))) {
        strobe_survey_note_damage(survey, survey->current, 0, 0,
                                  "it is not of this window, and left out");
        return FALSE;
    }
    take_foreign_facts(survey, json_node_get_object(root));
    return TRUE;
}

/* Its ids lie behind those of the pieces, so that they share the tables. Its blocks have no clock.
 */
void strobe_survey_foreign(StrobeSurvey *survey)
{
    StrobeBlockPlace place;
    guint64 size;
    int fd = strobe_pieces_foreign(survey->files, &size);

    survey->current = strobe_pieces_count(survey->files);
    if (fd < 0)
        return;
    survey->stats.n_bytes += size;
    strobe_block_cursor_begin(&survey->cursor, fd, size, strobe_survey_on_damage, survey);
    while (strobe_block_cursor_next(&survey->cursor, &place, NULL)) {
        survey->stats.n_blocks++;
        if (!survey->has_foreign) {
            survey->has_foreign = begin_foreign(survey, &place);
            if (!survey->has_foreign)
                break;
        } else if (place.header.type != STROBE_BLOCK_RECORDS &&
                   strobe_survey_read(survey, &place)) {
            strobe_survey_take_names(survey, &place);
        }
    }
    strobe_block_cursor_end(&survey->cursor);
}
