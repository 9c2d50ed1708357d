/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the steps of `strobe svp collect --dry-run`. */
#include <stdio.h>

#include "board-target.h"
#include "collect.h"
#include "command.h"
#include "project-files.h"
#include "terminal.h"

static void print_files(const StrobeCollectRequest *request, const GPtrArray *files)
{
    guint64 n_bytes = 0;

    for (guint i = 0; i < files->len; i++)
        n_bytes += ((const StrobeProjectFile *)g_ptr_array_index(files, i))->n_bytes;
    g_autofree char *text = strobe_text_bytes(n_bytes);
    printf("send %s: %u files, %s, less those that are there\n", request->project, files->len,
           text);
    for (guint i = 0; i < files->len; i++)
        printf("  %s\n", ((const StrobeProjectFile *)g_ptr_array_index(files, i))->name);
}

static void print_run(const StrobeCollectRequest *request, const char *config)
{
    g_autofree char *words = g_strjoinv(" ", request->words + 1);

    printf("send %s:\n%s\n", request->acl_name, config);
    printf("run %s%s%s in its folder\n", request->main_name, *words ? " " : "", words);
    printf("fetch the new JOBs into %s\n", request->output);
    if (request->does_all)
        printf("make sqlite, timeline and summary in them\n");
    if (!request->keeps)
        printf("remove them on the board\n");
}

int strobe_collect_describe(const StrobeCollectRequest *request)
{
    GError *error = NULL;
    gboolean is_on;
    g_autoptr(StrobeTarget) target = strobe_board_target(request->config, request->target, &error);
    g_autoptr(GPtrArray) files =
        target ? strobe_project_files_list(request->project, &error) : NULL;
    g_autofree char *config =
        files ? strobe_board_config_make(request->acl_json, &request->keys,
                                         "<work folder>/profiling", &is_on, &error)
              : NULL;

    if (!config)
        return strobe_command_fail(error);
    printf("connect to %s@%s, port %u\n", target->user ? target->user : "", target->host,
           target->port);
    print_files(request, files);
    print_run(request, config);
    return STROBE_EXIT_OK;
}
