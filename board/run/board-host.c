/* SPDX-License-Identifier: Apache-2.0 */
#include "board-host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board-report.h"
#include "diagnostic.h"
#include "recorder.h"
#include "recording-host.h"

/* ---- options ---- */

static const char *host_option_text(StrobeInstance *self, const char *name)
{
    const char *value = board_instance_option(self, name);

    return value ? value : "";
}

static int32_t host_option_bool(StrobeInstance *self, const char *name)
{
    return strcmp(host_option_text(self, name), "1") == 0;
}

static int64_t host_option_int(StrobeInstance *self, const char *name)
{
    return strtoll(host_option_text(self, name), NULL, 10);
}

static double host_option_double(StrobeInstance *self, const char *name)
{
    return strtod(host_option_text(self, name), NULL);
}

/* ---- messages ---- */

/* Puts the message before the earlier causes in self->causes, and returns `status`. */
static StrobeStatus host_fail(StrobeInstance *self, StrobeStatus status, const char *file,
                              int32_t line, const char *form, ...)
{
    char before[BOARD_CAUSES_BYTES], text[BOARD_CAUSES_BYTES];
    va_list values;

    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    pthread_mutex_lock(&self->lock);
    memcpy(before, self->causes, sizeof before);
    snprintf(self->causes, sizeof self->causes, "%.500s%s%.500s", text, *before ? ": " : "",
             before);
    pthread_mutex_unlock(&self->lock);
    return status;
}

/* Prints and records a warning or an error. Drops messages of lower levels. */
static void host_log(StrobeInstance *self, int32_t level, const char *form, ...)
{
    char text[BOARD_CAUSES_BYTES], whole[BOARD_CAUSES_BYTES + 128];
    va_list values;

    if (level > STROBE_LOG_WARNING)
        return;
    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    snprintf(whole, sizeof whole, "collector %s: %s", self->name, text);
    strobe_diagnostic_record(self->name, whole);
    board_report("%s", whole);
}

/* ---- kinds, links and properties of the run ---- */

static StrobeStatus host_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id)
{
    char text[512] = "";

    *id = strobe_recorder_kind(kind, text, sizeof text);
    return *id ? STROBE_OK
               : host_fail(self, STROBE_ERROR_PLUGIN, __FILE__, __LINE__,
                           "Cannot declare a kind: %s", text);
}

static uint64_t links_of(const BoardCollector *c)
{
    return (uint64_t)c->number << STROBE_LINK_BITS;
}

static uint64_t host_link_ids(StrobeInstance *self, uint32_t n)
{
    return links_of(self) | STROBE_LINK_DEALT | strobe_recorder_link_ids(n);
}

static uint64_t host_link_of(StrobeInstance *self, uint64_t id)
{
    return id && id < STROBE_LINK_DEALT ? links_of(self) | id : 0;
}

static uint64_t host_link_for(StrobeInstance *self, const char *collector, uint64_t id)
{
    for (unsigned i = 0; i < self->n_all; i++)
        if (strcmp(self->first[i].name, collector) == 0 && id && id < STROBE_LINK_DEALT)
            return links_of(&self->first[i]) | id;
    return 0;
}

static StrobeStatus host_companion(StrobeInstance *self, const char *pattern, char *path,
                                   size_t size)
{
    return host_fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__,
                     "A board's kit has no file \"%s\"", pattern);
}

static const char *host_result_directory(StrobeInstance *self)
{
    return self->directory;
}

static int64_t host_pid(StrobeInstance *self)
{
    return strobe_recorder_pid();
}

const StrobeHost board_host = {
    .struct_size = sizeof(StrobeHost),
    .abi_minor = STROBE_ABI_MINOR,
    .kind = host_kind,
    STROBE_RECORDING_CALLS,
    .link_ids = host_link_ids,
    .option_bool = host_option_bool,
    .option_int = host_option_int,
    .option_double = host_option_double,
    .option_text = host_option_text,
    .companion = host_companion,
    .log = host_log,
    .fail = host_fail,
    .link_of = host_link_of,
    .result_directory = host_result_directory,
    .link_for = host_link_for,
    .pid = host_pid,
};
