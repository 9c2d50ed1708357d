/* SPDX-License-Identifier: Apache-2.0 */
/* Runs CANN's msprof to export data that Strobe itself does not decode. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <external-folder.h>
#include <prof-start.h>
#include <vendor-tool.h>
#include "prof_raw.h"

#define TOOL "msprof"

static gboolean has_name(int folder, const char *prefix, const char *suffix)
{
    g_autoptr(GPtrArray) names = external_folder_names(folder);
    gboolean found = FALSE;

    for (guint i = 0; i < names->len && !found; i++)
        found = g_str_has_prefix(g_ptr_array_index(names, i), prefix) &&
                g_str_has_suffix(g_ptr_array_index(names, i), suffix);
    return found;
}

static gboolean is_exported(int folder)
{
    int text = external_folder_open(folder, "mindstudio_profiler_output");
    gboolean has_text = text >= 0 && has_name(text, TOOL "_", ".json");

    if (text >= 0)
        close(text);
    return has_text || has_name(folder, TOOL "_", ".db");
}

static gboolean is_raw(const StrobeSource *source)
{
    g_autofree char *name = g_path_get_basename(source->path);

    return source->is_folder && prof_is_name(name) &&
           (has_name(source->descriptor, "host", "") ||
            has_name(source->descriptor, "device_", ""));
}

static int open_log(int logs, char **name)
{
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *stamp = g_date_time_format(now, "%Y%m%d%H%M%S");

    *name = g_strdup_printf("profiler_%s_%ld_" TOOL ".log", stamp, (long)getpid());
    return logs < 0
               ? -1
               : openat(logs, *name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0640);
}

static char *ending_of(const VendorRun *run)
{
    if (run->error)
        return g_strdup_printf("could not be started: %s", g_strerror(run->error));
    if (run->is_late)
        return g_strdup("took longer than export_limit, and was ended");
    if (run->is_lost)
        return g_strdup("ended, but its exit code is not known");
    if (run->signal)
        return g_strdup_printf("was ended by signal %d", run->signal);
    if (run->exit_code)
        return g_strdup_printf("ended with code %d", run->exit_code);
    return g_strdup("succeeded, but made no " TOOL "_*.db and no text");
}

/* Runs msprof with --type=db, then, if this fails, without it, because older versions do not know
 * the option and export text. */
static StrobeStatus export_with(const StrobeImporterHost *host, StrobeInstance *self,
                                const StrobeSource *source, char *tool, int logs)
{
    static char database[] = "--type=db", on[] = "--export=on";
    /* msprof runs in a different folder */
    g_autofree char *path = g_canonicalize_filename(source->path, NULL);
    g_autofree char *output = g_strconcat("--output=", path, NULL);
    g_autofree char *name = NULL;
    gint64 limit = host->option_int(self, "export_limit");
    int log = open_log(logs, &name);
    VendorRun run = {0};

    for (guint i = 0; i < 2 && !run.error && !run.is_late && !is_exported(source->descriptor);
         i++) {
        char *const with_type[] = {tool, on, database, output, NULL};
        char *const without[] = {tool, on, output, NULL};
        run = vendor_tool_run(i ? without : with_type, source->descriptor, log, limit);
    }
    if (log >= 0)
        close(log);
    if (is_exported(source->descriptor)) {
        host->log(self, STROBE_LOG_INFO, "%s has exported %s", tool, source->path);
        return STROBE_OK;
    }
    g_autofree char *ending = ending_of(&run);
    return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__,
                      "%s %s (logs/%s): the devices' raw data is not exported", tool, ending, name);
}

StrobeStatus prof_raw_prepare(const StrobeImporterHost *host, StrobeInstance *self,
                              const StrobeSource *source, int32_t logs)
{
    const char *given = host->option_text(self, TOOL);
    g_autoptr(GString) refused = g_string_new(NULL);
    g_autofree char *tool = NULL;

    if (!is_raw(source) || is_exported(source->descriptor))
        return STROBE_OK;
    if (*given && !g_path_is_absolute(given))
        return host->fail(self, STROBE_ERROR_CONFIG, __FILE__, __LINE__,
                          "msprof=\"%s\" is a relative path, expected an absolute one: the "
                          "devices' raw data is not exported",
                          given);
    tool = *given ? g_strdup(given) : vendor_tool_find(TOOL, g_getenv("ASCEND_HOME_PATH"), refused);
    if (tool)
        return export_with(host, self, source, tool, logs);
    return host->fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                      "there is no " TOOL
                      " on PATH or in bin of ASCEND_HOME_PATH%s%s: the devices' raw data is not "
                      "exported; run strobe analyse on a machine with CANN to export it",
                      refused->len ? ", but " : "", refused->str);
}
