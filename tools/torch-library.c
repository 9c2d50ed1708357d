/* SPDX-License-Identifier: Apache-2.0 */
#include "torch-library.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "elf-file.h"
#include "error.h"
#include "probe-child.h"

#define ASK_TIME_US (20 * G_USEC_PER_SEC)

/* The script that finds the package without importing it. It does not search the current folder,
 * because a script's process does not search there either. */
static const char question[] =
    "import importlib.util, os, sys\n"
    "sys.path[:] = [path for path in sys.path if path]\n"
    "spec = importlib.util.find_spec('torch')\n"
    "print()\n"
    "is_package = spec and spec.origin and spec.submodule_search_locations\n"
    "print(os.path.dirname(spec.origin) if is_package else '')\n";

/* End of the name of a function that every libc10 exports, as it is in the C++ ABI of libstdc++
 * before version 5. */
static const char old_abi_symbol[] = "torchCheckFailEPKcS2_jRKSs";

char *strobe_torch_ask(const char *python, GError **error)
{
    char *words[] = {(char *)python, (char *)"-c", (char *)question, NULL};
    g_autoptr(GString) text = g_string_new(NULL);
    int status;
    StrobeChildEnd end = strobe_child_spawn(words, FALSE, ASK_TIME_US, text, &status);
    g_autofree char *failure = strobe_child_failure(end, status, ASK_TIME_US);

    if (failure) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot run \"%s\": %s", python,
                    failure);
        return NULL;
    }
    const char *newline = strrchr(g_strchomp(text->str), '\n');
    const char *folder = newline ? newline + 1 : text->str;
    return *folder == '/' ? g_strdup(folder) : NULL;
}

/* Returns the version in version.py (free it): only "2.1.0" of a line __version__ = '2.1.0+cpu',
 * for example, because it becomes part of a file name. */
static char *read_version(const char *home)
{
    g_autofree char *path = g_build_filename(home, "version.py", NULL);
    FILE *file = fopen(path, "re");
    char line[256], text[64] = "", quote;

    while (file && !*text && fgets(line, sizeof line, file))
        if (sscanf(line, "__version__ = %c%63[0-9.abrc]", &quote, text) != 2)
            *text = '\0';
    if (file)
        fclose(file);
    return g_strdup(*text ? text : "unknown");
}

static gboolean read_id(StrobeTorch *torch, GError **error)
{
    StrobeElfFile file;
    struct stat status;

    if (!strobe_elf_read(torch->library, &file, error))
        return FALSE;
    if (strlen(file.build_id) >= sizeof torch->id - 1)
        g_strlcpy(torch->id, file.build_id, sizeof torch->id);
    else if (stat(torch->library, &status) == 0)
        g_snprintf(torch->id, sizeof torch->id, "size%012llx",
                   (unsigned long long)status.st_size & 0xffffffffffffULL);
    return TRUE;
}

static gboolean has_old_abi(const char *home)
{
    g_autofree char *path = g_build_filename(home, "lib", "libc10.so", NULL);
    GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);

    if (!file)
        return FALSE;
    gboolean found = memmem(g_mapped_file_get_contents(file), g_mapped_file_get_length(file),
                            old_abi_symbol, sizeof old_abi_symbol) != NULL;
    g_mapped_file_unref(file);
    return found;
}

gboolean strobe_torch_read(const char *home, StrobeTorch *torch, GError **error)
{
    *torch = (StrobeTorch){
        .version = read_version(home),
        .home = g_strdup(home),
        .library = g_build_filename(home, "lib", "libtorch_cpu.so", NULL),
        .has_old_abi = has_old_abi(home),
    };
    return read_id(torch, error);
}

void strobe_torch_clear(StrobeTorch *torch)
{
    g_clear_pointer(&torch->version, g_free);
    g_clear_pointer(&torch->home, g_free);
    g_clear_pointer(&torch->library, g_free);
}
