/* SPDX-License-Identifier: Apache-2.0 */
/* strobe doctor: checks the installation, and writes a report file that users can send with a
 * question. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <strobe/strobe.h>

#include "command.h"
#include "doctor-board.h"
#include "doctor-checks.h"

static const StrobeUsage usage = {
    .name = "doctor",
    .arguments = "",
    .summary =
        "Checks whether Strobe can work here, and reports missing parts: its own files and\n"
        "plugins, the machine, limits and permissions, environment variables, vendors'\n"
        "libraries, Python and PyTorch. Then it records for a second with every collector that\n"
        "can work, and reads the result. Checks that may crash or hang run in a separate\n"
        "process. The command changes nothing.",
    .examples =
        "Examples:\n"
        "  strobe doctor\n"
        "      Prints tables of the results; \"Next steps\" lists how to repair failed checks.\n"
        "  strobe doctor -o doctor.txt\n"
        "      Writes the same to a file, with the output of the test. Send us this file if\n"
        "      something does not work. It contains only the environment variables that it\n"
        "      names; read it before you send it.\n"
        "  strobe doctor --on camera\n"
        "      Prints what a board is that is reached over SSH, and what can record there.\n"
        "  strobe doctor --python ~/venv/bin/python3 --json\n"
        "\n"
        "Exit codes: 0 Strobe works here (the output lists limits and missing packages), 1 a\n"
        "part of Strobe, or a library that it should use, does not work, 2 usage, 6 cannot\n"
        "write the file. With --on: 3 the target's file, 4 built without libssh, 9 the board was\n"
        "not reached.",
};

static void examine_system(StrobeDoctorReport *report, const char *const *folders,
                           const char *program, gboolean with_test)
{
    StrobeDoctorPython python = {.program = g_strdup(program ? program : "python3"),
                                 .is_named = program != NULL};
    g_autoptr(GPtrArray) anywhere = NULL;
    g_autoptr(GPtrArray) collectors = strobe_doctor_strobe(report, folders, &anywhere);

    strobe_doctor_host(report);
    strobe_doctor_environment(report);
    strobe_doctor_libraries(report);
    strobe_doctor_python(report, folders, &python);
    if (with_test)
        strobe_doctor_selftest(report, folders, python.works ? collectors : anywhere, &python);
    g_free(python.program);
}

static gboolean write_file(const StrobeDoctorReport *report, const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    g_autoptr(GError) error = NULL;
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *stamp = now ? g_date_time_format_iso8601(now) : NULL;

    if (!memory) {
        strobe_complain("Cannot write \"%s\": %s", path, g_strerror(errno));
        return FALSE;
    }
    fprintf(memory, "strobe doctor, version %s, %s\n\n", strobe_version(), stamp ? stamp : "");
    strobe_doctor_print(report, TRUE, memory);
    gboolean good = fclose(memory) == 0 &&
                    g_file_set_contents_full(path, text, (gssize)size,
                                             G_FILE_SET_CONTENTS_CONSISTENT, 0640, &error);
    free(text);
    if (!good)
        strobe_complain("Cannot write \"%s\": %s", path,
                        error ? error->message : g_strerror(ENOMEM));
    return good;
}

int strobe_command_doctor(int argc, char **argv)
{
    gboolean as_json = FALSE, no_test = FALSE;
    g_autofree char *output = NULL, *python = NULL, *target = NULL;
    GError *error = NULL;
    g_auto(GStrv) folders = NULL;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
         "Write a text file to send when something does not work", "FILE"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &as_json, "Print JSON", NULL},
        {"python", 0, 0, G_OPTION_ARG_FILENAME, &python,
         "Python interpreter that has the PyTorch (default: python3)", "PROGRAM"},
        {"on", 0, 0, G_OPTION_ARG_FILENAME, &target,
         "Check a board instead: ~/.config/strobe/targets/TARGET.ini", "TARGET"},
        {"no-self-test", 0, 0, G_OPTION_ARG_NONE, &no_test, "Only check; do not record", NULL},
        {"plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &folders,
         "Look for plugins here first; repeatable", "DIR"},
        {NULL},
    };

    if (!strobe_command_parse(&usage, entries, &argc, &argv))
        return STROBE_EXIT_USAGE;
    if (argc > 1)
        return strobe_command_misuse(&usage, "Unexpected argument \"%s\"", argv[1]);
    StrobeDoctorReport *report = strobe_doctor_report_new();
    if (target && !strobe_doctor_board(report, target, &error)) {
        strobe_doctor_report_free(report);
        return strobe_command_fail(error);
    }
    if (!target)
        examine_system(report, (const char *const *)folders, python, !no_test);
    if (as_json)
        strobe_doctor_print_json(report);
    else
        strobe_doctor_print(report, FALSE, stdout);
    gboolean written = !output || write_file(report, output);
    if (output && written && !as_json)
        printf("Written: %s\n", output);
    gboolean works = strobe_doctor_count(report, STROBE_VERDICT_FAILURE) == 0;
    strobe_doctor_report_free(report);
    return !written ? STROBE_EXIT_WRITE : works ? STROBE_EXIT_OK : STROBE_EXIT_FAILED;
}
