/* SPDX-License-Identifier: Apache-2.0 */
#include "prof-start.h"

#include <string.h>
#include <unistd.h>

#include "external-folder.h"
#include "side-json.h"

gboolean prof_start_offset(int folder, gint64 *offset, gint64 *begin)
{
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    const char *name = external_folder_find(names, folder, "start_info");
    gsize length;
    g_autofree char *bytes =
        name ? external_folder_read(folder, name, SIDE_JSON_BYTES_MAX, &length) : NULL;
    SideJson *json = bytes ? side_json_new(bytes, length, NULL) : NULL;
    gint64 begin_us, begin_ns, raw;
    gboolean found = side_json_int(json, "collectionTimeBegin", &begin_us) &&
                     side_json_int(json, "clockMonotonicRaw", &raw) && begin_us > 0 && raw > 0 &&
                     !__builtin_mul_overflow(begin_us, 1000, &begin_ns);

    if (found)
        *offset = begin_ns - raw;
    if (found && begin)
        *begin = begin_ns;
    side_json_free(json);
    return found;
}

gboolean prof_start_of_host(int prof, gint64 *offset)
{
    int host = external_folder_open(prof, "host");
    gboolean found = host >= 0 && prof_start_offset(host, offset, NULL);

    if (host >= 0)
        close(host);
    return found;
}

/* Reads the value of a line "key: value" or "key = value"; 0 if the line has another key. */
static gint64 value_of(const char *line, const char *key)
{
    gsize n = strlen(key);
    const char *at = line + n;
    gint64 value;

    if (strncmp(line, key, n))
        return 0;
    while (*at == ' ' || *at == '\t')
        at++;
    if (*at != ':' && *at != '=')
        return 0;
    g_autofree char *text = g_strstrip(g_strdup(at + 1));
    return g_ascii_string_to_signed(text, 10, 0, G_MAXINT64, &value, NULL) ? value : 0;
}

gboolean prof_start_count(int folder, gint64 *count, gint64 *ns)
{
    gsize length;
    g_autofree char *bytes =
        external_folder_read(folder, "host_start.log", SIDE_JSON_BYTES_MAX, &length);
    g_auto(GStrv) lines = bytes ? g_strsplit(bytes, "\n", -1) : NULL;
    gboolean is_host = FALSE;
    gint64 counted = 0, at = 0;

    for (guint i = 0; lines && lines[i]; i++) {
        const char *line = g_strstrip(lines[i]);

        if (*line == '[')
            is_host = g_ascii_strncasecmp(line, "[Host", 5) == 0;
        if (is_host && !counted)
            counted = value_of(line, "cntvct");
        if (is_host && !at)
            at = value_of(line, "clock_monotonic_raw");
    }
    if (counted <= 0 || at <= 0)
        return FALSE;
    *count = counted;
    *ns = at;
    return TRUE;
}

gboolean prof_is_name(const char *name)
{
    return g_regex_match_simple("^PROF_[0-9]+_[0-9]+_[0-9a-zA-Z]+", name, 0, 0);
}
