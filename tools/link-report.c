/* SPDX-License-Identifier: Apache-2.0 */
#include "link-report.h"

#include <stdio.h>

#include "command.h"
#include "row-report.h"

/* Whether the capture has records of the kinds that can be linked to their causes on another thread
 * or processor. */
static gboolean has_links(const StrobeContents *contents)
{
    static const char *const kinds[] = {"device_task", "comm_op", "task_queue", NULL};

    for (guint i = 0; i < contents->kinds->len; i++)
        if (g_strv_contains(kinds, ((StrobeKindCount *)contents->kinds->pdata[i])->name))
            return TRUE;
    return FALSE;
}

StrobeRows *strobe_links_read(StrobeRegistry *registry, const StrobeResult *result,
                              const StrobeContents *contents, gboolean raw)
{
    const StrobeRowsRequest request = {.kind = "correlation", .limit = STROBE_ROWS_MAX, .raw = raw};

    if (!contents->stats.sealed || !has_links(contents))
        return NULL;
    StrobeRows *rows = strobe_rows_new(&request);
    StrobeShowConsumer *consumer = strobe_show_consumer_new("info");
    g_autoptr(GError) error = NULL;
    strobe_show_consumer_add(consumer, strobe_rows_table(rows));
    if (!strobe_show_consumer_run(consumer, registry, result, NULL, FALSE, &error)) {
        strobe_complain("%s: %s", result->capture, error->message);
        g_clear_pointer(&rows, strobe_rows_free);
    }
    strobe_show_consumer_free(consumer);
    return rows;
}

void strobe_links_print(const StrobeRows *links)
{
    if (!links || links->n_rows == 0)
        return;
    putchar('\n');
    strobe_rows_print(links);
}

void strobe_links_write(StrobeJsonWriter *json, const StrobeRows *links)
{
    if (links) {
        strobe_rows_write(json, links);
        return;
    }
    strobe_json_begin_array(json);
    strobe_json_end_array(json);
}
