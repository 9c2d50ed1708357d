/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor-checks.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "install-paths.h"
#include "probe-child.h"
#include "torch-bridge.h"

#define ASK_TIME_US (20 * G_USEC_PER_SEC)
#define BRIDGE "bridge to PyTorch"
#define BUILD_BRIDGE "strobe torch build (with --python if it is not python3)"

/* The script that the interpreter runs. It takes versions from pip's metadata, and imports no
 * package that may be slow or broken. */
static const char question[] =
    "import importlib.util, importlib.metadata, json, os, sys, sysconfig\n"
    "def version(name):\n"
    "    try: return importlib.metadata.version(name)\n"
    "    except Exception: return None\n"
    "def home(name):\n"
    "    try: return os.path.dirname(importlib.util.find_spec(name).origin)\n"
    "    except Exception: return None\n"
    "said = {'python': sys.version.split()[0], 'program': sys.executable, 'torch': home('torch'),\n"
    "        'torch_version': version('torch'), 'torch_npu': version('torch-npu')\n"
    "        or version('torch_npu'), 'free_threaded':\n"
    "        bool(sysconfig.get_config_var('Py_GIL_DISABLED'))}\n"
    "sys.path.insert(0, sys.argv[1])\n"
    "try:\n"
    "    import strobe\n"
    "    said['strobe'] = strobe.__version__\n"
    "except Exception as error:\n"
    "    said['error'] = ' '.join(str(error).split())\n"
    "print('\\n' + json.dumps(said))\n";

static const char *text_of(JsonObject *object, const char *key)
{
    JsonNode *node = json_object_get_member(object, key);

    return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node)
                                                                   : NULL;
}

/* Returns the JSON in the last line of the interpreter's output (unref it). NULL: there is none. */
static JsonNode *answer_of(const GString *text)
{
    g_autofree char *trimmed = g_strchomp(g_strdup(text->str));
    const char *newline = strrchr(trimmed, '\n');
    JsonNode *node = json_from_string(newline ? newline + 1 : trimmed, NULL);

    if (node && JSON_NODE_HOLDS_OBJECT(node))
        return node;
    g_clear_pointer(&node, json_node_unref);
    return NULL;
}

/* Reports that the bridge is missing, and whether the first run can build it. */
static void check_building(StrobeDoctorReport *report)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *cache = strobe_registry_cache();

    if (strobe_bridge_check_compiler(&error))
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, BRIDGE, NULL,
                          "the first run builds it, in %s", cache);
    else
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, BRIDGE,
                          "cpu_op and memory cannot work without it", "%s", error->message);
}

/* Reports the path of the bridge for the PyTorch in the folder `home`, or that it is missing. */
static void check_bridge(StrobeDoctorReport *report, const char *const *plugin_path,
                         const char *home)
{
    StrobeTorch torch = {0};
    g_autoptr(GError) error = NULL;
    StrobeRegistry *registry = strobe_registry_new(plugin_path);
    g_autofree char *found = NULL;

    if (!strobe_torch_read(home, &torch, &error))
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, BRIDGE, NULL, "not known: %s",
                          error->message);
    else if ((found = strobe_bridge_find(registry, &torch, &error)))
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, BRIDGE, NULL, "%s", found);
    else if (strobe_bridge_mode() == STROBE_BRIDGE_NEVER)
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, BRIDGE, BUILD_BRIDGE,
                          "STROBE_TORCH_BUILD=never: cpu_op and memory cannot work (%s)",
                          error->message);
    else
        check_building(report);
    strobe_registry_free(registry);
    strobe_torch_clear(&torch);
}

static void check_torch(StrobeDoctorReport *report, const char *const *plugin_path,
                        JsonObject *said)
{
    const char *home = text_of(said, "torch"), *version = text_of(said, "torch_version");
    const char *npu = text_of(said, "torch_npu");

    if (!home) {
        strobe_doctor_add(report, STROBE_VERDICT_NOTE, "PyTorch", NULL,
                          "not installed: cpu_op and memory have nothing to record");
        return;
    }
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "PyTorch", NULL, "%s in %s",
                      version ? version : "version not noted", home);
    strobe_doctor_add(report, STROBE_VERDICT_NOTE, "torch_npu", NULL, "%s", npu ? npu : "none");
    check_bridge(report, plugin_path, home);
}

static void check_interpreter(StrobeDoctorReport *report, const char *program, JsonObject *said)
{
    const char *path = text_of(said, "program") ?: program;
    const char *version = text_of(said, "python") ?: "?";

    if (json_object_get_boolean_member_with_default(said, "free_threaded", FALSE))
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "interpreter",
                          "name one that has the global interpreter lock: --python PROGRAM",
                          "%s, %s, is free-threaded: neither the package strobe nor the collectors "
                          "python_call and gc work in it",
                          path, version);
    else
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "interpreter", NULL, "%s, %s", path,
                          version);
}

void strobe_doctor_python(StrobeDoctorReport *report, const char *const *plugin_path,
                          StrobeDoctorPython *python)
{
    g_autofree char *package = strobe_install_path_python();
    char *words[] = {python->program, (char *)"-c", (char *)question,
                     package ? package : (char *)"", NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    int status;

    strobe_doctor_section(report, "Python");
    StrobeChildEnd end = strobe_child_spawn(words, FALSE, ASK_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, ASK_TIME_US);
    g_autoptr(JsonNode) answer = failure ? NULL : answer_of(text);
    if (!answer) {
        strobe_doctor_add(report,
                          python->is_named ? STROBE_VERDICT_FAILURE : STROBE_VERDICT_WARNING,
                          "interpreter", "name the one that you use: --python PROGRAM", "%s: %s",
                          python->program, failure ? failure : "it does not answer");
        return;
    }
    JsonObject *said = json_node_get_object(answer);
    const char *error = text_of(said, "error"), *strobe = text_of(said, "strobe");
    python->works = strobe != NULL;
    python->has_torch = text_of(said, "torch") != NULL;
    check_interpreter(report, python->program, said);
    if (strobe)
        strobe_doctor_add(report, STROBE_VERDICT_GOOD, "package strobe", NULL, "%s", strobe);
    else
        strobe_doctor_add(report, STROBE_VERDICT_WARNING, "package strobe",
                          "the extension module is made for one minor version of Python: use that, "
                          "or build Strobe with this one",
                          "it cannot be imported: %s", error ? error : "no reason was given");
    check_torch(report, plugin_path, said);
}
