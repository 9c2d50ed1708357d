/* SPDX-License-Identifier: Apache-2.0 */
#include "run-diagnosis.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "elf-file.h"

#define SCRIPTS_DEEP 4

static gboolean is_python_name(const char *path)
{
    g_autofree char *name = g_path_get_basename(path);

    return g_str_has_prefix(name, "python") || g_str_has_prefix(name, "pypy");
}

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

/* "#!interpreter [argument]": words of the command that really runs; NULL if it is no script. */
static char **script_words(const char *program, char *const *command)
{
    char line[512];
    FILE *file = fopen(program, "re");
    gboolean got = file && fgets(line, sizeof line, file);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

    if (file)
        fclose(file);
    if (!got || strncmp(line, "#!", 2) != 0)
        return NULL;
    g_auto(GStrv) parts = g_strsplit_set(g_strstrip(line + 2), " \t", 2);
    for (char **part = parts; *part; part++)
        if (*g_strstrip(*part))
            g_ptr_array_add(words, g_strdup(*part));
    if (words->len == 0)
        return NULL;
    g_ptr_array_add(words, g_strdup(program));
    for (command++; command[-1] && *command; command++)
        g_ptr_array_add(words, g_strdup(*command));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_steal(words, NULL);
}

static char *obstacle(const char *program, char *const *command, int depth)
{
    StrobeElfFile file;

    if (!strobe_elf_read(program, &file, NULL))
        return NULL;
    if (file.is_elf) {
        char *reason = binary_obstacle(program, &file);
        if (!reason && command[0] && is_python_name(program))
            reason = python_obstacle(program, command + 1);
        return reason;
    }
    g_auto(GStrv) words = script_words(program, command);
    if (!words || depth >= SCRIPTS_DEEP)
        return NULL;
    return obstacle(words[0], words, depth + 1);
}

char *strobe_run_obstacle(const char *program, char *const *command)
{
    return obstacle(program, command, 0);
}
