/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `strobe run` for a command that takes a second, with every collector that can work here. */
#include "doctor-checks.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "folder.h"
#include "signal-cleanup.h"
#include "probe-child.h"

/* time limit: importing PyTorch may take half a minute, and building the bridge another half */
#define RECORD_TIME_US (180 * G_USEC_PER_SEC)
#define READ_TIME_US (60 * G_USEC_PER_SEC)
#define MISSING "strobe:   "
#define LOG "output of the self-test"

static const char script[] = "import gc, sys, time\n"
                             "torch = __import__('torch') if sys.argv[1] == 'torch' else None\n"
                             "end = time.monotonic() + 1\n"
                             "while time.monotonic() < end:\n"
                             "    if torch is not None: torch.ones(8, 8) @ torch.ones(8, 8)\n"
                             "    gc.collect()\n"
                             "    time.sleep(0.01)\n";

static void add_words(GPtrArray *words, ...) G_GNUC_NULL_TERMINATED;

static void add_words(GPtrArray *words, ...)
{
    va_list arguments;

    va_start(arguments, words);
    for (const char *word; (word = va_arg(arguments, const char *));)
        g_ptr_array_add(words, g_strdup(word));
    va_end(arguments);
}

/* Returns the words of "strobe run ... -- COMMAND". */
static GPtrArray *run_words(const char *self, const char *folder, const char *const *plugin_path,
                            const GPtrArray *collectors, const StrobeDoctorPython *python)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

    add_words(words, self, "run", "-o", folder, NULL);
    for (; plugin_path && *plugin_path; plugin_path++)
        add_words(words, "--plugin-path", *plugin_path, NULL);
    for (guint i = 0; i < collectors->len; i++) {
        const char *name = g_ptr_array_index(collectors, i);
        /* The import of PyTorch makes a million allocations, so only a sample of them is
         * recorded. */
        add_words(words, "--collect", g_str_equal(name, "heap") ? "heap:sampling=1MB" : name, NULL);
    }
    add_words(words, "--", NULL);
    if (python->works)
        add_words(words, python->program, "-c", script, python->has_torch ? "torch" : "", NULL);
    else
        add_words(words, "sleep", "1", NULL);
    g_ptr_array_add(words, NULL);
    return words;
}

/* Reports the missing parts that `strobe run` printed, for example "strobe: gc: collector gc:
 * ...". */
static void list_missing(StrobeDoctorReport *report, const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line; line++) {
        const char *what = *line + strlen(MISSING);
        const char *colon = g_str_has_prefix(*line, MISSING) ? strstr(what, ": ") : NULL;
        if (!colon)
            continue;
        g_autofree char *name = g_strndup(what, (gsize)(colon - what));
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, name, NULL, "%s", colon + 2);
    }
}

static gboolean run_recording(StrobeDoctorReport *report, GPtrArray *words)
{
    g_autoptr(GString) text = g_string_new(NULL);
    int status;
    StrobeChildEnd end =
        strobe_child_spawn((char *const *)words->pdata, TRUE, RECORD_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, RECORD_TIME_US);

    strobe_doctor_attach(report, LOG, text->str);
    if (failure)
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "recording",
                          "send the file of \"strobe doctor -o FILE\"; its end has the output",
                          "strobe run: %s", failure);
    else
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "recording", NULL, "1 s");
    list_missing(report, text->str);
    return failure == NULL;
}

/* Returns the JSON that `strobe info` prints for the result (unref it). NULL: a failure was
 * reported. */
static JsonNode *read_result(StrobeDoctorReport *report, const char *self, const char *folder)
{
    char *words[] = {(char *)self, (char *)"info", (char *)"--json", (char *)folder, NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    int status;
    StrobeChildEnd end = strobe_child_spawn(words, FALSE, READ_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, READ_TIME_US);
    JsonNode *node = failure ? NULL : json_from_string(text->str, NULL);

    if (node && JSON_NODE_HOLDS_ARRAY(node) &&
        json_array_get_length(json_node_get_array(node)) == 1)
        return node;
    strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "capture",
                      "send the file of \"strobe doctor -o FILE\"", "it cannot be read: %s",
                      failure ? failure : "there is no result");
    g_clear_pointer(&node, json_node_unref);
    return NULL;
}

static void check_capture(StrobeDoctorReport *report, JsonObject *info)
{
    gint64 records = json_object_get_int_member_with_default(info, "records", 0);
    gint64 offered = json_object_get_int_member_with_default(info, "offered", -1);
    gint64 stored = json_object_get_int_member_with_default(info, "stored", -2);
    gint64 damaged = json_object_get_int_member_with_default(info, "damaged", -1);
    gboolean sealed = json_object_get_boolean_member_with_default(info, "sealed", FALSE);
    gboolean reads = sealed && damaged == 0 && records > 0;

    strobe_doctor_add(report, reads ? STROBE_VERDICT_GOOD : STROBE_VERDICT_FAILURE, "capture",
                      reads ? NULL : "send the file of \"strobe doctor -o FILE\"",
                      "%" G_GINT64_FORMAT " records, %s, %" G_GINT64_FORMAT " damaged parts",
                      records, sealed ? "complete" : "not closed", damaged);
    gboolean balances = stored >= 0 && offered >= stored && records <= stored;
    strobe_doctor_add(report,
                      !balances           ? STROBE_VERDICT_FAILURE
                      : offered == stored ? STROBE_VERDICT_GOOD
                                          : STROBE_VERDICT_WARNING,
                      "loss report", offered == stored ? NULL : "a larger buffer: buffer.size",
                      "offered %" G_GINT64_FORMAT " = stored %" G_GINT64_FORMAT
                      " + lost %" G_GINT64_FORMAT,
                      offered, stored, offered - stored);
}

static void list_kinds(StrobeDoctorReport *report, JsonObject *info)
{
    JsonObject *kinds =
        json_object_has_member(info, "kinds") ? json_object_get_object_member(info, "kinds") : NULL;
    g_autoptr(GList) names = kinds ? json_object_get_members(kinds) : NULL;
    g_autoptr(GString) text = g_string_new(NULL);

    for (GList *name = names; name; name = name->next)
        g_string_append_printf(text, "%s%s %" G_GINT64_FORMAT, text->len ? ", " : "",
                               (const char *)name->data,
                               json_object_get_int_member(kinds, name->data));
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "records", NULL, "%s", text->str);
}

static void record_and_read(StrobeDoctorReport *report, const char *folder,
                            const char *const *plugin_path, const GPtrArray *collectors,
                            const StrobeDoctorPython *python)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    const char *program = self ? self : "strobe";
    g_autoptr(GPtrArray) words = run_words(program, folder, plugin_path, collectors, python);

    if (!run_recording(report, words))
        return;
    g_autoptr(JsonNode) node = read_result(report, program, folder);
    if (!node)
        return;
    JsonObject *info = json_array_get_object_element(json_node_get_array(node), 0);
    check_capture(report, info);
    list_kinds(report, info);
    g_autofree char *pretty = json_to_string(node, TRUE);
    strobe_doctor_attach(report, "strobe info of the self-test", pretty);
}

void strobe_doctor_selftest(StrobeDoctorReport *report, const char *const *plugin_path,
                            const GPtrArray *collectors, const StrobeDoctorPython *python)
{
    g_autoptr(GError) error = NULL;
    StrobeFreshFolder folder;

    strobe_doctor_section(report, "Self-test");
    if (collectors->len == 0) {
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "recording", NULL,
                          "no collector can work here");
        return;
    }
    strobe_signal_cleanup_hold();
    gboolean is_made = strobe_folder_private(&folder, &error);
    if (is_made)
        strobe_signal_cleanup_add(folder.path);
    strobe_signal_cleanup_release();
    if (!is_made) {
        strobe_doctor_add(report, STROBE_VERDICT_FAILURE, "recording",
                          "make room in /tmp, or set XDG_RUNTIME_DIR", "%s", error->message);
        return;
    }
    record_and_read(report, folder.path, plugin_path, collectors, python);
    strobe_folder_discard(&folder);
}
