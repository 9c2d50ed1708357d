/* SPDX-License-Identifier: Apache-2.0 */
#include "session-collector.h"

#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include "clock.h"
#include "diagnostic.h"
#include "error.h"
#include "thread-buffer.h"
#include "log.h"
#include "recorder.h"
#include "recording-host.h"
#include "run-link.h"

#define FLUSH_DEADLINE_NS (STROBE_FLUSH_DEADLINE_S * (gint64)1000000000)
#define ASK_AGAIN_US 1000 /* interval of the calls for late records */

struct collector_call_cost {
    const char *call;
    guint64 begin, end;
    StrobeStatus status;
};

/* ---- host table ---- */

static StrobeStatus host_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id)
{
    char text[512] = "";

    *id = strobe_recorder_kind(kind, text, sizeof text);
    if (*id)
        return STROBE_OK;
    return strobe_instance_fail(self, STROBE_ERROR_PLUGIN, __FILE__, __LINE__,
                                "Cannot declare a kind: %s", text);
}

static uint64_t links_of(const StrobeCollector *c)
{
    return (uint64_t)c->number << STROBE_LINK_BITS;
}

static uint64_t host_link_ids(StrobeInstance *self, uint32_t n)
{
    return links_of(self->owner) | STROBE_LINK_DEALT | strobe_recorder_link_ids(n);
}

static uint64_t host_link_of(StrobeInstance *self, uint64_t id)
{
    return id && id < STROBE_LINK_DEALT ? links_of(self->owner) | id : 0;
}

/* No lock is needed, because all collectors exist before the first is opened and until the session
 * ends. */
static uint64_t host_link_for(StrobeInstance *self, const char *collector, uint64_t id)
{
    const StrobeCollector *c = self->owner;

    for (guint i = 0; c->peers && id && id < STROBE_LINK_DEALT && i < c->peers->len; i++) {
        const StrobeCollector *peer = g_ptr_array_index(c->peers, i);
        if (strcmp(peer->component->name, collector) == 0)
            return links_of(peer) | id;
    }
    return 0;
}

static StrobeStatus host_companion(StrobeInstance *self, const char *pattern, char *path,
                                   size_t size)
{
    StrobeCollector *c = self->owner;
    g_autoptr(GError) error = NULL;
    g_autofree char *found = strobe_registry_companion(c->registry, pattern, &error);

    if (!found) {
        strobe_instance_fail(self, STROBE_UNAVAILABLE, __FILE__, __LINE__, "%s", error->message);
        return STROBE_UNAVAILABLE;
    }
    if (g_strlcpy(path, found, size) >= size)
        return strobe_instance_fail(self, STROBE_ERROR_ARGUMENT, __FILE__, __LINE__,
                                    "Cannot return a path of %zu bytes", strlen(found));
    return STROBE_OK;
}

static const char *host_result_directory(StrobeInstance *self)
{
    const StrobeCollector *c = self->owner;

    return c->directory;
}

static int64_t host_pid(StrobeInstance *self)
{
    return strobe_recorder_pid();
}

static const StrobeHost collector_host = {
    .struct_size = sizeof(StrobeHost),
    .abi_minor = STROBE_ABI_MINOR,
    .kind = host_kind,
    STROBE_RECORDING_CALLS,
    .link_ids = host_link_ids,
    .option_bool = strobe_instance_option_bool,
    .option_int = strobe_instance_option_int,
    .option_double = strobe_instance_option_double,
    .option_text = strobe_instance_option_text,
    .companion = host_companion,
    .log = strobe_instance_log,
    .fail = strobe_instance_fail,
    .link_of = host_link_of,
    .result_directory = host_result_directory,
    .link_for = host_link_for,
    .pid = host_pid,
};

/* ---- core records ---- */

/* Records a call and its duration. FALSE: no window records, or this thread cannot record. */
static gboolean record_call(const StrobeCollector *c, const struct collector_call_cost *cost)
{
    return strobe_collector_call_record(c->component->name, cost->call, cost->status, cost->begin,
                                        cost->end);
}

static void keep_call(StrobeCollector *c, const struct collector_call_cost *cost)
{
    if (!record_call(c, cost))
        g_array_append_val(c->calls, *cost);
    if (cost->status < 0 && !c->failure) {
        strobe_instance_set_error(&c->instance, cost->call, cost->status, &c->failure);
        strobe_log(STROBE_LOG_WARNING, "%s", c->failure->message);
    }
}

/* Records the call, keeps its failure and returns its status. STROBE_UNAVAILABLE becomes a failure,
 * because the collector was available when it was opened. */
static StrobeStatus finish_call(StrobeCollector *c, const char *call, guint64 begin,
                                StrobeStatus status)
{
    if (status == STROBE_UNAVAILABLE)
        status = STROBE_ERROR_PLUGIN;
    struct collector_call_cost cost = {call, begin, strobe_clock_now(), status};

    keep_call(c, &cost);
    return status;
}

int strobe_collector_probe(const StrobeCollector *c, const char **reason)
{
    StrobeProbe answer = {.struct_size = sizeof answer, .available = 1};

    if (c->ops->probe)
        c->ops->probe(STROBE_PROBE_PROCESS, &answer);
    *reason = answer.available == 1 ? NULL : answer.reason;
    return answer.available;
}

void strobe_collector_tell_calls(StrobeCollector *c)
{
    for (guint i = 0; i < c->calls->len; i++)
        record_call(c, &g_array_index(c->calls, struct collector_call_cost, i));
    g_array_set_size(c->calls, 0);
}

/* ---- calls of the collector ---- */

/* Logs a line. In the writer process, a collector's warning during a window also becomes a
 * diagnostic of the result. */
static void log_line(StrobeInstance *self, gint32 level, const char *text)
{
    const StrobeCollector *c = self->owner;

    if (c->is_outside && level <= STROBE_LOG_WARNING &&
        g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OPEN) {
        g_autofree char *whole = g_strdup_printf("collector %s: %s", self->component->name, text);
        strobe_diagnostic_record(self->component->name, whole);
    }
    strobe_log(level, "%s: %s", self->component->name, text);
}

gboolean strobe_component_emits(const StrobeComponent *component, const char *kind)
{
    for (guint i = 0; i < component->n_kinds; i++)
        if (g_str_equal(component->kinds[i]->name, kind))
            return TRUE;
    return FALSE;
}

StrobeCollector *strobe_collector_new(StrobeRegistry *registry, const StrobeConfigComponent *wanted,
                                      GError **error)
{
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, error);

    if (!component) {
        g_prefix_error(error, "%s: ", wanted->origin);
        return NULL;
    }
    StrobeCollector *c = g_new0(StrobeCollector, 1);
    c->registry = registry;
    c->component = component;
    c->ops = component->ops;
    c->required = wanted->required;
    c->is_default = wanted->is_default;
    c->calls = g_array_new(FALSE, FALSE, sizeof(struct collector_call_cost));
    if (!strobe_instance_init(&c->instance, component, wanted, log_line, c, error)) {
        g_array_unref(c->calls);
        g_free(c);
        return NULL;
    }
    return c;
}

void strobe_collector_free(gpointer collector)
{
    StrobeCollector *c = collector;

    if (g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OPEN)
        c->ops->close(c->state);
    strobe_instance_clear(&c->instance);
    g_clear_error(&c->failure);
    g_array_unref(c->calls);
    g_free(c);
}

void strobe_collector_open(StrobeCollector *c)
{
    guint64 begin = strobe_clock_now();

    if (g_atomic_int_get(&c->phase) != STROBE_COLLECTOR_PENDING)
        return;
    /* Drops the reason why an earlier open returned STROBE_AGAIN. */
    g_free(strobe_instance_take_causes(&c->instance));
    strobe_run_opening(c->component->name);
    StrobeStatus status = c->ops->open(&collector_host, &c->instance, &c->state);
    strobe_run_opening(NULL);
    if (status == STROBE_AGAIN)
        return;
    finish_call(c, "open", begin, status > 0 ? STROBE_ERROR_PLUGIN : status);
    g_atomic_int_set(&c->phase,
                     status == STROBE_OK ? STROBE_COLLECTOR_OPEN : STROBE_COLLECTOR_FAILED);
}

/* Is the collector open and without a failure? A collector that failed later gets no further calls
 * except close. */
static gboolean is_usable(const StrobeCollector *c)
{
    return g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OPEN && !c->failure;
}

void strobe_collector_warm(StrobeCollector *c)
{
    if (!is_usable(c) || c->is_warm)
        return;
    c->is_warm = TRUE;
    if (c->ops->warm) {
        guint64 begin = strobe_clock_now();
        finish_call(c, "warm", begin, c->ops->warm(c->state));
    }
}

void strobe_collector_start(StrobeCollector *c)
{
    strobe_collector_warm(c);
    if (!is_usable(c) || c->is_started)
        return;
    guint64 begin = strobe_clock_now();
    /* If start returns STROBE_AGAIN, the collector begins to record later in the window. */
    c->is_started = finish_call(c, "start", begin, c->ops->start(c->state)) >= 0;
}

void strobe_collector_stop(StrobeCollector *c)
{
    if (c->is_paused) /* a paused collector has already stopped and delivered its late records */
        c->is_started = c->is_paused = FALSE;
    if (!c->is_started)
        return;
    guint64 begin = strobe_clock_now();
    finish_call(c, "stop", begin, c->ops->stop(c->state));
}

gboolean strobe_collector_needs_end(const StrobeCollector *c)
{
    return c->is_started && (c->ops->flush || c->ops->sample);
}

/* Makes one call of flush. TRUE: the collector may have more late records. */
static gboolean flush_once(StrobeCollector *c)
{
    if (!c->is_draining)
        return FALSE;
    StrobeStatus status = c->ops->flush(c->state, c->flush_deadline);
    if (status == STROBE_AGAIN && strobe_clock_now() < c->flush_deadline &&
        g_get_monotonic_time() < c->flush_until_us)
        return TRUE;
    c->is_draining = FALSE;
    c->has_more = status == STROBE_AGAIN;
    finish_call(c, "flush", c->flush_begin, status);
    return FALSE;
}

void strobe_collector_pause(StrobeCollector *c)
{
    if (!c->is_started || c->is_paused)
        return;
    strobe_collector_stop(c);
    strobe_collector_begin_flush(c);
    while (flush_once(c))
        g_usleep(ASK_AGAIN_US);
    c->is_started = c->is_paused = TRUE;
}

void strobe_collector_resume(StrobeCollector *c)
{
    if (!c->is_paused)
        return;
    c->is_started = c->is_paused = FALSE;
    strobe_collector_start(c);
}

gboolean strobe_collector_begin_flush(StrobeCollector *c)
{
    if (!c->is_started)
        return FALSE;
    c->is_started = FALSE;
    c->has_more = FALSE;
    c->is_draining = c->ops->flush != NULL;
    c->flush_begin = strobe_clock_now();
    c->flush_deadline = c->flush_begin + (guint64)((double)FLUSH_DEADLINE_NS * strobe_clock_rate());
    c->flush_until_us = g_get_monotonic_time() + FLUSH_DEADLINE_NS / 1000;
    return c->is_draining;
}

gboolean strobe_collectors_begin_flush(const GPtrArray *collectors)
{
    gboolean has_late = FALSE;

    for (guint i = 0; i < collectors->len; i++)
        has_late |= strobe_collector_begin_flush(g_ptr_array_index(collectors, i));
    return has_late;
}

/* Calls the collectors' flush in turn, so that no collector waits for another collector's
 * device. */
void strobe_collectors_flush(const GPtrArray *collectors)
{
    gboolean has_more = TRUE;

    while (has_more) {
        has_more = FALSE;
        for (guint i = 0; i < collectors->len; i++)
            has_more |= flush_once(g_ptr_array_index(collectors, i));
        if (has_more)
            g_usleep(ASK_AGAIN_US);
    }
}

void strobe_collector_cool(StrobeCollector *c)
{
    if (g_atomic_int_get(&c->phase) != STROBE_COLLECTOR_OPEN || !c->is_warm)
        return;
    c->is_warm = FALSE;
    if (c->ops->cool) {
        guint64 begin = strobe_clock_now();
        c->ops->cool(c->state);
        finish_call(c, "cool", begin, STROBE_OK);
    }
}
