/* SPDX-License-Identifier: Apache-2.0 */
#include "board-kit.h"

#include <string.h>
#include <sys/utsname.h>

#include "install-paths.h"

/* A 64-bit kernel may run programs of 32 bits. */
static const char *name_machine(const StrobeBoardFacts *facts, const StrobeBoardProgram *program)
{
    if (program && *program->machine)
        return program->machine;
    if (g_str_has_prefix(facts->machine, "armv") ||
        (strcmp(facts->machine, "aarch64") == 0 && facts->word_bits == 32))
        return "arm";
    return facts->machine;
}

char *strobe_board_kit_find(const StrobeBoardFacts *facts, const StrobeBoardProgram *program)
{
    const char *machine = name_machine(facts, program);
    struct utsname own = {0};

    if (!*machine || !*facts->libc || strchr(machine, '/') || strchr(facts->libc, '/'))
        return NULL;
    g_autofree char *name = g_strdup_printf("%s-%s", machine, facts->libc);
    char *path = strobe_install_path_kit(name);
    if (!path && uname(&own) == 0 && strcmp(own.machine, machine) == 0 &&
        strcmp(facts->libc, "glibc") == 0)
        path = strobe_install_path_board();
    return path;
}
