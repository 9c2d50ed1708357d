/* SPDX-License-Identifier: Apache-2.0 */
#include "python-events.h"

#include <string.h>

#define MODULE "nn.Module: "
#define CALLS_LAST ((gint64)1 << 62)

static void add_event(StrobeExternalSorter *events, gint64 order, const PythonEvent *event)
{
    strobe_external_sorter_add(events, (StrobeSortKey){event->at_ns, order}, event, sizeof *event);
}

/* At the same time, inner calls return before outer ones, then outer calls begin before inner ones.
 * A call takes at least 1 ns, because otherwise its return would be sorted before its begin. */
void python_events_add(StrobeExternalSorter *events, gint64 begin_ns, gint64 end_ns, guint64 thread,
                       guint64 pid, guint64 key)
{
    const gint64 last_ns = MAX(end_ns, begin_ns + 1);
    PythonEvent event = {.at_ns = begin_ns, .thread = thread, .pid = pid, .key = key};

    add_event(events, CALLS_LAST - last_ns, &event);
    event.at_ns = last_ns;
    event.is_return = TRUE;
    add_event(events, -begin_ns, &event);
}

char *python_events_text(const char *name)
{
    const char *number = strrchr(name, '_');
    guint64 value;

    if (!g_str_has_prefix(name, MODULE) || !number ||
        !g_ascii_string_to_unsigned(number + 1, 10, 0, G_MAXUINT32, &value, NULL))
        return g_strdup(name);
    return g_strdup_printf("%.*s######%" G_GUINT64_FORMAT, (int)(number - name - strlen(MODULE)),
                           name + strlen(MODULE), value + 1);
}
