/* SPDX-License-Identifier: Apache-2.0 */
#include "run-on-kit.h"

#include <string.h>

#include "board-kit.h"
#include "board-words.h"
#include "command.h"
#include "error.h"
#include "frame-names.h"
#include "install-paths.h"
#include "json-text.h"
#include "project-files.h"
#include "recording-settings.h"
#include "remote-session.h"

#define KIT_FOLDER ".strobe-kit"
#define RUNNER "strobe-board-run"
#define MARKS_FILE "libstrobe-marks.so"
#define MARKS_NAME "marks/libstrobe.so.0" /* the name by which programs load the library */
#define FOLDER_MARK "{folder}/"
/* size of the pool, unless the user gives another one; it is small, because a board has little
 * memory and samples are few */
#define POOL_BYTES ((gint64)4 << 20)

typedef struct Making {
    StrobeRunOnKit *kit;
    StrobeRunOnRequest *request;
    const StrobeBoardProperties *properties;
    const char *name;
} Making;

static void add_word(Making *making, const char *option, const char *value)
{
    g_autofree char *word = g_strconcat("--", option, "=", value, NULL);

    strobe_board_line_add(making->kit->words, word);
}

static void add_pair(Making *making, const char *option, const char *name, const char *value)
{
    g_autofree char *pair = g_strconcat(name, "=", value, NULL);

    add_word(making, option, pair);
}

static void add_number(Making *making, const char *option, gint64 value)
{
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, value);

    add_word(making, option, text);
}

/* Adds the file `file` of the kit to the files that are sent, with the name `sent`. `own` is its
 * path for this machine, see strobe_board_kit_file. Returns its path on the board (free it). NULL
 * with an error or, if the kit does not have the file, without an error. */
static char *add_named_file(Making *making, const char *file, const char *own, const char *sent,
                            GError **error)
{
    g_autofree char *path = strobe_board_kit_file(
        making->properties, making->request->main ? &making->request->program : NULL, file, own);
    g_autofree char *name = g_build_filename(KIT_FOLDER, sent, NULL);

    if (!path || !strobe_project_files_add(making->request->files, name, path, error))
        return NULL;
    return g_build_filename(making->kit->folder, sent, NULL);
}

static char *add_file(Making *making, const char *file, const char *own, GError **error)
{
    return add_named_file(making, file, own, file, error);
}

/* ---- one collector ---- */

/* Returns the value of an option in the form that strobe-board-run reads (free it). */
static char *write_value(const StrobeOptions *options, const StrobeOption *option)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    switch (option->type) {
    case STROBE_OPTION_BOOL:
        return g_strdup(strobe_options_bool(options, option->name) ? "1" : "0");
    case STROBE_OPTION_INT:
    case STROBE_OPTION_DURATION:
    case STROBE_OPTION_BYTES:
        return g_strdup_printf("%" G_GINT64_FORMAT, strobe_options_int(options, option->name));
    case STROBE_OPTION_DOUBLE:
        return g_strdup(
            g_ascii_dtostr(number, sizeof number, strobe_options_double(options, option->name)));
    default:
        return g_strdup(strobe_options_text(options, option->name));
    }
}

/* Adds the libraries of the collector that the program may have to load to the files that are sent.
 * FALSE with an error. */
static gboolean add_companions(Making *making, const StrobeComponent *component,
                               const StrobePluginFile *file, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(file->path);

    for (guint i = 0; i < component->n_variables; i++) {
        const char *value = component->variables[i].value;
        if (!g_str_has_prefix(value, FOLDER_MARK))
            continue;
        g_autofree char *own = g_build_filename(folder, value + strlen(FOLDER_MARK), NULL);
        g_autofree char *sent = add_file(making, value + strlen(FOLDER_MARK), own, error);
        if (!sent && *error)
            return FALSE;
    }
    return TRUE;
}

static gboolean add_options(Making *making, const StrobeComponent *component,
                            const StrobeConfigComponent *wanted, GError **error)
{
    StrobeOptions *options = strobe_run_options(component, wanted, error);
    g_autofree char *otherwise = strobe_run_otherwise(component, wanted);

    if (!options)
        return FALSE;
    for (guint i = 0; i < component->n_options; i++) {
        g_autofree char *value = write_value(options, &component->options[i]);
        add_pair(making, "option", component->options[i].name, value);
    }
    strobe_options_free(options);
    if (wanted->required)
        strobe_board_line_add(making->kit->words, "--required");
    if (otherwise)
        add_word(making, "otherwise", otherwise);
    return TRUE;
}

/* Called if the kit has no plugin for the collector. TRUE with a message if it is a default
 * collector; otherwise FALSE with an error. */
static gboolean drop_collector(const Making *making, const StrobeConfigComponent *wanted,
                               const char *file, GError **error)
{
    g_autofree char *text = g_strdup_printf(
        "Collector \"%s\" is missing: the kit for the board %s (%s with %s) has no %s; see "
        "docs/board.md",
        wanted->name, making->name, making->properties->machine,
        *making->properties->libc ? making->properties->libc : "an unknown C library", file);

    if (wanted->is_default) {
        strobe_complain("%s", text);
        return TRUE;
    }
    g_set_error_literal(error, STROBE_ERROR, STROBE_ERROR_PLUGIN, text);
    return FALSE;
}

/* Adds the collector's plugin to the files that are sent, and its options to the command line. Sets
 * *has to whether the kit has the plugin; a missing default collector is no error. FALSE with an
 * error. */
static gboolean add_collector(Making *making, const StrobeConfigComponent *wanted, gboolean *has,
                              GError **error)
{
    const StrobePluginFile *file = NULL;
    const StrobeComponent *component = strobe_registry_find(
        making->request->registry, STROBE_COMPONENT_COLLECTOR, wanted->name, &file, error);

    if (!component)
        return FALSE;
    g_autofree char *name = g_strconcat(file->name, ".so", NULL);
    g_autofree char *path = add_file(making, name, file->path, error);
    *has = path != NULL;
    if (!path)
        return !*error && drop_collector(making, wanted, name, error);
    add_pair(making, "collect", component->name, path);
    return add_options(making, component, wanted, error) &&
           add_companions(making, component, file, error);
}

static gboolean add_collectors(Making *making, GError **error)
{
    GPtrArray *wanted = making->request->config->collectors;

    for (guint i = 0; i < wanted->len;) {
        gboolean has = FALSE;

        if (!add_collector(making, g_ptr_array_index(wanted, i), &has, error))
            return FALSE;
        if (has)
            i++;
        else
            g_ptr_array_remove_index(wanted, i);
    }
    if (wanted->len > 0)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_CONFIG,
                "No collector is left that can record on the board %s", making->name);
    return FALSE;
}

/* ---- the capture's metadata ---- */

/* Returns the names of the collectors, joined by "+", in the order of their numbers, which link ids
 * contain. Free it. */
static char *name_sources(const GPtrArray *collectors)
{
    GString *names = g_string_new(NULL);

    for (guint i = 0; i < collectors->len; i++) {
        const StrobeConfigComponent *one = g_ptr_array_index(collectors, i);
        g_string_append_printf(names, "%s%s", i ? "+" : "", one->name);
    }
    return g_string_free(names, FALSE);
}

static StrobeBufferConfig choose_buffer(const StrobeConfig *config)
{
    StrobeBufferConfig buffer = config->buffer;

    if (buffer.bytes == 0)
        buffer.bytes = POOL_BYTES;
    return buffer;
}

/* Returns an object that maps the work folder on the board to the sent folder on this machine, so
 * that symbols are looked up in the files that were sent. */
static JsonObject *name_moved(const StrobeRunOnRequest *request, const char *folder)
{
    JsonObject *moved = json_object_new();

    if (request->place && g_utf8_validate(request->place, -1, NULL))
        json_object_set_string_member(moved, folder, request->place);
    return moved;
}

static char *make_metadata(const StrobeRunOnRequest *request, const char *folder)
{
    const StrobeConfig *config = request->config;
    const StrobeBufferConfig buffer = choose_buffer(config);
    g_autoptr(JsonObject) metadata = json_object_new();
    g_autofree char *sources = name_sources(config->collectors);

    if (g_utf8_validate(request->flags->on, -1, NULL))
        json_object_set_string_member(metadata, "board", request->flags->on);
    json_object_set_object_member(metadata, "buffer", strobe_buffer_config_json(&buffer));
    json_object_set_boolean_member(metadata, "scheduled", FALSE);
    /* this machine's clock, because a board's clock may be wrong by years */
    json_object_set_int_member(metadata, "start_realtime_ns", g_get_real_time() * 1000);
    json_object_set_object_member(metadata, "collectors",
                                  strobe_config_components_json(config->collectors));
    json_object_set_string_member(metadata, "link_sources", sources);
    json_object_set_object_member(metadata, STROBE_MOVED_OBJECTS, name_moved(request, folder));
    if (config->has_exporters)
        json_object_set_object_member(metadata, "exporters",
                                      strobe_config_components_json(config->exporters));
    return strobe_json_object_to_text(metadata, 0);
}

/* ---- strobe-board-run and its command line ---- */

/* Adds the library with which the program can make marks, unless the program is linked statically.
 * A kit without this library is no error. FALSE with an error. */
static gboolean add_marks(Making *making, GError **error)
{
    const StrobeBoardProgram *program = &making->request->program;
    g_autofree char *own = strobe_install_path_marks();
    g_autofree char *path = NULL;

    if (program->is_elf && !program->is_dynamic)
        return TRUE;
    path = add_named_file(making, MARKS_FILE, own, MARKS_NAME, error);
    if (!path)
        return !*error;
    g_autofree char *folder = g_path_get_dirname(path);
    add_word(making, "marks", folder);
    return TRUE;
}

static gboolean add_runner(Making *making, const char *folder, GError **error)
{
    const StrobeBufferConfig buffer = choose_buffer(making->request->config);
    g_autofree char *own = strobe_install_path_board_run();
    g_autofree char *path = add_file(making, RUNNER, own, error);

    if (!path && !*error)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_PLUGIN,
                    "No kit is installed for the board %s, %s with %s: build one (docs/board.md)",
                    making->name, making->properties->machine,
                    *making->properties->libc ? making->properties->libc : "an unknown C library");
    if (!path)
        return FALSE;
    strobe_board_line_add(making->kit->words, path);
    add_word(making, "folder", making->kit->capture);
    add_number(making, "pool", buffer.bytes);
    add_number(making, "flush", buffer.flush_interval_ns);
    add_number(making, "sync", buffer.sync);
    if (buffer.policy == STROBE_POLICY_BLOCK)
        strobe_board_line_add(making->kit->words, "--block");
    return add_marks(making, error);
}

gboolean strobe_run_on_kit_make(StrobeRunOnKit *kit, StrobeRunOnRequest *request,
                                const StrobeBoardProperties *properties, const char *name,
                                const char *folder, GError **error)
{
    Making making = {kit, request, properties, name};
    GError *failure = NULL;

    kit->folder = g_build_filename(folder, KIT_FOLDER, NULL);
    kit->capture = g_build_filename(folder, STROBE_REMOTE_LOCK, "run", NULL);
    kit->words = g_string_new(NULL);
    if (!add_runner(&making, folder, &failure) || !add_collectors(&making, &failure)) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    g_autofree char *metadata = make_metadata(request, folder);
    add_word(&making, "metadata", metadata);
    return TRUE;
}

void strobe_run_on_kit_clear(StrobeRunOnKit *kit)
{
    g_free(kit->folder);
    g_free(kit->capture);
    if (kit->words)
        g_string_free(kit->words, TRUE);
}
