/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnostic.h"

#include <stdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include <strobe/plugin.h>
#include "clock.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "recorder.h"

static StrobeTrackId core_track;

StrobeTrackId strobe_core_track(void)
{
    static const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_PROCESS, .device = -1, .name = "Strobe"};

    if (!core_track)
        core_track = strobe_recorder_track(&track);
    return core_track;
}

void strobe_core_track_reset(void)
{
    core_track = 0;
}

void strobe_diagnostic_record(const char *component, const char *text)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();

    if (!writer)
        return;
    StrobeStringId name = strobe_thread_buffer_intern(writer, component, strlen(component), 0);
    StrobeStringId id = strobe_thread_buffer_intern(writer, text, strlen(text), 0);
    struct strobe_diagnostic *fields =
        strobe_thread_buffer_reserve(writer, strobe_kind_id(&strobe_kind_diagnostic),
                                     strobe_core_track(), name, strobe_clock_now(), 0);
    if (!fields)
        return;
    fields->text = id;
    fields->level = STROBE_LOG_WARNING;
    strobe_thread_buffer_commit(writer);
}

int strobe_collector_call_record(const char *component, const char *call, StrobeStatus status,
                                 StrobeTicks begin, StrobeTicks end)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    char name[256];

    if (!writer)
        return 0;
    snprintf(name, sizeof name, "%s.%s", component, call);
    StrobeStringId id = strobe_thread_buffer_intern(writer, name, strlen(name), 0);
    struct strobe_collector_call *fields = strobe_thread_buffer_reserve(
        writer, strobe_kind_id(&strobe_kind_collector_call), strobe_core_track(), id, begin, end);
    if (!fields)
        return 1;
    fields->status = status;
    strobe_thread_buffer_commit(writer);
    return 1;
}
