/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin-scan.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "plugin-describe.h"
#include "plugin-trial.h"
#include "probe-child.h"
#include "registry.h"

struct looking {
    StrobeRegistry *registry;
    const char *path;
};

/* Runs in the child process: loads one file, and writes its declarations to `answer`. */
static int describe_file(void *user, int answer)
{
    const struct looking *looking = user;
    /* this process is separate already, so the file needs no trial in another one */
    strobe_registry_on_load(NULL);
    const StrobePluginFile *file = strobe_registry_load(looking->registry, looking->path);
    StrobeJsonWriter json;

    strobe_json_init(&json, strobe_child_write, GINT_TO_POINTER(answer), 0);
    strobe_json_begin_object(&json);
    if (file->plugin) {
        strobe_plugin_describe(&json, file->plugin);
    } else {
        strobe_json_key(&json, "error");
        strobe_json_string(&json, file->error ? file->error : "it was not loaded");
    }
    strobe_json_end_object(&json);
    return strobe_json_flush(&json) == 0 ? 0 : 1;
}

static JsonObject *make_refusal(char *reason)
{
    JsonObject *object = json_object_new();

    json_object_set_string_member(object, "error", reason);
    g_free(reason);
    return object;
}

static JsonObject *parse_answer(const GString *text, int status)
{
    g_autoptr(JsonParser) parser = json_parser_new();

    if (WIFSIGNALED(status))
        return make_refusal(
            g_strdup_printf("It crashes while it is loaded: %s", g_strsignal(WTERMSIG(status))));
    if (!json_parser_load_from_data(parser, text->str, (gssize)text->len, NULL) ||
        !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)))
        return make_refusal(g_strdup("It ended the process that loaded it"));
    return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

static JsonObject *look_in_child(StrobeRegistry *registry, const char *path)
{
    struct looking looking = {registry, path};
    g_autoptr(GString) text = g_string_new(NULL);
    int status;

    switch (strobe_child_run(describe_file, &looking, STROBE_PLUGIN_TRIAL_US, text, &status)) {
    case STROBE_CHILD_NOT_MADE:
        return make_refusal(g_strdup_printf("Cannot make a process: %s", g_strerror(errno)));
    case STROBE_CHILD_LATE:
        return make_refusal(g_strdup_printf("It does not come back within %d s when it is loaded",
                                            (int)(STROBE_PLUGIN_TRIAL_US / G_USEC_PER_SEC)));
    default:
        return parse_answer(text, status);
    }
}

GPtrArray *strobe_plugin_scan(const char *const *extra)
{
    StrobeRegistry *registry = strobe_registry_new(extra);
    GPtrArray *answers = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
    GPtrArray *files = strobe_registry_list(registry);

    for (guint i = 0; i < files->len; i++) {
        const StrobePluginFile *file = g_ptr_array_index(files, i);
        JsonObject *object = look_in_child(registry, file->path);
        json_object_set_string_member(object, "file", file->path);
        json_object_set_string_member(object, "name", file->name);
        json_object_set_boolean_member(object, "shadowed", file->shadowed);
        g_ptr_array_add(answers, object);
    }
    strobe_registry_free(registry);
    return answers;
}
