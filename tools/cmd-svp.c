/* SPDX-License-Identifier: Apache-2.0 */
/* strobe svp: the commands of the vendor's tool for camera boards. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "error.h"
#include "signal-cleanup.h"
#include "svp-collect.h"
#include "svp-job.h"
#include "svp-show.h"

static const char *const timeline_prefixes[] = {"task_time_", "acl_", NULL};
static const char *const summary_prefixes[] = {"op_summary_", "op_statistic_", "acl_statistic_",
                                               NULL};
static const char *const database_prefixes[] = {"svp_profile.db", NULL};

const StrobeSvpOutput strobe_svp_timeline = {"svp_timeline", "timeline", timeline_prefixes,
                                             ".json"};
const StrobeSvpOutput strobe_svp_database = {"svp_db", "sqlite", database_prefixes, ".db"};
const StrobeSvpOutput strobe_svp_summary = {"svp_summary", "summary", summary_prefixes, ".csv"};

static const char help[] =
    "Usage: strobe svp COMMAND [OPTION...]\n"
    "\n"
    "The commands of the vendor's tool for camera boards (SVP NPU). \"collect\" makes JOB\n"
    "directories; each other command reads one (-dir JOB) and writes into it.\n"
    "\n"
    "Commands:\n"
    "  collect           run a program on a board, and fetch its JOB\n"
    "  import            make sqlite/svp_profile.db\n"
    "  export timeline   make timeline/task_time_*.json and acl_*.json\n"
    "  export summary    make summary/op_summary_*, op_statistic_* and acl_statistic_*\n"
    "  show              print the tables\n"
    "\n"
    "Examples:\n"
    "  strobe svp export summary -dir profiling/JOBABC\n"
    "  ln -s \"$(command -v strobe)\" msprof && ./msprof show -dir profiling/JOBABC\n"
    "      Called as msprof or msprof.pyc, the program acts as \"strobe svp\".\n"
    "\n"
    "\"strobe svp COMMAND --help\" explains a command. \"strobe import\", \"show\" and\n"
    "\"diff\" read JOB directories too.\n";

typedef struct Flags {
    char **dirs, **dbs, **formats, **plugin_path;
    gboolean is_each, is_strict, is_per_iter, has_advice, is_json;
    gint iter;
} Flags;

/* Replaces -dir, the vendor's long option with only one dash, by the form that GOption knows. */
static void take_long_option(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (strcmp(argv[i], "-dir") == 0)
            argv[i] = (char *)"--collection-dir";
        else if (g_str_has_prefix(argv[i], "-dir="))
            argv[i] = g_strconcat("--collection-dir=", argv[i] + strlen("-dir="), NULL);
    }
}

/* clang-format off */
#define COMMON_OPTIONS \
    {"collection-dir", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.dirs, \
     "The JOB directory (required), also -dir", "JOB"}, \
    {"each", 0, 0, G_OPTION_ARG_NONE, &flags.is_each, \
     "-dir is a folder of JOB directories: work on each of them", NULL}, \
    {"strict-path", 0, 0, G_OPTION_ARG_NONE, &flags.is_strict, \
     "Refuse a path with - . + @ or , which only gives a warning otherwise", NULL}, \
    {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.plugin_path, \
     "Look for plugins here first; repeatable", "DIR"}
/* clang-format on */

static void clear_flags(Flags *flags)
{
    g_strfreev(flags->dirs);
    g_strfreev(flags->dbs);
    g_strfreev(flags->formats);
    g_strfreev(flags->plugin_path);
}

/* Returns the value of an option that may be given only once. FALSE: a message was printed. */
static gboolean take_one(const StrobeUsage *usage, const char *name, char **values,
                         const char **value)
{
    *value = values ? values[0] : NULL;
    if (!values || !values[1])
        return TRUE;
    strobe_command_misuse(usage, "%s is given more than once", name);
    return FALSE;
}

/* A function that works on an open JOB. Returns an exit code. */
typedef int JobWork(StrobeSvpJob *job, const void *what);

static int work_on(const Flags *flags, const char *dir, JobWork *work, const void *what)
{
    GError *error = NULL;
    StrobeSvpJob job;

    if ((flags->is_strict && !strobe_svp_check_strictly("-dir", dir, &error)) ||
        !strobe_svp_job_open(&job, dir, flags->plugin_path, &error))
        return strobe_command_fail(error);
    const int code = work(&job, what);
    strobe_svp_job_close(&job);
    return code;
}

/* Works on every JOB in the folder, even if one fails. */
static int work_on_each(const Flags *flags, const char *dir, JobWork *work, const void *what)
{
    GError *error = NULL;
    g_autoptr(GPtrArray) dirs = strobe_svp_jobs_in(dir, &error);
    int code = STROBE_EXIT_OK;

    if (!dirs)
        return strobe_command_fail(error);
    for (guint i = 0; i < dirs->len; i++) {
        const int result = work_on(flags, g_ptr_array_index(dirs, i), work, what);

        code = code ? code : result;
    }
    return code;
}

/* Works on the JOB, or JOBs, that the flags name. Returns an exit code. */
static int work_on_jobs(const StrobeUsage *usage, const Flags *flags, int argc, char **argv,
                        JobWork *work, const void *what)
{
    const char *dir;

    if (argc > 1)
        return strobe_command_misuse(usage, "Unexpected word \"%s\"", argv[1]);
    if (!take_one(usage, "-dir", flags->dirs, &dir))
        return STROBE_EXIT_USAGE;
    if (!dir)
        return strobe_command_misuse(usage, "-dir is needed: a JOB directory");
    if (geteuid() == 0)
        strobe_complain("run as root: an ordinary user is enough, and safer");
    return (flags->is_each ? work_on_each : work_on)(flags, dir, work, what);
}

/* Makes one type of output. */
static int export_job(StrobeSvpJob *job, const void *output)
{
    const StrobeSvpOutput outputs[] = {*(const StrobeSvpOutput *)output, {NULL}};
    GError *error = NULL;

    return strobe_svp_job_export(job, outputs, NULL, NULL, &error) ? STROBE_EXIT_OK
                                                                   : strobe_command_fail(error);
}

static int export_one(const StrobeUsage *usage, const Flags *flags, int argc, char **argv,
                      const StrobeSvpOutput *output)
{
    return work_on_jobs(usage, flags, argc, argv, export_job, output);
}

/* ---- the commands ---- */

static int import_to(const StrobeUsage *usage, const Flags *flags, int argc, char **argv,
                     const char *db)
{
    StrobeSvpOutput output = strobe_svp_database;

    if (db && flags->is_each)
        return strobe_command_misuse(usage, "--db is for one JOB, not with --each");
    output.file = db;
    return export_one(usage, flags, argc, argv, &output);
}

static int run_import(int argc, char **argv)
{
    static const StrobeUsage usage = {
        .name = "svp import",
        .arguments = "",
        .summary = "Reads a JOB and makes its SQLite view, sqlite/svp_profile.db, always anew. "
                   "Other commands\nread the JOB itself.",
        .examples = "Examples:\n  strobe svp import -dir JOBABC --db /tmp/job.db\n"
                    "      The view elsewhere: the JOB may be on a read-only disk.",
    };
    Flags flags = {0};
    const char *db = NULL;
    const GOptionEntry entries[] = {
        COMMON_OPTIONS,
        {"db", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.dbs,
         "Where to write (default: sqlite/svp_profile.db in the JOB)", "FILE"},
        {NULL},
    };
    int code = STROBE_EXIT_USAGE;

    if (strobe_command_parse(&usage, entries, &argc, &argv) &&
        take_one(&usage, "--db", flags.dbs, &db))
        code = import_to(&usage, &flags, argc, argv, db);
    clear_flags(&flags);
    return code;
}

static int run_timeline(int argc, char **argv)
{
    static const StrobeUsage usage = {
        .name = "svp export timeline",
        .arguments = "",
        .summary = "Makes the JOB's timelines for chrome://tracing: task_time_*.json, "
                   "acl_*.json.",
        .examples = "Examples:\n  strobe svp export timeline -dir JOBABC",
    };
    Flags flags = {0};
    const GOptionEntry entries[] = {COMMON_OPTIONS, {NULL}};
    int code = strobe_command_parse(&usage, entries, &argc, &argv)
                   ? export_one(&usage, &flags, argc, argv, &strobe_svp_timeline)
                   : STROBE_EXIT_USAGE;

    clear_flags(&flags);
    return code;
}

static int export_summary(const StrobeUsage *usage, const Flags *flags, int argc, char **argv)
{
    const char *format;
    g_autofree char *exporter = NULL;

    if (!take_one(usage, "--format", flags->formats, &format))
        return STROBE_EXIT_USAGE;
    format = format ? format : "csv";
    if (strcmp(format, "csv") && strcmp(format, "json"))
        return strobe_command_misuse(usage, "Unknown --format \"%s\", expected csv or json",
                                     format);
    exporter = g_strdup_printf("svp_summary:format=%s,per_iter=%s", format,
                               flags->is_per_iter ? "true" : "false");
    const StrobeSvpOutput output = {exporter, "summary", summary_prefixes,
                                    strcmp(format, "csv") ? ".json" : ".csv"};
    return export_one(usage, flags, argc, argv, &output);
}

static int run_summary(int argc, char **argv)
{
    static const StrobeUsage usage = {
        .name = "svp export summary",
        .arguments = "",
        .summary = "Makes the JOB's tables: op_summary_*, op_statistic_* of each captured "
                   "inference,\nacl_statistic_* of the calls.",
        .examples = "Examples:\n  strobe svp export summary -dir JOBABC --format json",
    };
    Flags flags = {0};
    const GOptionEntry entries[] = {
        COMMON_OPTIONS,
        {"format", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &flags.formats,
         "Form of the tables: csv (the default) or json", "FORM"},
        {"per-iter", 0, 0, G_OPTION_ARG_NONE, &flags.is_per_iter,
         "Statistics of calls for each captured inference", NULL},
        {NULL},
    };
    int code = strobe_command_parse(&usage, entries, &argc, &argv)
                   ? export_summary(&usage, &flags, argc, argv)
                   : STROBE_EXIT_USAGE;

    clear_flags(&flags);
    return code;
}

static int show_job(StrobeSvpJob *job, const void *show)
{
    return strobe_svp_show(job, show);
}

/* Prints the JOB's name before its tables, for a command with several JOBs. */
static int show_named(StrobeSvpJob *job, const void *show)
{
    if (!((const StrobeSvpShow *)show)->is_json)
        printf("%s\n", job->path);
    return strobe_svp_show(job, show);
}

static int run_show(int argc, char **argv)
{
    static const StrobeUsage usage = {
        .name = "svp show",
        .arguments = "",
        .summary = "Prints the tables AA Core metric, Op statistic, Acl statistic and Frequency of "
                   "a JOB, and how\ncomplete it is. Makes timeline, sqlite and log in it.",
        .examples = "Examples:\n  strobe svp show -dir JOBABC --iter 2 --advice",
    };
    Flags flags = {0};
    const GOptionEntry entries[] = {
        COMMON_OPTIONS,
        {"iter", 0, 0, G_OPTION_ARG_INT, &flags.iter,
         "The captured inference (default: the first whole one that is not the model's first)",
         "N"},
        {"advice", 0, 0, G_OPTION_ARG_NONE, &flags.has_advice, "Say what limits the layers", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &flags.is_json, "Print JSON", NULL},
        {NULL},
    };
    int code = STROBE_EXIT_USAGE;

    if (strobe_command_parse(&usage, entries, &argc, &argv)) {
        const StrobeSvpShow show = {flags.iter, flags.has_advice, flags.is_json};

        code = flags.iter < 0 ? strobe_command_misuse(&usage, "--iter counts from 1")
                              : work_on_jobs(&usage, &flags, argc, argv,
                                             flags.is_each ? show_named : show_job, &show);
    }
    clear_flags(&flags);
    return code;
}

/* ---- choosing the command ---- */

static const struct {
    const char *name, *second;
    int (*run)(int argc, char **argv);
    gboolean has_signals; /* the command handles signals itself */
} commands[] = {
    {"collect", NULL, strobe_svp_collect, TRUE},
    {"import", NULL, run_import},
    {"export", "timeline", run_timeline},
    {"export", "summary", run_summary},
    {"show", NULL, run_show},
};

static int refuse_word(const char *word, const char *expected)
{
    strobe_complain("svp: unexpected \"%s\", expected %s", word, expected);
    fputs("Try \"strobe svp --help\".\n", stderr);
    return STROBE_EXIT_USAGE;
}

static gboolean is_help(const char *word)
{
    return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

int strobe_command_svp(int argc, char **argv)
{
    const char *second = argc > 2 ? argv[2] : "";

    if (argc < 2)
        return refuse_word("", "collect, import, export or show");
    if (is_help(argv[1]) || (strcmp(argv[1], "export") == 0 && is_help(second))) {
        fputs(help, stdout);
        return STROBE_EXIT_OK;
    }
    take_long_option(argc, argv);
    for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0 &&
            (!commands[i].second || strcmp(second, commands[i].second) == 0)) {
            const int skipped = commands[i].second ? 2 : 1;

            if (!commands[i].has_signals)
                strobe_signal_cleanup_begin();
            return commands[i].run(argc - skipped, argv + skipped);
        }
    return strcmp(argv[1], "export") ? refuse_word(argv[1], "collect, import, export or show")
                                     : refuse_word(second, "timeline or summary");
}
