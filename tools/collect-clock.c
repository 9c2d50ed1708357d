/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/safe-file.h>
#include <svp-names.h>

#include "error.h"
#include "json-text.h"

StrobeCollectClock strobe_collect_clock_now(const StrobeClockOffset *offset)
{
    return (StrobeCollectClock){.mono_ns = g_get_monotonic_time() * 1000,
                                .real_ns = g_get_real_time() * 1000,
                                .offset = *offset};
}

JsonObject *strobe_collect_clock_json(const StrobeCollectClock *clock)
{
    JsonObject *pair = json_object_new();

    json_object_set_int_member(pair, "mono_ns",
                               clock->mono_ns + strobe_clock_offset_ns(&clock->offset));
    json_object_set_int_member(pair, "desk_mono_ns", clock->mono_ns);
    json_object_set_int_member(pair, "desk_real_ns", clock->real_ns);
    json_object_set_int_member(pair, "error_ns", strobe_clock_offset_error_ns(&clock->offset));
    return pair;
}

static gboolean is_ours(JsonObject *info)
{
    return strcmp(strobe_json_member_text(info, "format"), "SVPR") == 0 &&
           json_object_has_member(info, "sync") &&
           JSON_NODE_HOLDS_ARRAY(json_object_get_member(info, "sync"));
}

static gboolean write_info(int folder, const char *name, JsonNode *info, GError **error)
{
    g_autofree char *text = strobe_json_to_text(info, STROBE_JSON_INDENTED);
    StrobeSafeFile *file = strobe_safe_file_create(folder, name);
    int number = errno;

    if (file) {
        strobe_safe_file_puts(file, text);
        number = strobe_safe_file_finish(file);
    }
    if (file && !number)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", name,
                g_strerror(number));
    return FALSE;
}

static gboolean add_clocks(int folder, const char *name, const StrobeCollectClock clocks[2],
                           GError **error)
{
    JsonNode *info = strobe_json_read_file(folder, name);
    gboolean good = TRUE;

    if (info && JSON_NODE_HOLDS_OBJECT(info) && is_ours(json_node_get_object(info))) {
        JsonArray *sync = json_object_get_array_member(json_node_get_object(info), "sync");

        for (guint i = 0; i < 2; i++)
            if (clocks[i].offset.n)
                json_array_add_object_element(sync, strobe_collect_clock_json(&clocks[i]));
        good = write_info(folder, name, info, error);
    }
    if (info)
        json_node_unref(info);
    return good;
}

gboolean strobe_collect_clock_write(const char *job, const StrobeCollectClock clocks[2],
                                    GError **error)
{
    const int folder = open(job, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    GDir *entries = folder >= 0 ? g_dir_open(job, 0, NULL) : NULL;
    gboolean good = TRUE;
    const char *name;
    guint32 device;

    while (entries && good && (name = g_dir_read_name(entries)))
        if (svp_info_device(name, &device))
            good = add_clocks(folder, name, clocks, error);
    if (entries)
        g_dir_close(entries);
    if (folder >= 0)
        close(folder);
    return good;
}
