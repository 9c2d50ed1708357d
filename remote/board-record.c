/* SPDX-License-Identifier: Apache-2.0 */
#include "board-record.h"

#include "remote-flow.h"

#define RECORD ".strobe-before"
#define ANSWER_MAX (8u << 20)
#define HEAD "JOBs before\n"

static gboolean run_there(StrobeRemote *remote, const char *command, const char *input,
                          GString *answer, GError **error)
{
    g_autofree char *folder = g_shell_quote(remote->folder);
    g_autofree char *text = g_strdup_printf("cd %s || exit 73\n%s", folder, command);

    return strobe_flow_text(remote, "cannot store the list of JOBs on the board", text, input,
                            answer, ANSWER_MAX, error);
}

static gboolean write_record(StrobeRemote *remote, const GPtrArray *jobs, GError **error)
{
    g_autoptr(GString) text = g_string_new(HEAD);
    g_autoptr(GString) answer = g_string_new(NULL);

    for (guint i = 0; i < jobs->len; i++)
        g_string_append_printf(text, "%s\n", (const char *)g_ptr_array_index(jobs, i));
    return run_there(
        remote, "cat >" STROBE_REMOTE_LOCK "/before && mv -f " STROBE_REMOTE_LOCK "/before " RECORD,
        text->str, answer, error);
}

GPtrArray *strobe_board_record_begin(StrobeRemote *remote, const GPtrArray *found, GError **error)
{
    g_autoptr(GString) answer = g_string_new(NULL);
    g_autoptr(GPtrArray) before = g_ptr_array_new_with_free_func(g_free);

    if (!run_there(remote, "[ ! -f " RECORD " ] || cat " RECORD, NULL, answer, error))
        return NULL;
    const gboolean was_cut = g_str_has_prefix(answer->str, HEAD);
    g_auto(GStrv) lines = g_strsplit(answer->str, "\n", -1);
    for (guint i = 0; i < found->len; i++) {
        const char *job = g_ptr_array_index(found, i);

        if (!was_cut || g_strv_contains((const char *const *)lines, job))
            g_ptr_array_add(before, g_strdup(job));
    }
    return write_record(remote, before, error) ? g_steal_pointer(&before) : NULL;
}

gboolean strobe_board_record_end(StrobeRemote *remote, GError **error)
{
    g_autoptr(GString) answer = g_string_new(NULL);

    return run_there(remote, "rm -f " RECORD, NULL, answer, error);
}
