/* SPDX-License-Identifier: Apache-2.0 */
/* strobe torch build: compiles the operator backend against the user's own PyTorch. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-glib/json-glib.h>

#include "command.h"
#include "elf-file.h"
#include "error.h"
#include "places.h"

#define BUILD_ID_DIGITS 16

static const StrobeUsage usage = {
    .name = "torch",
    .arguments = "build",
    .summary =
        "\"strobe torch build\" compiles the part of the collectors cpu_op and memory that talks "
        "to\n"
        "PyTorch against the PyTorch of a Python interpreter: its headers, its libraries, its C++ "
        "ABI.\n"
        "That is needed once for each PyTorch that Strobe was not built with, such as one that\n"
        "pip installed. A C++ compiler is needed ($CXX, default c++).",
    .examples =
        "Examples:\n"
        "  strobe torch build\n"
        "  strobe torch build --python ~/venv/bin/python3\n"
        "\n"
        "The file goes to ~/.local/lib/strobe, where they find it by the identity of\n"
        "the libtorch_cpu.so in the process; \"strobe plugins cpu_op\" says whether it did.",
};

/* Asked of the interpreter: only what needs no import beyond torch itself. */
static const char question[] =
    "import json, os\n"
    "try: import torch\n"
    "except ModuleNotFoundError as error:\n"
    "    if error.name != 'torch': raise\n"
    "    print('\\n{}')\n"
    "    raise SystemExit\n"
    "home = os.path.dirname(os.path.abspath(torch.__file__))\n"
    "print()\n"
    "print(json.dumps({'version': str(torch.__version__), 'home': home,\n"
    "                  'abi': bool(torch._C._GLIBCXX_USE_CXX11_ABI)}))\n";

typedef struct Torch {
    char *version; /* "2.1.0" */
    char *home;    /* the folder of the package */
    char *library; /* .../libtorch_cpu.so */
    char *include; /* .../include */
    gboolean abi;  /* _GLIBCXX_USE_CXX11_ABI */
    char id[BUILD_ID_DIGITS + 1];
} Torch;

static void clear_torch(Torch *torch)
{
    g_free(torch->version);
    g_free(torch->home);
    g_free(torch->library);
    g_free(torch->include);
}

/* Runs a program and returns its standard output; its standard error stays ours. */
static char *run_program(char **words, GError **error)
{
    char *output = NULL;
    int status = 0;
    GError *failure = NULL;

    if (!g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, &status,
                      &failure) ||
        !g_spawn_check_wait_status(status, &failure)) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot run \"%s\": %s", words[0],
                    failure->message);
        g_clear_error(&failure);
        g_clear_pointer(&output, g_free);
    }
    return output;
}

/* A version becomes part of a file name: "2.1.0+cpu" is "2.1.0". */
static char *plain_version(const char *version)
{
    gsize length = strspn(version, "0123456789.abrc");

    return length > 0 ? g_strndup(version, length) : g_strdup("unknown");
}

static gboolean parse_torch(const char *output, const char *python, Torch *torch, GError **error)
{
    g_autofree char *trimmed = g_strchomp(g_strdup(output));
    const char *newline = strrchr(trimmed, '\n');
    g_autoptr(JsonNode) node = json_from_string(newline ? newline + 1 : trimmed, NULL);
    JsonObject *object = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    const char *version =
        object ? json_object_get_string_member_with_default(object, "version", NULL) : NULL;
    const char *home =
        object ? json_object_get_string_member_with_default(object, "home", NULL) : NULL;

    if (!version || !home) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    object ? "\"%s\" has no PyTorch: name the interpreter that has, with --python"
                           : "\"%s\" did not say where its PyTorch is",
                    python);
        return FALSE;
    }
    torch->version = plain_version(version);
    torch->home = g_strdup(home);
    torch->abi = json_object_get_boolean_member_with_default(object, "abi", TRUE);
    torch->library = g_build_filename(home, "lib", "libtorch_cpu.so", NULL);
    torch->include = g_build_filename(home, "include", NULL);
    return TRUE;
}

static gboolean find_torch(const char *python, Torch *torch, GError **error)
{
    char *words[] = {(char *)python, (char *)"-c", (char *)question, NULL};
    g_autofree char *output = run_program(words, error);
    StrobeElfFile file;

    if (!output || !parse_torch(output, python, torch, error) ||
        !strobe_elf_read(torch->library, &file, error))
        return FALSE;
    if (strlen(file.build_id) < BUILD_ID_DIGITS) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    "\"%s\" has no GNU build id, by which cpu_op would know it", torch->library);
        return FALSE;
    }
    g_strlcpy(torch->id, file.build_id, sizeof torch->id);
    return TRUE;
}

/* The compiler's words; $CXX may hold several. */
static GPtrArray *compiler_words(GError **error)
{
    const char *compiler = g_getenv("CXX");
    g_auto(GStrv) parts = NULL;
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

    if (!g_shell_parse_argv(compiler && *compiler ? compiler : "c++", NULL, &parts, error)) {
        g_prefix_error(error, "CXX=\"%s\": ", compiler);
        g_ptr_array_unref(words);
        return NULL;
    }
    for (char **part = parts; *part; part++)
        g_ptr_array_add(words, g_strdup(*part));
    return words;
}

static void add_words(GPtrArray *words, ...) G_GNUC_NULL_TERMINATED;

static void add_words(GPtrArray *words, ...)
{
    va_list arguments;
    const char *word;

    va_start(arguments, words);
    while ((word = va_arg(arguments, const char *)))
        g_ptr_array_add(words, g_strdup(word));
    va_end(arguments);
}

static gboolean compile(const Torch *torch, const char *source, const char *headers,
                        const char *output, GError **error)
{
    g_autoptr(GPtrArray) words = compiler_words(error);
    g_autofree char *operators = g_build_filename(source, "torch_backend.cpp", NULL);
    g_autofree char *memory = g_build_filename(source, "torch_memory.cpp", NULL);
    g_autofree char *tensors = g_build_filename(source, "torch_tensors.cpp", NULL);
    g_autofree char *own = g_strconcat("-I", source, NULL);
    g_autofree char *sdk = g_strconcat("-I", headers, NULL);
    g_autofree char *system = g_strconcat("-isystem", torch->include, NULL);
    g_autofree char *api = g_strconcat("-isystem", torch->include, "/torch/csrc/api/include", NULL);
    g_autofree char *libraries = g_strconcat("-L", torch->home, "/lib", NULL);

    if (!words)
        return FALSE;
    add_words(words, "-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden",
              torch->abi ? "-D_GLIBCXX_USE_CXX11_ABI=1" : "-D_GLIBCXX_USE_CXX11_ABI=0", own, sdk,
              system, api, operators, memory, tensors, "-o", output, libraries, "-ltorch_cpu",
              "-lc10", NULL);
    g_autofree char *shown = g_strjoinv(" ", (g_ptr_array_add(words, NULL), (char **)words->pdata));
    printf("%s\n", shown);
    fflush(stdout);
    g_autofree char *ignored = run_program((char **)words->pdata, error);
    return ignored != NULL;
}

/* Compiles to a temporary name in the same folder and renames: a process that starts now sees the
 * old file or the new one. */
static gboolean build_into(const Torch *torch, const char *folder, char **path, GError **error)
{
    g_autofree char *source = strobe_place_torch_source();
    g_autofree char *headers = strobe_place_headers();
    g_autofree char *name = g_strdup_printf("cpu_op_torch-%s-%s.so", torch->version, torch->id);
    g_autofree char *final = g_build_filename(folder, name, NULL);
    g_autofree char *fresh = g_strdup_printf("%s/.%s.%ld", folder, name, (long)getpid());

    if (!source || !headers) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    "The source of the backend (torch_backend.cpp) is not installed");
        return FALSE;
    }
    if (g_mkdir_with_parents(folder, 0755) != 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot make \"%s\": %s", folder,
                    g_strerror(errno));
        return FALSE;
    }
    gboolean good = compile(torch, source, headers, fresh, error);
    if (good && rename(fresh, final) != 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write \"%s\": %s", final,
                    g_strerror(errno));
        good = FALSE;
    }
    if (good)
        *path = g_steal_pointer(&final);
    else
        unlink(fresh);
    return good;
}

static int build(const char *python, const char *output)
{
    Torch torch = {0};
    GError *error = NULL;
    g_autofree char *path = NULL;
    g_autofree char *folder =
        output ? g_strdup(output)
               : g_build_filename(g_get_home_dir(), ".local", "lib", "strobe", NULL);

    gboolean good = find_torch(python, &torch, &error) && build_into(&torch, folder, &path, &error);
    if (good)
        printf("Built %s for PyTorch %s in %s\n", path, torch.version, torch.home);
    clear_torch(&torch);
    return good ? STROBE_EXIT_OK : strobe_command_fail(error);
}

int strobe_command_torch(int argc, char **argv)
{
    g_autofree char *python = NULL;
    g_autofree char *output = NULL;
    const GOptionEntry entries[] = {
        {"python", 0, 0, G_OPTION_ARG_FILENAME, &python,
         "Interpreter whose PyTorch is meant (default: python3)", "PROGRAM"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "Folder for the backend (default: ~/.local/lib/strobe)", "DIR"},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, &argc, &argv))
        return STROBE_EXIT_USAGE;
    if (argc != 2 || strcmp(argv[1], "build") != 0)
        return strobe_command_misuse(&usage, "Expected \"strobe torch build\"");
    return build(python ? python : "python3", output);
}
