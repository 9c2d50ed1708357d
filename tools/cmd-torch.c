/* SPDX-License-Identifier: Apache-2.0 */
/* strobe torch build: compiles the bridge to the user's own PyTorch. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "error.h"
#include "torch-bridge.h"

static const StrobeUsage usage = {
    .name = "torch",
    .arguments = "build",
    .summary =
        "Builds the bridge to PyTorch, the part of the collectors cpu_op and memory that is\n"
        "compiled against the PyTorch of a Python interpreter: its headers, its libraries, its "
        "C++\n"
        "ABI. \"strobe run\" and profile() build it by themselves where it is missing; this "
        "command\n"
        "builds it early, or again. A C++ compiler is needed ($CXX, default c++).",
    .examples =
        "Examples:\n"
        "  strobe torch build\n"
        "  strobe torch build --python ~/venv/bin/python3\n"
        "\n"
        "The file goes to $XDG_CACHE_HOME/strobe, or ~/.cache/strobe, and is found by the "
        "identity\n"
        "of the libtorch_cpu.so in the process and of this Strobe's source of the bridge. To "
        "remove\n"
        "all bridges, remove that folder. \"strobe doctor\" says where the bridge is.\n"
        "\n"
        "STROBE_TORCH_BUILD says what \"strobe run\" and profile() do where there is none: wait "
        "(the\n"
        "default: build it before the program goes on), background (build it meanwhile: what runs\n"
        "until then is recorded without PyTorch's operators), never.",
};

typedef struct BuildFlags {
    char *python, *torch, *output;
    gboolean if_missing, background;
} BuildFlags;

static gboolean find_torch(const BuildFlags *flags, StrobeTorch *torch, GError **error)
{
    const char *python = flags->python ? flags->python : "python3";
    g_autofree char *home = flags->torch ? g_canonicalize_filename(flags->torch, NULL)
                                         : strobe_torch_ask(python, error);

    if (home)
        return strobe_torch_read(home, torch, error);
    if (!*error)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    "\"%s\" has no PyTorch: name the interpreter that has, with --python", python);
    return FALSE;
}

/* From here on in a process of a session of its own, which the caller's does not wait for. FALSE:
 * this is the caller's. */
static gboolean go_to_background(void)
{
    sigset_t none;
    pid_t child = fork();

    if (child != 0)
        return FALSE;
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(nowhere, i);
    return TRUE;
}

static gboolean build_in_background(const StrobeTorch *torch, const StrobeBridgeBuild *build,
                                    GError **error)
{
    if (!strobe_bridge_check_compiler(error)) {
        g_prefix_error(error, "Cannot build the bridge to PyTorch %s: ", torch->version);
        return FALSE;
    }
    strobe_complain("Building the bridge to PyTorch %s in the background: operators are recorded "
                    "from the first run on that finds it",
                    torch->version);
    if (go_to_background())
        _exit(strobe_bridge_build(torch, build, NULL) ? STROBE_EXIT_OK : STROBE_EXIT_FAILED);
    return TRUE;
}

static gboolean build_bridge(const BuildFlags *flags, const StrobeTorch *torch,
                             StrobeRegistry *registry, GError **error)
{
    const StrobeBridgeBuild build = {.folder = flags->output,
                                     .missing = flags->if_missing ? registry : NULL,
                                     .shows_compiler = !flags->if_missing};

    if (strobe_bridge_is_needless(torch, &build))
        return TRUE;
    return flags->background ? build_in_background(torch, &build, error)
                             : strobe_bridge_build(torch, &build, error);
}

static int run_build(const BuildFlags *flags)
{
    StrobeRegistry *registry = strobe_registry_new(NULL);
    StrobeTorch torch = {0};
    GError *error = NULL;

    gboolean good =
        find_torch(flags, &torch, &error) && build_bridge(flags, &torch, registry, &error);
    strobe_torch_clear(&torch);
    strobe_registry_free(registry);
    return good ? STROBE_EXIT_OK : strobe_command_fail(error);
}

int strobe_command_torch(int argc, char **argv)
{
    BuildFlags flags = {0};
    int code;
    const GOptionEntry entries[] = {
        {"python", 0, 0, G_OPTION_ARG_FILENAME, &flags.python,
         "Interpreter whose PyTorch is meant (default: python3)", "PROGRAM"},
        {"torch", 0, 0, G_OPTION_ARG_FILENAME, &flags.torch,
         "Folder of the package torch, instead of asking an interpreter for it", "DIR"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &flags.output,
         "Folder for the bridge, one of the plugin path (default: ~/.cache/strobe)", "DIR"},
        {"if-missing", 0, 0, G_OPTION_ARG_NONE, &flags.if_missing,
         "Do nothing if there is a bridge to this PyTorch; with --output: in that folder", NULL},
        {"background", 0, 0, G_OPTION_ARG_NONE, &flags.background,
         "Return at once and build meanwhile", NULL},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, &argc, &argv))
        code = STROBE_EXIT_USAGE;
    else if (argc != 2 || strcmp(argv[1], "build") != 0)
        code = strobe_command_misuse(&usage, "Expected \"strobe torch build\"");
    else
        code = run_build(&flags);
    g_free(flags.python);
    g_free(flags.torch);
    g_free(flags.output);
    return code;
}
