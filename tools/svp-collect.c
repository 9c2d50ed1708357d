/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-collect.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect.h"
#include "command.h"
#include "install-paths.h"

static const StrobeUsage usage = {
    .name = "svp collect",
    .arguments = "",
    .summary =
        "Sends a project to a board over SSH, runs its program there under a profiler, and\n"
        "fetches the JOB directories that it leaves. The program's output appears as it comes;\n"
        "the last lines on the standard output are the paths of the JOBs here. Ctrl-C ends the\n"
        "program on the board and still fetches what it left; a second one gives up.",
    .examples =
        "Examples:\n"
        "  strobe svp collect --main out/main --config ssh.ini --all\n"
        "      Also makes sqlite, timeline and summary in the JOB.\n"
        "  strobe svp collect --main \"out/main -n 3\" --target camera --interval 10\n"
        "      The board is described by ~/.config/strobe/targets/camera.ini.\n"
        "\n"
        "Exit codes: 2 usage, 3 configuration, 4 built without libssh, 5 no JOB or a damaged one,\n"
        "6 cannot write here or on the board, 9 the board was not reached, or the connection was\n"
        "lost, 10 the program on the board failed (what it left is fetched), 130 interrupted.",
};

/* Options that take a text, and may be given only once. */
enum {
    TEXT_MAIN,
    TEXT_CONFIG,
    TEXT_TARGET,
    TEXT_INTERVAL,
    TEXT_ACL_API,
    TEXT_AACPU,
    TEXT_SWITCH,
    TEXT_METRICS,
    TEXT_OUTPUT,
    TEXT_PROJECT,
    TEXT_ACL_JSON,
    TEXT_RECORDER,
    TEXT_TIMEOUT,
    TEXT_MOUNT,
    TEXT_SERVER,
    TEXTS
};

typedef struct Flags {
    char **texts[TEXTS];
    char **environment, **plugin_path;
    gboolean has_input, keeps, is_dry, is_json, does_all;
} Flags;

static const struct {
    const char *name;
    char letter;
    const char *help, *value;
} text_options[TEXTS] = {
    [TEXT_MAIN] = {"main", 'm', "The program and its arguments (required); no shell runs", "TEXT"},
    [TEXT_CONFIG] = {"config", 0, "The board's address and user (this or --target)", "FILE.ini"},
    [TEXT_TARGET] = {"target", 0, "The same, from ~/.config/strobe/targets/NAME.ini", "NAME"},
    [TEXT_INTERVAL] = {"interval", 0, "Capture one inference in N; 0: the first one (default: 0)",
                       "N"},
    [TEXT_ACL_API] = {"acl_api", 0, "Record calls (default: on)", "on|off"},
    [TEXT_AACPU] = {"aacpu", 0, "Record layers on the processor (default: on)", "on|off"},
    [TEXT_SWITCH] = {"switch", 0, "Profile at all (default: on)", "on|off"},
    [TEXT_METRICS] = {"aac_metrics", 0,
                      "Counters of the cores (default: ArithmeticUtilization; any other: none)",
                      "NAME"},
    [TEXT_OUTPUT] = {"output", 0, "Where the JOBs go (default: profiling in the project)", "DIR"},
    [TEXT_PROJECT] = {"project", 0,
                      "The folder to send (default: the parent of the program's folder \"out\", "
                      "otherwise the program's folder)",
                      "DIR"},
    [TEXT_ACL_JSON] = {"acl-json", 0,
                       "The project's acl.json (default: src/acl.json, or beside the program)",
                       "FILE"},
    [TEXT_RECORDER] = {"recorder", 0, "Who records: auto, vendor or strobe (default: auto)",
                       "NAME"},
    [TEXT_MOUNT] = {"mount", 0,
                    "Mount --output on the board by NFS, as the vendor's tool does: off, auto or "
                    "required (default: off; JOBs are fetched)",
                    "HOW"},
    [TEXT_SERVER] = {"server-ip", 0,
                     "This machine's address for --mount (default: that of the connection)",
                     "ADDRESS"},
    [TEXT_TIMEOUT] = {"timeout", 0, "End the program after this time (default: never)", "TIME"},
};

#define N_OTHER 7

static void make_entries(Flags *flags, GOptionEntry entries[TEXTS + N_OTHER + 1])
{
    const GOptionEntry others[N_OTHER + 1] = {
        {"env", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->environment,
         "Set a variable for the program; repeatable", "NAME=VALUE"},
        {"all", 0, 0, G_OPTION_ARG_NONE, &flags->does_all,
         "Then make sqlite, timeline and summary in the JOB", NULL},
        {"stdin", 0, 0, G_OPTION_ARG_NONE, &flags->has_input,
         "The program reads this command's standard input (default: nothing)", NULL},
        {"keep", 0, 0, G_OPTION_ARG_NONE, &flags->keeps, "Leave the JOBs on the board", NULL},
        {"dry-run", 0, 0, G_OPTION_ARG_NONE, &flags->is_dry,
         "Print what would be done, and do not connect", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &flags->is_json, "Print JSON", NULL},
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags->plugin_path,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    for (guint i = 0; i < TEXTS; i++)
        entries[i] = (GOptionEntry){
            text_options[i].name,        text_options[i].letter, 0,
            G_OPTION_ARG_FILENAME_ARRAY, &flags->texts[i],       text_options[i].help,
            text_options[i].value};
    memcpy(entries + TEXTS, others, sizeof others);
}

/* Returns the text of an option; NULL: it was not given. */
static const char *find_text(const Flags *flags, int option)
{
    return flags->texts[option] ? flags->texts[option][0] : NULL;
}

static gboolean check_flags(const Flags *flags, int argc, char **argv)
{
    const gboolean has_config = flags->texts[TEXT_CONFIG] != NULL;
    const gboolean has_target = flags->texts[TEXT_TARGET] != NULL;

    for (guint i = 0; i < TEXTS; i++)
        if (flags->texts[i] && flags->texts[i][1]) {
            strobe_command_misuse(&usage, "--%s is given more than once", text_options[i].name);
            return FALSE;
        }
    if (argc > 1)
        strobe_command_misuse(&usage, "Unexpected word \"%s\"", argv[1]);
    else if (!flags->texts[TEXT_MAIN])
        strobe_command_misuse(&usage, "--main is needed: the program to run");
    else if (has_config == has_target)
        strobe_command_misuse(&usage, "%s: the board",
                              has_config ? "--config and --target exclude each other"
                                         : "--config or --target is needed");
    else
        return TRUE;
    return FALSE;
}

static void fill_request(const Flags *flags, StrobeCollectRequest *request)
{
    request->keys =
        (StrobeBoardKeys){find_text(flags, TEXT_INTERVAL), find_text(flags, TEXT_ACL_API),
                          find_text(flags, TEXT_AACPU), find_text(flags, TEXT_SWITCH),
                          find_text(flags, TEXT_METRICS)};
    request->server = find_text(flags, TEXT_SERVER);
    request->environment = flags->environment;
    request->plugin_path = flags->plugin_path;
    request->has_input = flags->has_input;
    request->keeps = flags->keeps;
    request->is_dry = flags->is_dry;
    request->is_json = flags->is_json;
    request->does_all = flags->does_all;
}

static void warn_of_metrics(const StrobeCollectRequest *request)
{
    const char *name = request->keys.aac_metrics;

    if (name && strcmp(name, "ArithmeticUtilization"))
        strobe_complain("--aac_metrics %s: no counters are collected: only those of "
                        "ArithmeticUtilization are known",
                        name);
    if (geteuid() == 0)
        strobe_complain("run as root: an ordinary user is enough, and safer");
}

static int run_request(const StrobeCollectRequest *request)
{
    warn_of_metrics(request);
    return request->is_dry ? strobe_collect_describe(request) : strobe_collect(request);
}

static int collect_by_flags(const Flags *flags)
{
    const StrobeCollectTexts texts = {
        find_text(flags, TEXT_MAIN),     find_text(flags, TEXT_CONFIG),
        find_text(flags, TEXT_TARGET),   find_text(flags, TEXT_PROJECT),
        find_text(flags, TEXT_ACL_JSON), find_text(flags, TEXT_OUTPUT),
        find_text(flags, TEXT_RECORDER), find_text(flags, TEXT_TIMEOUT),
        find_text(flags, TEXT_MOUNT)};
    StrobeCollectRequest request = {0};
    GError *error = NULL;
    int code;

    fill_request(flags, &request);
    code = strobe_collect_request_fill(&request, &texts, &error) ? run_request(&request)
                                                                 : strobe_command_fail(error);
    strobe_collect_request_clear(&request);
    return code;
}

static void clear_flags(Flags *flags)
{
    for (guint i = 0; i < TEXTS; i++)
        g_strfreev(flags->texts[i]);
    g_strfreev(flags->environment);
    g_strfreev(flags->plugin_path);
}

int strobe_svp_collect(int argc, char **argv)
{
    GOptionEntry entries[TEXTS + N_OTHER + 1];
    Flags flags = {0};
    int code = STROBE_EXIT_USAGE;

    make_entries(&flags, entries);
    if (strobe_command_parse(&usage, entries, &argc, &argv) && check_flags(&flags, argc, argv))
        code = collect_by_flags(&flags);
    clear_flags(&flags);
    return code;
}
