/* SPDX-License-Identifier: Apache-2.0 */
/* The input has the files of a JOB directory, except captures, which fuzz-reader reads. The
 * importer must keep its contract for any content. */
#include "folder-input.h"
#include "fuzz.h"

const char fuzz_target[] = "svp-job";

static const char *const names[] = {
    "info.json.0",
    "info.json.1",
    "data/m.1.net.info",
    "data/AclModule.0.m.1",
    "data/AclModule.0.m.1.done",
    "data/AAcore.0.m.1.1.1.0.slice_2",
    "data/AAcore.0.m.1.1.1.0.slice_2.done",
    "timeline/task_time_0.m.1.4.json",
    "timeline/acl_0.m.1.4.json",
    "summary/op_summary_0.m.1.4.4.0.3_25.1000.csv",
    "summary/op_summary_0.m.1.4.4.8.NA.NA.csv",
    "summary/acl_statistic_0_1_1.csv",
    "data/AclModule.acl.0.slice_0",
};

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    folder_input_import(bytes, n, names, G_N_ELEMENTS(names));
    return 0;
}
