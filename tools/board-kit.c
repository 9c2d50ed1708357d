/* SPDX-License-Identifier: Apache-2.0 */
#include "board-kit.h"

#include <string.h>
#include <sys/utsname.h>

#include "install-paths.h"

/* Returns the machine type of the program or, if there is none, of the board. A board with a 64-bit
 * kernel and a 32-bit system counts as "arm". */
static const char *name_machine(const StrobeBoardProperties *properties,
                                const StrobeBoardProgram *program)
{
    if (program && *program->machine)
        return program->machine;
    if (g_str_has_prefix(properties->machine, "armv") ||
        (strcmp(properties->machine, "aarch64") == 0 && properties->word_bits == 32))
        return "arm";
    return properties->machine;
}

char *strobe_board_kit_file(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program, const char *file, const char *own)
{
    const char *machine = name_machine(properties, program);
    struct utsname system = {0};

    if (!*machine || !*properties->libc || strchr(machine, '/') || strchr(properties->libc, '/'))
        return NULL;
    g_autofree char *name = g_strdup_printf("%s-%s", machine, properties->libc);
    char *path = strobe_install_path_kit(name, file);
    if (!path && uname(&system) == 0 && strcmp(system.machine, machine) == 0 &&
        strcmp(properties->libc, "glibc") == 0)
        path = g_strdup(own);
    return path;
}

char *strobe_board_kit_find(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program)
{
    g_autofree char *own = strobe_install_path_board();

    return strobe_board_kit_file(properties, program, "libstrobe-board.so", own);
}

char *strobe_board_kit_collectors(const StrobeBoardProperties *properties)
{
    static const char *const names[] = {"cpu_sample", "host_sys"};
    g_autofree char *own = strobe_install_path_board_run();
    g_autofree char *runner = strobe_board_kit_file(properties, NULL, "strobe-board-run", own);
    GString *found = runner ? g_string_new(NULL) : NULL;

    for (guint i = 0; found && i < G_N_ELEMENTS(names); i++) {
        g_autofree char *file = g_strconcat(names[i], ".so", NULL);
        g_autofree char *plugin = strobe_install_path_plugin(file);
        g_autofree char *path = strobe_board_kit_file(properties, NULL, file, plugin);
        if (path)
            g_string_append_printf(found, "%s%s", found->len ? ", " : "", names[i]);
    }
    return found ? g_string_free(found, FALSE) : NULL;
}
