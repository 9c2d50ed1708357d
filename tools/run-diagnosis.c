/* SPDX-License-Identifier: Apache-2.0 */
#include "run-diagnosis.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "elf-file.h"
#include "run-interpreter.h"

/* The interpreter's switches end at -c, -m, a script or "--"; letters may stand together. Returns
 * the switch that keeps our bootstrap out, 0 if none does. */
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
        return g_strdup_printf("\"%s -S\" loads no site module, through which Strobe enters",
                               program);
    return g_strdup_printf("\"%s -%c\" ignores PYTHONPATH, through which Strobe enters; use "
                           "strobe.profiler in the script instead",
                           program, letter);
}

/* Setuid, setgid or file capabilities: the dynamic linker then ignores LD_PRELOAD. */
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

static char *obstacle(const char *program, char *const *command, int depth)
{
    StrobeElfFile file;

    if (!strobe_elf_read(program, &file, NULL))
        return NULL;
    if (file.is_elf) {
        char *reason = binary_obstacle(program, &file);
        if (!reason && command[0] && strobe_run_is_python(program))
            reason = python_obstacle(program, command + 1);
        return reason;
    }
    g_auto(GStrv) words = strobe_run_script_words(program, command);
    if (!words || depth >= STROBE_SCRIPTS_DEEP)
        return NULL;
    return obstacle(words[0], words, depth + 1);
}

char *strobe_run_obstacle(const char *program, char *const *command)
{
    return obstacle(program, command, 0);
}
