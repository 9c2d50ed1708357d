/* SPDX-License-Identifier: Apache-2.0 */
/* The first walk over the external data of the window. */
#include <string.h>

#include "json-text.h"
#include "index-pass.h"

/* Copies the file's metadata about devices and file formats into the result's metadata, because
 * they apply to the whole result.
 * */
static void take_external_metadata(StrobeIndexPass *index_pass, JsonObject *metadata)
{
    static const char *const taken[] = {"generation",       "level",          "device",  "host_uid",
                                        "session_begin_ns", "session_end_ns", "external"};

    for (gsize i = 0; i < G_N_ELEMENTS(taken); i++)
        if (json_object_has_member(metadata, taken[i]) &&
            !json_object_has_member(index_pass->metadata, taken[i]))
            json_object_set_member(index_pass->metadata, taken[i],
                                   json_node_copy(json_object_get_member(metadata, taken[i])));
}

/* Does the file with this metadata belong to this window? It does if the metadata name the
 * session's pool and the window's begin. */
static gboolean is_of_this_window(const StrobeIndexPass *index_pass, JsonObject *metadata)
{
    return !g_strcmp0(strobe_json_member_text(metadata, "pool_id"),
                      strobe_json_member_text(index_pass->metadata, "pool_id")) &&
           strobe_json_member_int(metadata, "start_realtime_ns", 0) ==
               strobe_json_member_int(index_pass->metadata, "start_realtime_ns", -1);
}

static gboolean begin_external(StrobeIndexPass *index_pass, const StrobeBlockPlace *place)
{
    g_autoptr(JsonNode) root = NULL;

    if (place->header.type == STROBE_BLOCK_METADATA && strobe_index_pass_read(index_pass, place))
        root = strobe_json_parse(index_pass->buffer, place->header.payload_bytes, "metadata", NULL);
    if (!root || !is_of_this_window(index_pass, json_node_get_object(root))) {
        strobe_index_pass_note_damage(index_pass, index_pass->current, 0, 0,
                                      "it is not of this window, so it is not read");
        return FALSE;
    }
    take_external_metadata(index_pass, json_node_get_object(root));
    return TRUE;
}

void strobe_index_pass_external(StrobeIndexPass *index_pass)
{
    StrobeBlockPlace place;
    guint64 size;
    int fd = strobe_segments_external(index_pass->files, &size);

    index_pass->current = strobe_segments_count(index_pass->files);
    if (fd < 0)
        return;
    index_pass->stats.n_bytes += size;
    strobe_block_cursor_begin(&index_pass->cursor, fd, size, strobe_index_pass_on_damage,
                              index_pass);
    while (strobe_block_cursor_next(&index_pass->cursor, &place, NULL)) {
        index_pass->stats.n_blocks++;
        if (!index_pass->has_external) {
            index_pass->has_external = begin_external(index_pass, &place);
            if (!index_pass->has_external)
                break;
        } else if (place.header.type != STROBE_BLOCK_RECORDS &&
                   strobe_index_pass_read(index_pass, &place)) {
            strobe_index_pass_take_names(index_pass, &place);
        }
    }
    strobe_block_cursor_end(&index_pass->cursor);
}
