/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-export.h"

#include "svp-job.h"
#include "svp-show.h"

static gboolean export_job(const char *path, char **plugin_path, GError **error)
{
    const StrobeSvpOutput outputs[] = {
        strobe_svp_database, strobe_svp_timeline, strobe_svp_summary, {NULL}};
    StrobeSvpJob job;
    gboolean good;

    if (!strobe_svp_job_open(&job, path, plugin_path, error))
        return FALSE;
    job.is_silent = TRUE;
    good = strobe_svp_job_export(&job, outputs, NULL, NULL, error);
    strobe_svp_job_close(&job);
    return good;
}

gboolean strobe_collect_export(const GPtrArray *jobs, char **plugin_path, GError **error)
{
    gboolean good = TRUE;

    for (guint i = 0; i < jobs->len; i++)
        good &= export_job(g_ptr_array_index(jobs, i), plugin_path, good ? error : NULL);
    return good;
}
