/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-jobs.h"

#include <svp-names.h>

#include "board-mount.h"
#include "collect-mount.h"
#include "command.h"
#include "folder.h"
#include "remote-flow.h"

#define LOOK_US (G_USEC_PER_SEC / 10)

static void report_line(const char *text)
{
    strobe_complain("%s", text);
}

GPtrArray *strobe_collect_find_jobs(StrobeCollect *collect, GError **error)
{
    const char *folders[] = {collect->board_output, collect->board_folder, NULL};

    return strobe_job_list_find(collect->remote, folders, error);
}

static gboolean has_path(const GPtrArray *paths, const char *path)
{
    return g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)paths, path, g_str_equal, NULL);
}

/* Fetches the files that the recorder has finished, while the program runs. */
gboolean strobe_collect_fetch_meanwhile(void *user, GError **error)
{
    StrobeCollect *collect = user;
    const guint64 n_before = collect->fetched.fetched_bytes;
    g_autoptr(GPtrArray) jobs = NULL;

    if (g_get_monotonic_time() - collect->looked_us < LOOK_US)
        return TRUE;
    jobs = strobe_collect_find_jobs(collect, error);
    for (guint i = 0; jobs && i < jobs->len; i++) {
        const char *job = g_ptr_array_index(jobs, i);

        if (!has_path(collect->found, job) &&
            !strobe_job_fetch_finished(collect->remote, job, collect->request->output,
                                       &collect->fetched, error))
            return FALSE;
    }
    /* after a fetch the next call looks again at once, because the program may have made more
     * data */
    collect->looked_us = collect->fetched.fetched_bytes > n_before ? 0 : g_get_monotonic_time();
    return jobs != NULL;
}

/* ---- results ---- */

static gboolean is_new(const StrobeCollect *collect, const char *job)
{
    g_autofree char *name = g_path_get_basename(job);
    g_autofree char *path = g_build_filename(collect->request->output, name, NULL);

    /* In this case an earlier collect fetched the whole JOB, but ended before it removed the JOB
     * from the board. */
    if (has_path(collect->found, job) && g_file_test(path, G_FILE_TEST_IS_DIR))
        return FALSE;
    return !has_path(collect->before, job) ||
           strobe_job_fetch_has_part(collect->request->output, job);
}

static gboolean remove_job(const StrobeCollect *collect, const char *job, GError **error)
{
    g_autofree char *quoted = g_shell_quote(job);
    g_autofree char *command = g_strconcat("rm -rf -- ", quoted, NULL);
    g_autoptr(GString) answer = g_string_new(NULL);

    return collect->request->keeps ||
           strobe_flow_text(collect->remote, "cannot remove a JOB on the board", command, NULL,
                            answer, 1024, error);
}

/* Whether the JOB has an info.json, which Strobe's recorder writes first. If there is none, the
 * program ended at once. */
static gboolean has_info(const char *path)
{
    GDir *folder = g_dir_open(path, 0, NULL);
    const char *name;
    guint32 device;
    gboolean has = FALSE;

    while (folder && !has && (name = g_dir_read_name(folder)))
        has = svp_info_device(name, &device);
    if (folder)
        g_dir_close(folder);
    return has;
}

/* Whether there is nothing to export: the JOB has no info.json or, if an earlier collect made it,
 * no data. */
static gboolean is_empty(const char *path, gboolean is_earlier)
{
    g_autofree char *data = g_build_filename(path, "data", NULL);

    return !has_info(path) || (is_earlier && !g_file_test(data, G_FILE_TEST_IS_DIR));
}

static void take_job(StrobeCollect *collect, const char *job, char *path)
{
    const gboolean is_earlier = has_path(collect->found, job);

    if (is_earlier)
        strobe_complain("%s: of an earlier collect that was cut off", path);
    if ((is_earlier || collect->kit) && is_empty(path, is_earlier)) {
        strobe_complain("%s: has no data, as the program was ended at once: removed", path);
        strobe_folder_remove(path);
        g_free(path);
        return;
    }
    if (is_earlier)
        g_ptr_array_add(collect->earlier, path);
    g_ptr_array_add(collect->jobs, path);
}

static gboolean fetch_job(StrobeCollect *collect, const char *job, GError **error)
{
    const guint n_changed = collect->fetched.n_changed;
    char *path = strobe_job_fetch(collect->remote, job, collect->request->output, report_line,
                                  &collect->fetched, error);

    if (!path)
        return FALSE;
    take_job(collect, job, path);
    if (collect->fetched.n_changed > n_changed) {
        strobe_complain("%s: stays on the board, because files of it could not be fetched", job);
        return TRUE;
    }
    return remove_job(collect, job, error);
}

static void explain_no_job(StrobeCollect *collect)
{
    if (!collect->is_on) {
        strobe_complain("switch is off: the program ran without profiling");
        return;
    }
    strobe_complain("the program left no JOB: did it call svp_acl_init with the path of acl.json, "
                    "did it execute a model (loading and unloading alone collect nothing), was "
                    "the model built with --online_model_type=2, and does no other program use "
                    "the NPU?");
    if (!collect->code)
        collect->code = STROBE_EXIT_INPUT;
}

/* Adds the JOBs that the board wrote into the mounted folder to collect->jobs. */
static void take_local(StrobeCollect *collect)
{
    g_autoptr(GPtrArray) jobs = strobe_collect_local_jobs(collect->request->output);
    guint n = 0;

    for (guint i = 0; i < jobs->len; i++)
        if (!has_path(collect->local, g_ptr_array_index(jobs, i))) {
            g_ptr_array_add(collect->jobs, g_strdup(g_ptr_array_index(jobs, i)));
            n++;
        }
    if (n == 0)
        explain_no_job(collect);
}

gboolean strobe_collect_fetch_jobs(StrobeCollect *collect, GError **error)
{
    if (collect->is_mounted) {
        take_local(collect);
        return strobe_board_unmount(collect->remote, error);
    }

    g_autoptr(GPtrArray) jobs = strobe_collect_find_jobs(collect, error);
    guint n = 0;

    for (guint i = 0; jobs && i < jobs->len; i++) {
        const char *job = g_ptr_array_index(jobs, i);

        if (!is_new(collect, job))
            continue;
        n += !has_path(collect->found, job);
        if (!fetch_job(collect, job, error))
            return FALSE;
    }
    if (jobs && n == 0)
        explain_no_job(collect);
    return jobs != NULL;
}
