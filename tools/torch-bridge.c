/* SPDX-License-Identifier: Apache-2.0 */
#include "torch-bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "error.h"
#include "folder.h"
#include "install-paths.h"
#include "progress-bar.h"
#include "terminal.h"
#include "tools-config.h"

StrobeBridgeMode strobe_bridge_mode(void)
{
    static const char *const names[] = {"wait", "background", "never"};
    const char *wanted = g_getenv("STROBE_TORCH_BUILD");

    for (guint i = 0; wanted && i < G_N_ELEMENTS(names); i++)
        if (g_str_equal(wanted, names[i]))
            return (StrobeBridgeMode)i;
    if (wanted && *wanted)
        strobe_complain("STROBE_TORCH_BUILD=%s: expected wait, background or never", wanted);
    return STROBE_BRIDGE_WAIT;
}

char *strobe_bridge_find(StrobeRegistry *registry, const StrobeTorch *torch, GError **error)
{
    g_autofree char *pattern =
        g_strdup_printf("cpu_op_torch-*-%s-" STROBE_BRIDGE_ID ".so", torch->id);

    return strobe_registry_companion(registry, pattern, error);
}

/* ---- the compiler ---- */

/* Returns the words of the compiler's command; $CXX may have several. */
static char **compiler_words(GError **error)
{
    const char *compiler = g_getenv("CXX");
    char **words = NULL;

    if (!g_shell_parse_argv(compiler && *compiler ? compiler : "c++", NULL, &words, error))
        g_prefix_error(error, "CXX=\"%s\": ", compiler);
    return words;
}

gboolean strobe_bridge_check_compiler(GError **error)
{
    g_auto(GStrv) words = compiler_words(error);

    if (!words)
        return FALSE;
    g_autofree char *program = g_find_program_in_path(words[0]);
    if (!program)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    "there is no C++ compiler \"%s\"; install one (Debian: apt install g++) or "
                    "name it in CXX",
                    words[0]);
    return program != NULL;
}

/* Returns the words of the command that compiles the bridge into the file `output` (g_strfreev).
 * NULL with an error. */
static char **compile_words(const StrobeTorch *torch, const char *output, GError **error)
{
    g_autofree char *source = strobe_install_path_torch_source();
    g_autofree char *headers = strobe_install_path_headers();
    g_auto(GStrv) compiler = compiler_words(error);

    if (!compiler)
        return NULL;
    if (!source || !headers) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                    "its source (torch_bridge.cpp) is not installed");
        return NULL;
    }
    GStrvBuilder *words = g_strv_builder_new();
    g_strv_builder_addv(words, (const char **)compiler);
    g_strv_builder_add_many(words, "-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden",
                            "-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2",
                            "-Wl,-z,relro,-z,now", NULL);
    g_strv_builder_add(words, torch->has_old_abi ? "-D_GLIBCXX_USE_CXX11_ABI=0"
                                                 : "-D_GLIBCXX_USE_CXX11_ABI=1");
    g_autofree char *sdk = g_strconcat("-I", headers, NULL);
    g_autofree char *include = g_strconcat("-isystem", torch->home, "/include", NULL);
    g_autofree char *api = g_strconcat(include, "/torch/csrc/api/include", NULL);
    g_autofree char *bridge = g_build_filename(source, "torch_bridge.cpp", NULL);
    g_autofree char *libraries = g_strconcat("-L", torch->home, "/lib", NULL);
    g_strv_builder_add_many(words, sdk, include, api, bridge, "-o", output, libraries,
                            "-ltorch_cpu", "-lc10", NULL);
    char **all = g_strv_builder_end(words);
    g_strv_builder_unref(words);
    return all;
}

/* Runs in the child process. Unblocks all signals, and makes the compiler end with its parent. */
static void prepare_compiler(gpointer unused)
{
    sigset_t none;

    (void)unused;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* Returns the first line with the word "error" in the compiler's output, or another text if there
 * is none (free it). */
static char *first_error(const char *said)
{
    g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
    char **line = lines;

    while (*line && !strstr(*line, "error"))
        line++;
    return *line ? strobe_text_excerpt(*line, strlen(*line), 300) : g_strdup("it gives no reason");
}

static gboolean run_compiler(char **words, gboolean shows_all, GError **error)
{
    g_autofree char *said = NULL;
    g_autoptr(GError) failure = NULL;
    int status = 0;

    gboolean good = g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, prepare_compiler, NULL,
                                 NULL, &said, &status, &failure) &&
                    g_spawn_check_wait_status(status, &failure);
    strobe_bar_clear();
    if (said && *said && shows_all)
        fputs(said, stderr);
    if (good)
        return TRUE;
    if (shows_all) {
        g_autofree char *command = g_strjoinv(" ", words);
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "%s: %s", command, failure->message);
        return FALSE;
    }
    g_autofree char *reason = said ? first_error(said) : g_strdup(failure->message);
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED,
                "\"%s\" failed: %s (\"strobe torch build\" shows all)", words[0], reason);
    return FALSE;
}

/* ---- the folder ---- */

/* Makes the cache folder if necessary, and makes it accessible only to this user. FALSE with an
 * error. */
static gboolean make_cache(const char *folder, GError **error)
{
    struct stat status;

    if (g_mkdir_with_parents(folder, 0700) == 0 && stat(folder, &status) == 0) {
        if (status.st_uid != geteuid())
            g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "\"%s\" is another user's", folder);
        else if (!(status.st_mode & 077) || chmod(folder, 0700) == 0)
            return TRUE;
    }
    if (!error || !*error)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot make \"%s\": %s", folder,
                    g_strerror(errno));
    return FALSE;
}

static gboolean make_folder(const char *folder, GError **error)
{
    if (g_mkdir_with_parents(folder, 0755) == 0)
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot make \"%s\": %s", folder,
                g_strerror(errno));
    return FALSE;
}

/* Locks the folder, and waits if another process builds there. Returns the descriptor that holds
 * the lock. On a file system without locks, several processes may build at once, and the file of
 * the last one stays. */
static int lock_folder(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return file;
    strobe_complain("Waiting for another process that builds the bridge to PyTorch");
    while (flock(file, LOCK_EX) != 0 && errno == EINTR)
        ;
    return file;
}

/* Makes the new file readable for all, syncs it, and renames it to `path`. FALSE with an error. */
static gboolean publish_bridge(const char *fresh, const char *path, GError **error)
{
    int file = open(fresh, O_RDONLY | O_CLOEXEC);
    gboolean good =
        file >= 0 && fchmod(file, 0755) == 0 && fsync(file) == 0 && rename(fresh, path) == 0;

    if (!good)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write \"%s\": %s", path,
                    g_strerror(errno));
    if (file >= 0)
        close(file);
    return good;
}

/* ---- building ---- */

/* Begins a bar that counts the seconds. If stderr is no terminal, prints a message too. */
static void announce_build(const StrobeTorch *torch)
{
    static char label[128];

    g_snprintf(label, sizeof label, "Building the bridge to PyTorch %s", torch->version);
    if (!isatty(STDERR_FILENO))
        strobe_complain("%s, once for this PyTorch", label);
    strobe_bar_show(label, STROBE_BAR_NO_SHARE, 0);
}

static char *path_in(const char *folder, const StrobeTorch *torch)
{
    return g_strdup_printf("%s/cpu_op_torch-%s-%s-" STROBE_BRIDGE_ID ".so", folder, torch->version,
                           torch->id);
}

gboolean strobe_bridge_is_needless(const StrobeTorch *torch, const StrobeBridgeBuild *build)
{
    g_autofree char *found = NULL;

    if (build->missing)
        found = build->folder ? path_in(build->folder, torch)
                              : strobe_bridge_find(build->missing, torch, NULL);
    return found && g_file_test(found, G_FILE_TEST_EXISTS);
}

static gboolean compile_into(const StrobeTorch *torch, const char *folder, gboolean shows_all,
                             GError **error)
{
    g_autofree char *path = path_in(folder, torch);
    gint64 begin_us = g_get_monotonic_time();
    StrobeFreshFolder work;

    if (!strobe_folder_begin(&work, path, error))
        return FALSE;
    g_autofree char *fresh = g_build_filename(work.path, "bridge.so", NULL);
    g_auto(GStrv) words = compile_words(torch, fresh, error);
    if (words)
        announce_build(torch);
    gboolean good =
        words && run_compiler(words, shows_all, error) && publish_bridge(fresh, path, error);
    strobe_folder_discard(&work);
    g_autofree char *time = strobe_text_duration((g_get_monotonic_time() - begin_us) * 1000);
    if (good)
        strobe_complain("Built the bridge to PyTorch %s in %s: %s", torch->version, time, path);
    return good;
}

/* Checks that a recording would load the new bridge from the cache, to which the file system may
 * have given other permissions. FALSE with an error. */
static gboolean check_trust(const StrobeTorch *torch, const StrobeBridgeBuild *build,
                            GError **error)
{
    g_autofree char *found = NULL;

    if (build->folder || !build->missing)
        return TRUE;
    found = strobe_bridge_find(build->missing, torch, error);
    return found != NULL;
}

gboolean strobe_bridge_build(const StrobeTorch *torch, const StrobeBridgeBuild *build,
                             GError **error)
{
    g_autofree char *cache = strobe_registry_cache();
    const char *folder = build->folder ? build->folder : cache;
    gboolean good = strobe_bridge_check_compiler(error) &&
                    (build->folder ? make_folder(folder, error) : make_cache(folder, error));

    if (good) {
        int lock = lock_folder(folder);
        good = strobe_bridge_is_needless(torch, build) ||
               (compile_into(torch, folder, build->shows_compiler, error) &&
                check_trust(torch, build, error));
        if (lock >= 0)
            close(lock);
    }
    if (!good)
        g_prefix_error(error, "Cannot build the bridge to PyTorch %s: ", torch->version);
    return good;
}
