/* SPDX-License-Identifier: Apache-2.0 */
#include "config-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "acl-config.h"
#include "ascend-config.h"
#include "error.h"
#include "json-text.h"

/* Top-level keys that only Strobe's own files have. An acl.json may also contain "dump", so the
 * second list lacks this key. */
static const char *const own_keys_of_no_other[] = {
    "schedule", "collectors", "defaults", "exporters", "export_type", "output",
    "buffer",   "rotate",     "dump",     "ranks",     "front_end",   NULL};
static const char *const own_keys_not_of_acl[] = {
    "schedule", "collectors", "defaults", "exporters", "export_type", "output",
    "buffer",   "rotate",     "ranks",    "front_end", NULL};

static const char *any_of(JsonObject *top, const char *const *keys)
{
    for (; *keys; keys++)
        if (json_object_has_member(top, *keys))
            return *keys;
    return NULL;
}

/* Reads a file of any known kind. The top-level keys decide which kind it is; a mixture of keys is
 * refused. */
static gboolean read_config(StrobeConfig *config, JsonObject *top, const char *origin,
                            GError **error)
{
    const char *external = any_of(top, strobe_ascend_config_keys);
    gboolean is_acl = json_object_has_member(top, STROBE_ACL_KEY);
    const char *own = any_of(top, is_acl ? own_keys_not_of_acl : own_keys_of_no_other);

    if (!is_acl && !external)
        return strobe_config_read(config, top, origin, error);
    if (is_acl && external)
        own = external;
    if (own) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "%s: the keys \"%s\" and \"%s\" are of two kinds of files: expected Strobe's "
                    "own, a profiler_config.json or an acl.json, not a mixture",
                    origin, is_acl ? STROBE_ACL_KEY : external, own);
        return FALSE;
    }
    return is_acl ? strobe_acl_config_read(config, top, origin, error)
                  : strobe_ascend_config_read(config, top, origin, error);
}

StrobeConfig *strobe_config_parse(const char *text, const char *origin, GError **error)
{
    StrobeConfig *config = strobe_config_new();

    if (!text || !*text)
        return config;
    if (!origin)
        origin = "configuration";
    /* The tree must be mutable, because metadata is added while the session runs. */
    g_autoptr(JsonNode) root = strobe_json_parse(text, strlen(text), origin, error);
    if (!root || !read_config(config, json_node_get_object(root), origin, error)) {
        strobe_config_free(config);
        return NULL;
    }
    JsonObject *own = json_object_new();
    g_autoptr(GList) keys = json_object_get_members(config->metadata);
    for (GList *k = keys; k; k = k->next)
        json_object_set_member(own, k->data,
                               json_node_copy(json_object_get_member(config->metadata, k->data)));
    json_object_unref(config->metadata);
    config->metadata = own;
    return config;
}

/* Reads a whole file or pipe, up to one byte more than the limit, so that the caller can detect a
 * larger file; NULL with errno. */
static GString *read_bounded(const char *path)
{
    GString *text = g_string_new(NULL);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char buffer[4096];
    ssize_t n = file;

    while (file >= 0 && text->len <= STROBE_JSON_MAX_BYTES &&
           ((n = read(file, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            g_string_append_len(text, buffer, n);
    int number = errno;
    if (file >= 0)
        close(file);
    errno = number;
    if (n >= 0)
        return text;
    g_string_free(text, TRUE);
    return NULL;
}

StrobeConfig *strobe_config_load(const char *path, GError **error)
{
    g_autoptr(GString) text = read_bounded(path);
    const char *wrong = NULL;

    if (!text) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                    "Cannot read the configuration %s: %s", path, g_strerror(errno));
        return NULL;
    }
    if (text->len > STROBE_JSON_MAX_BYTES) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: more than the %u bytes allowed",
                    path, STROBE_JSON_MAX_BYTES);
        return NULL;
    }
    if (text->len == 0)
        wrong = "is empty, expected a JSON object";
    else if (strlen(text->str) != text->len)
        wrong = "contains a NUL byte: not JSON";
    if (wrong) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG, "%s: %s", path, wrong);
        return NULL;
    }
    return strobe_config_parse(text->str, path, error);
}
