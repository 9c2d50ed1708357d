/* SPDX-License-Identifier: Apache-2.0 */
/* strobe torch build: compiles the bridge to the user's PyTorch. */
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
        "Builds the bridge to PyTorch. The bridge is the part of the collectors cpu_op and\n"
        "memory that is compiled against the PyTorch of a Python interpreter (headers,\n"
        "libraries, C++ ABI). \"strobe run\" and profile() build a missing bridge\n"
        "automatically; this command builds it early, or again. It needs a C++ compiler ($CXX,\n"
        "default c++).",
    .examples =
        "Examples:\n"
        "  strobe torch build\n"
        "  strobe torch build --python ~/venv/bin/python3\n"
        "\n"
        "The file is stored in $XDG_CACHE_HOME/strobe, or ~/.cache/strobe. Its name identifies\n"
        "the libtorch_cpu.so and the source of the bridge in this Strobe. To remove all\n"
        "bridges, remove that folder. \"strobe doctor\" prints the path of the bridge.\n"
        "\n"
        "The variable STROBE_TORCH_BUILD controls what \"strobe run\" and profile() do if there\n"
        "is no bridge: wait (the default: build it before the program continues), background\n"
        "(build it while the program runs; until it is ready, PyTorch's operators are not\n"
        "recorded), never.",
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

/* Continues in a separate process with its own session; the caller does not wait for it. FALSE:
 * this is the calling process. */
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
         "Python interpreter that has the PyTorch (default: python3)", "PROGRAM"},
        {"torch", 0, 0, G_OPTION_ARG_FILENAME, &flags.torch,
         "Folder of the package torch; no interpreter is started", "DIR"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &flags.output,
         "Folder for the bridge; must be in the plugin path (default: ~/.cache/strobe)", "DIR"},
        {"if-missing", 0, 0, G_OPTION_ARG_NONE, &flags.if_missing,
         "Do nothing if a bridge to this PyTorch exists (with --output: in that folder)", NULL},
        {"background", 0, 0, G_OPTION_ARG_NONE, &flags.background,
         "Return at once and build in the background", NULL},
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
