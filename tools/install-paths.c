/* SPDX-License-Identifier: Apache-2.0 */
#include "install-paths.h"

#include <string.h>

#include "tools-config.h"
#include "writer-state.h"

/* Returns the folder of the running command's file, with links resolved. */
static const char *command_folder(void)
{
    static char *folder;

    if (!folder) {
        g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);
        folder = path ? g_path_get_dirname(path) : g_strdup("/");
    }
    return folder;
}

/* Returns the build folder if this command is in a subfolder of one, otherwise NULL. */
static const char *build_folder(void)
{
    static char *folder;
    static gboolean is_known;

    if (!is_known) {
        g_autofree char *above = g_path_get_dirname(command_folder());
        g_autofree char *mark = g_build_filename(above, "build.ninja", NULL);
        if (g_file_test(mark, G_FILE_TEST_IS_REGULAR))
            folder = g_steal_pointer(&above);
        is_known = TRUE;
    }
    return folder;
}

/* Returns the source folder, whose path is in a file in the command's folder; "" if there is no
 * such file. */
static const char *source_folder(void)
{
    static char *folder;

    if (!folder) {
        g_autofree char *note = g_build_filename(command_folder(), "source-root", NULL);
        if (!g_file_get_contents(note, &folder, NULL, NULL))
            folder = g_strdup("");
        g_strchomp(folder);
    }
    return folder;
}

/* Returns the path of `file` in the first folder that contains it or, if `give_folder`, the path of
 * that folder. NULL: no folder contains it. */
static char *find_file(const char *const *folders, const char *file, gboolean give_folder)
{
    for (; *folders; folders++) {
        g_autofree char *path = g_build_filename(*folders, file, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS))
            return give_folder ? g_canonicalize_filename(*folders, NULL)
                               : g_canonicalize_filename(path, NULL);
    }
    return NULL;
}

/* Returns the path of `file` or of its folder, see find_file. If this command is in a build folder,
 * looks in `built`, which is below the build folder, and in `source` (may be NULL), which is below
 * the source folder. Otherwise looks in `installed`, which is relative to this command's folder, so
 * that an installation may be moved. */
static char *find_installed(const char *built, const char *source, const char *installed,
                            const char *file, gboolean give_folder)
{
    const char *build = build_folder();

    if (!build) {
        g_autofree char *folder = g_build_filename(command_folder(), installed, NULL);
        return find_file((const char *const[]){folder, NULL}, file, give_folder);
    }
    g_autofree char *in_build = g_build_filename(build, built, NULL);
    g_autofree char *in_source = source ? g_build_filename(source_folder(), source, NULL) : NULL;
    return find_file((const char *const[]){in_build, in_source, NULL}, file, give_folder);
}

char *strobe_install_path_library(void)
{
    return find_installed("core", NULL, STROBE_LIBDIR, STROBE_LIBRARY_NAME, FALSE);
}

char *strobe_install_path_preload(void)
{
    return find_installed("tools", NULL, STROBE_PLUGIN_DIR, "libstrobe-preload.so", FALSE);
}

char *strobe_install_path_board(void)
{
    return find_installed("board", NULL, STROBE_PLUGIN_DIR, "libstrobe-board.so", FALSE);
}

char *strobe_install_path_board_run(void)
{
    return find_installed("board", NULL, STROBE_PLUGIN_DIR, "strobe-board-run", FALSE);
}

char *strobe_install_path_marks(void)
{
    return find_installed("board", NULL, STROBE_PLUGIN_DIR, "libstrobe-marks.so", FALSE);
}

char *strobe_install_path_plugin(const char *file)
{
    return find_installed("plugins", NULL, STROBE_PLUGIN_DIR, file, FALSE);
}

char *strobe_install_path_kit(const char *name, const char *file)
{
    g_autofree char *built = g_build_filename("board", name, NULL);
    g_autofree char *installed = g_build_filename(STROBE_PLUGIN_DIR, "board", name, NULL);

    return find_installed(built, NULL, installed, file, FALSE);
}

char *strobe_install_path_ssh(void)
{
    return find_installed("remote/ssh", NULL, STROBE_PLUGIN_DIR, "libstrobe-ssh.so", FALSE);
}

char *strobe_install_path_writer(void)
{
    return find_installed("core", NULL, STROBE_WRITER_DIR, STROBE_WRITER_NAME, FALSE);
}

char *strobe_install_path_python(void)
{
    return find_installed("python", "python", STROBE_PYTHON_DIR, "strobe/__init__.py", TRUE);
}

char *strobe_install_path_bootstrap(void)
{
    return find_installed("python/strobe/bootstrap", "python/strobe/bootstrap",
                          STROBE_PYTHON_DIR "/strobe/bootstrap", "sitecustomize.py", TRUE);
}

char *strobe_install_path_torch_source(void)
{
    return find_installed("plugins/torch_bridge", "plugins/torch_bridge",
                          STROBE_DATADIR "/strobe/torch", "torch_bridge.cpp", TRUE);
}

char *strobe_install_path_headers(void)
{
    return find_installed("sdk/include", "sdk/include", STROBE_INCLUDEDIR, "strobe/plugin.h", TRUE);
}
