/* SPDX-License-Identifier: Apache-2.0 */
#include "board-kit.h"

#include <string.h>
#include <sys/utsname.h>

#include "install-paths.h"

/* A 64-bit kernel may run programs of 32 bits. */
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

char *strobe_board_kit_find(const StrobeBoardProperties *properties,
                            const StrobeBoardProgram *program)
{
    const char *machine = name_machine(properties, program);
    struct utsname own = {0};

    if (!*machine || !*properties->libc || strchr(machine, '/') || strchr(properties->libc, '/'))
        return NULL;
    g_autofree char *name = g_strdup_printf("%s-%s", machine, properties->libc);
    char *path = strobe_install_path_kit(name);
    if (!path && uname(&own) == 0 && strcmp(own.machine, machine) == 0 &&
        strcmp(properties->libc, "glibc") == 0)
        path = strobe_install_path_board();
    return path;
}
