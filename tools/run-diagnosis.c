/* SPDX-License-Identifier: Apache-2.0 */
#include "run-diagnosis.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "elf-file.h"
#include "launchers.h"
#include "run-command.h"
#include "run-interpreter.h"

/* Returns the letter of a switch of the Python interpreter that disables Strobe's bootstrap, 0 if
 * there is none. The switches end at -c, -m, a script or "--"; a word may contain several
 * switches. */
static char python_switch(char *const *words)
{
    for (; *words && (*words)[0] == '-' && (*words)[1] != '-' && (*words)[1] != '\0'; words++) {
        for (const char *letter = *words + 1; *letter; letter++) {
            if (strchr("IES", *letter))
                return *letter;
            if (strchr("cm", *letter))
                return 0;
            if (strchr("WX", *letter)) {
                if (!letter[1] && words[1])
                    words++;
                break;
            }
        }
    }
    return 0;
}

static char *python_obstacle(const char *program, char *const *words)
{
    char letter = python_switch(words);

    if (!letter)
        return NULL;
    if (letter == 'S')
        return g_strdup_printf("\"%s -S\" does not load the module site, which would load Strobe",
                               program);
    return g_strdup_printf("\"%s -%c\" ignores PYTHONPATH, through which Strobe enters; use "
                           "strobe.profiler in the script instead",
                           program, letter);
}

/* Returns a text if the program has setuid, setgid or file capabilities, for which the dynamic
 * linker ignores LD_PRELOAD (free it). NULL: it has not. */
static char *privilege_obstacle(const char *program)
{
    struct stat status;

    if (stat(program, &status) != 0)
        return NULL;
    if (((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
        ((status.st_mode & S_ISGID) && status.st_gid != getgid()))
        return g_strdup_printf("%s is setuid or setgid, so that the system lets nothing be loaded "
                               "into it",
                               program);
    if (geteuid() != 0 && getxattr(program, "security.capability", NULL, 0) > 0)
        return g_strdup_printf("%s has file capabilities, so that the system lets nothing be "
                               "loaded into it",
                               program);
    return NULL;
}

static char *binary_obstacle(const char *program, const StrobeElfFile *file)
{
    if (!file->is_native)
        return g_strdup_printf("%s is a program for another machine or word size", program);
    if (!file->interpreter[0])
        return g_strdup_printf("%s is linked statically: nothing can be loaded into it", program);
    if (strstr(file->interpreter, "ld-musl"))
        return g_strdup_printf("%s uses another C library (musl) than Strobe was built for",
                               program);
    return privilege_obstacle(program);
}

/* Whether the command is `env` with an option that removes all variables or LD_PRELOAD. */
static gboolean clears_environment(char *const *words)
{
    for (words++; *words && (**words == '-' || strchr(*words, '=')); words++) {
        if (g_regex_match_simple("^(-|-[0v]*i.*|--ignore-environment|.*LD_PRELOAD.*)$", *words, 0,
                                 0))
            return TRUE;
        if (g_str_equal(*words, "-u") && words[1] && g_str_equal(*++words, "LD_PRELOAD"))
            return TRUE;
    }
    return FALSE;
}

static gboolean is_launcher(const char *program)
{
    g_autofree char *name = g_path_get_basename(program);

    return strobe_is_launcher(name);
}

/* Returns the id of the user that the text names by name or number. Returns `fallback` if there is
 * no such user. */
static uid_t user_number(const char *text, uid_t fallback)
{
    const struct passwd *user = getpwnam(text);
    guint64 number;

    if (user)
        return user->pw_uid;
    return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32, &number, NULL) ? (uid_t)number
                                                                               : fallback;
}

/* Returns the user that the option --reuid or --euid of the command `setpriv` names. NULL: there is
 * no such option, or it names the current user. */
static const char *changed_user(char *const *command, char *const *launched)
{
    const guint n = g_strv_length((char **)command) - g_strv_length((char **)launched);

    for (guint i = 1; i < n; i++) {
        const char *value = NULL;

        if (g_str_equal(command[i], "--reuid") || g_str_equal(command[i], "--euid"))
            value = i + 1 < n ? command[i + 1] : NULL;
        else if (g_str_has_prefix(command[i], "--reuid=") ||
                 g_str_has_prefix(command[i], "--euid="))
            value = strchr(command[i], '=') + 1;
        if (value && user_number(value, geteuid()) != geteuid())
            return value;
    }
    return NULL;
}

static char *launcher_obstacle(char *const *command, char *const *launched)
{
    g_autofree char *name = g_path_get_basename(command[0]);

    if (!launched)
        return g_strdup_printf("%s is there to start another program, and is not recorded itself",
                               name);
    if (g_str_equal(name, "env") && clears_environment(command))
        return g_strdup_printf("env removes the variables that load Strobe into %s; put env first: "
                               "env -i ... strobe run -- ...",
                               launched[0]);
    const char *user = g_str_equal(name, "setpriv") ? changed_user(command, launched) : NULL;
    if (user)
        return g_strdup_printf("%s runs as user %s, who may not read the folder of this run; put "
                               "setpriv first: setpriv ... strobe run -- %s",
                               launched[0], user, launched[0]);
    return NULL;
}

static char *find_obstacle(char *const *command, char *const *environment, int depth)
{
    g_autofree char *program = strobe_run_program(command[0], environment);
    StrobeElfFile file;

    if (!program || depth > STROBE_SCRIPTS_DEEP || !strobe_elf_read(program, &file, NULL))
        return NULL;
    g_auto(GStrv) words = file.is_elf ? strobe_run_launched_words(command, environment)
                                      : strobe_run_script_words(program, command);
    char *reason = file.is_elf ? binary_obstacle(program, &file) : NULL;
    if (!reason && file.is_elf && is_launcher(program))
        reason = launcher_obstacle(command, words);
    if (!reason && file.is_elf && strobe_run_is_python(program))
        reason = python_obstacle(program, command + 1);
    return reason || !words ? reason : find_obstacle(words, environment, depth + 1);
}

char *strobe_run_obstacle(char *const *command, char *const *environment)
{
    return find_obstacle(command, environment, 0);
}
