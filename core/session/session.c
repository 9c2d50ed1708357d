/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "api-error.h"
#include "config-file.h"
#include "diagnostic.h"
#include "error.h"
#include "json-text.h"
#include "thread-buffer.h"
#include "log.h"
#include "process.h"
#include "recorder.h"
#include "session-log.h"
#include "signal-guard.h"
#include "writer-setup.h"

#define POOL_BYTES_FOR_MARKS (32 << 20)

static StrobeSession *current;
/* pid of `current`, separate because its readers do not hold the session */
static gint current_pid;
static GMutex current_lock; /* for reading and clearing `current`; not held during a call */

StrobeSession *strobe_session_current(void)
{
    StrobeSession *session = g_atomic_pointer_get(&current);
    return session && g_atomic_int_get(&current_pid) == strobe_process_id() ? session : NULL;
}

StrobeSession *strobe_session_recording(void)
{
    return strobe_thread_buffer_is_gate_open() ? g_atomic_pointer_get(&current) : NULL;
}

/* In a forked child: resets the global state directly, not through the session, because a session
 * that is being made or freed is not `current`, and must not stay half open. */
static void in_child(void)
{
    strobe_recorder_forget();
    strobe_flight_forget();
    strobe_core_track_reset();
    strobe_session_log_reset();
    g_mutex_init(&current_lock);
    g_atomic_pointer_set(&current, NULL);
}

/* ---- making and freeing ---- */

static gboolean add_collectors(StrobeSession *session, GError **error)
{
    for (guint i = 0; i < session->config->collectors->len; i++) {
        StrobeCollector *c = strobe_collector_new(
            session->registry, g_ptr_array_index(session->config->collectors, i), error);
        if (!c)
            return FALSE;
        c->number = i + 1;
        c->peers = session->collectors;
        g_ptr_array_add(session->collectors, c);
    }
    return TRUE;
}

/* Checks the exporters' names and options now, so that an error does not appear only in the
 * analysis, hours later. The default exporters need no check. */
static gboolean check_exporters(const StrobeSession *session, GError **error)
{
    const GPtrArray *exporters = session->config->exporters;

    for (guint i = 0; i < exporters->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(exporters, i);
        if (wanted->is_mapped || g_str_equal(wanted->origin, "default"))
            continue;
        const StrobeComponent *component = strobe_registry_find(
            session->registry, STROBE_COMPONENT_EXPORTER, wanted->name, NULL, error);
        if (!component || !strobe_instance_check_options(component, wanted, error)) {
            g_prefix_error(error, "%s: ", wanted->origin);
            return FALSE;
        }
    }
    return TRUE;
}

static void set_recorder_error(const StrobeConfig *config, const char *parent, int failed,
                               GError **error)
{
    if (failed == EAGAIN) /* RLIMIT_NPROC: neither a process nor a thread can be started */
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot start a process or a thread that writes the capture: %s (ulimit -u)",
                    g_strerror(failed));
    else
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot make a pool of %" G_GINT64_FORMAT " MB in /dev/shm or %s: %s",
                    config->buffer.bytes >> 20, parent, g_strerror(failed));
}

/* Warns if the pool takes much of a limited address space: the program's allocations would fail,
 * perhaps only much later. */
static void warn_of_small_address_space(gint64 pool_bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur / 8 > (rlim_t)pool_bytes)
        return;
    strobe_log(STROBE_LOG_WARNING,
               "The address space is limited to %" G_GUINT64_FORMAT " MB (ulimit -v), and the "
               "buffer takes %" G_GINT64_FORMAT " MB of it: the program may find too little "
               "memory (buffer.size)",
               (guint64)limit.rlim_cur >> 20, pool_bytes >> 20);
}

/* Chooses a size for the pool if none is given: if all collectors of `strobe run` record in the
 * writer process, the program itself records only marks, and starts sooner with a smaller pool. */
static void choose_pool(StrobeSession *session, const GArray *outside)
{
    StrobeBufferConfig *buffer = &session->config->buffer;
    gboolean is_for_marks = session->config->is_from_run &&
                            outside->len == session->collectors->len &&
                            buffer->policy == STROBE_POLICY_DROP;

    if (!buffer->bytes)
        buffer->bytes = is_for_marks ? POOL_BYTES_FOR_MARKS : STROBE_BUFFER_DEFAULT_BYTES;
}

static gboolean open_recorder(StrobeSession *session, GError **error)
{
    const StrobeConfig *config = session->config;
    g_autoptr(GPtrArray) kinds = g_ptr_array_new();
    g_autoptr(GArray) outside = strobe_session_find_outside(session, kinds);

    choose_pool(session, outside);
    g_autofree char *setup =
        strobe_writer_setup_text(config, session->registry, outside, session->target);
    g_autofree char *parent =
        g_canonicalize_filename(config->directory ? config->directory : ".", NULL);
    const StrobeRotateConfig *rotate = &config->rotate;
    StrobeRecorderSettings settings = {
        .pool_bytes = (size_t)config->buffer.bytes,
        .writer = {.flush_interval_ns = config->buffer.flush_interval_ns,
                   .sync = config->buffer.sync,
                   .policy = config->buffer.policy,
                   .ring_ns = config->buffer.keep_ns,
                   .compress = config->buffer.compress,
                   .rotation = {.bytes = (guint64)rotate->bytes,
                                .ns = rotate->ns,
                                .on_demand = rotate->steps != 0,
                                .keep = (guint32)MIN(rotate->keep, G_MAXUINT32)}},
        .may_start_process = TRUE,
        .fallback_dir = parent,
        .kinds = (const StrobeKind *const *)kinds->pdata,
        .n_kinds = kinds->len,
        .setup = setup,
        .make_dump = strobe_dump_maker_make,
        .user = &session->dump_maker};
    StrobeSignalGuard guard;

    if (config->buffer.policy == STROBE_POLICY_RING)
        session->dump_maker.setup = strobe_writer_setup_parse(setup, NULL);
    strobe_signal_guard_hold(&guard);
    int failed = strobe_recorder_open(&settings);
    if (failed == ENOENT && g_mkdir_with_parents(parent, 0750) == 0)
        failed = strobe_recorder_open(&settings);
    strobe_signal_guard_release(&guard);
    int ignored;
    if (failed == 0 && strobe_recorder_has_process(&ignored))
        strobe_session_place_outside(session, outside);
    if (failed)
        set_recorder_error(config, parent, failed, error);
    else
        warn_of_small_address_space(config->buffer.bytes);
    return failed == 0;
}

static gboolean set_up(StrobeSession *session, GError **error)
{
    strobe_config_add_defaults(session->config);
    session->registry = strobe_registry_new(NULL);
    return strobe_config_check(session->config, error) && add_collectors(session, error) &&
           (session->config->is_from_run || check_exporters(session, error)) &&
           open_recorder(session, error);
}

/* Reports records that came after the last window had ended and are in no capture. */
static void tell_late(void)
{
    uint64_t late = strobe_recorder_late();

    if (late)
        strobe_log(STROBE_LOG_WARNING,
                   "%" G_GUINT64_FORMAT " records came after the last window had ended: they are "
                   "lost, and no capture counts them",
                   late);
}

static void tear_down(StrobeSession *session)
{
    strobe_session_await_endings(session, 0, NULL);
    g_ptr_array_unref(session->collectors);
    tell_late();
    strobe_recorder_close();
    strobe_writer_setup_free(session->dump_maker.setup);
    strobe_core_track_reset();
    strobe_registry_free(session->registry);
    strobe_config_free(session->config);
    strobe_result_directory_free(session->directory);
    g_ptr_array_unref(session->diagnostics);
    g_free(session->diagnostics_text);
    g_free(session->last_directory);
    g_free(session->last_dump);
    g_ptr_array_unref(session->endings);
    g_rec_mutex_clear(&session->lock);
    g_free(session);
}

static void tell_writer(void)
{
    int error;

    if (!strobe_recorder_has_process(&error) && error)
        strobe_log(STROBE_LOG_INFO,
                   "No process could be started to write the capture: %s. A thread of the program "
                   "writes it",
                   g_strerror(error));
}

/* Ends the current session if `strobe run` made it, because the program opens its own session.
 * FALSE: the current session was made by the program. */
static gboolean end_attached_session(void)
{
    StrobeSession *session = strobe_session_current();

    if (!session || !session->is_attached)
        return !session;
    strobe_log(STROBE_LOG_WARNING, "The program opens its own session: the session of strobe run "
                                   "ends here");
    strobe_session_free(session);
    return TRUE;
}

static StrobeSession *new_session(StrobeConfig *config, pid_t target, GError **error)
{
    static gsize once;
    StrobeSession *session;

    if (!end_attached_session()) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                    "A session is open in this process already (one at a time)");
        strobe_config_free(config);
        return NULL;
    }
    if (g_once_init_enter(&once)) {
        pthread_atfork(NULL, NULL, in_child);
        g_once_init_leave(&once, 1);
    }
    session = g_new0(StrobeSession, 1);
    g_rec_mutex_init(&session->lock);
    session->pid = strobe_process_id();
    session->target = target;
    session->config = config;
    session->collectors = g_ptr_array_new_with_free_func(strobe_collector_free);
    session->diagnostics = g_ptr_array_new_with_free_func(g_free);
    session->endings = g_ptr_array_new_with_free_func(strobe_session_ending_free);
    session->last_directory = g_strdup("");
    if (!set_up(session, error)) {
        tear_down(session);
        return NULL;
    }
    strobe_session_log_begin();
    tell_writer();
    for (guint i = 0; i < config->warnings->len; i++)
        strobe_log(STROBE_LOG_WARNING, "%s", (char *)g_ptr_array_index(config->warnings, i));
    g_atomic_int_set(&current_pid, session->pid);
    g_atomic_pointer_set(&current, session);
    return session;
}

StrobeStatus strobe_session_new(const char *config, const char *origin, StrobeSession **session,
                                StrobeError **error)
{
    return strobe_session_make(config, origin, FALSE, 0, session, error);
}

StrobeStatus strobe_session_make(const char *config, const char *origin, gboolean is_from_run,
                                 pid_t target, StrobeSession **session, StrobeError **error)
{
    GError *failure = NULL;
    StrobeConfig *parsed = strobe_config_parse(config, origin, &failure);

    if (parsed)
        parsed->is_from_run = is_from_run;
    *session = parsed ? new_session(parsed, target, &failure) : NULL;
    return strobe_api_result(failure, error);
}

/* Warns that the session is not freed: strobe_session_free has no return value, and until it
 * succeeds no other session can be made. */
static void refuse_free(void)
{
    strobe_log(STROBE_LOG_WARNING,
               "The session is not freed: a function that it calls has not returned yet. Free it "
               "when the function has returned; until then no other session can be made");
}

void strobe_session_free(StrobeSession *session)
{
    if (!session)
        return;
    if (session->pid != strobe_process_id())
        return; /* in a forked child: the session belongs to the parent, which frees it */
    if (strobe_session_is_calling(session)) {
        refuse_free(); /* a session that is in use must not be freed */
        return;
    }
    strobe_session_stop(session, NULL);
    g_mutex_lock(&current_lock);
    g_atomic_pointer_set(&current, NULL);
    g_mutex_unlock(&current_lock);
    /* Waits for threads that hold the session. */
    for (guint i = 0; i < 5000 && g_atomic_int_get(&session->n_users); i++)
        g_usleep(1000);
    /* The session is still held by one of its callbacks, or by a thread in a library that hangs. */
    if (g_atomic_int_get(&session->n_users)) {
        refuse_free();
        return;
    }
    strobe_flight_stop(g_steal_pointer(&session->flight));
    strobe_session_log_end();
    tear_down(session);
}

gboolean strobe_session_is_own(StrobeSession *session, GError **error)
{
    if (!session) {
        g_set_error_literal(error, STROBE_ERROR, STROBE_ERROR_ARGUMENT, "There is no session");
        return FALSE;
    }
    if (session->pid == strobe_process_id())
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                "The session belongs to process %ld, this is a child of it", (long)session->pid);
    return FALSE;
}

/* ---- threads that hold the session ---- */

StrobeSession *strobe_session_hold(void)
{
    if (!strobe_session_current())
        return NULL;
    g_mutex_lock(&current_lock);
    StrobeSession *session = strobe_session_current();
    if (session)
        g_atomic_int_inc(&session->n_users);
    g_mutex_unlock(&current_lock);
    return session;
}

void strobe_session_let_go(StrobeSession *session)
{
    g_atomic_int_add(&session->n_users, -1);
}

/* ---- collectors ---- */

void strobe_session_retry(StrobeSession *session)
{
    if (session->pid != strobe_process_id())
        return;
    g_rec_mutex_lock(&session->lock);
    strobe_session_open_late(session);
    g_rec_mutex_unlock(&session->lock);
}

static StrobeCollector *find_collector(StrobeSession *session, const char *name)
{
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (!g_strcmp0(c->component->name, name))
            return c;
    }
    return NULL;
}

/* Pauses or resumes a collector in this process. Stops the sampler first, because no thread may
 * sample a collector that is stopped. The caller holds the lock. */
static void toggle_inside(StrobeSession *session, StrobeCollector *c, gboolean is_on)
{
    gboolean is_sampled = session->directory && c->ops->sample;

    if (is_sampled)
        strobe_sampler_stop(g_steal_pointer(&session->sampler));
    if (is_on)
        strobe_collector_resume(c);
    else
        strobe_collector_pause(c);
    if (is_sampled)
        session->sampler = strobe_sampler_start(session->collectors);
}

StrobeStatus strobe_session_toggle(StrobeSession *session, const char *collector, int is_on,
                                   StrobeError **error)
{
    GError *failure = NULL;

    if (!strobe_session_is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    StrobeCollector *c = find_collector(session, collector);
    if (!c)
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_ARGUMENT,
                    "The session has no collector %s", collector ? collector : "(null)");
    else if (g_atomic_int_get(&c->phase) == STROBE_COLLECTOR_OUTSIDE)
        strobe_recorder_pause(c->number, !is_on);
    else
        toggle_inside(session, c, is_on);
    g_rec_mutex_unlock(&session->lock);
    return strobe_api_result(failure, error);
}

/* ---- other functions of the interface ---- */

void strobe_session_on_trace_ready(StrobeSession *session, StrobeTraceReady function, void *user)
{
    g_rec_mutex_lock(&session->lock);
    session->on_trace_ready = function;
    session->trace_ready_user = user;
    g_rec_mutex_unlock(&session->lock);
}

void strobe_session_on_window_end(StrobeSession *session, StrobeTraceReady function, void *user)
{
    g_rec_mutex_lock(&session->lock);
    session->on_window_end = function;
    session->window_end_user = user;
    g_rec_mutex_unlock(&session->lock);
}

void strobe_session_set_schedule(StrobeSession *session, StrobeScheduleFunction function,
                                 void *user)
{
    session->schedule = function;
    session->schedule_user = user;
}

int64_t strobe_session_step_number(const StrobeSession *session)
{
    return session->step;
}

StrobeAction strobe_session_action(const StrobeSession *session)
{
    return (StrobeAction)session->action;
}

const char *strobe_session_directory(const StrobeSession *session)
{
    return session->last_directory;
}

/* Rewrites the metadata files now, so that they are in the result even if the program ends within
 * the window. */
static void update_files(StrobeSession *session)
{
    StrobeSignalGuard guard;

    if (!session->directory)
        return;
    strobe_signal_guard_hold(&guard);
    strobe_result_directory_update(session->directory, session->config);
    strobe_signal_guard_release(&guard);
}

StrobeStatus strobe_session_add_metadata(StrobeSession *session, const char *key, const char *value,
                                         int json, StrobeError **error)
{
    GError *failure = NULL;
    JsonNode *node = NULL;

    if (!strobe_session_is_own(session, &failure))
        return strobe_api_result(failure, error);
    if (!key || !value || !g_utf8_validate(key, -1, NULL) || !g_utf8_validate(value, -1, NULL)) {
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_ARGUMENT,
                    "The key and value of metadata must be UTF-8 text");
        return strobe_api_result(failure, error);
    }
    if (json) {
        node = strobe_json_parse_value(value, strlen(value), key, &failure);
        if (!node) {
            failure->code = STROBE_ERROR_ARGUMENT;
            return strobe_api_result(failure, error);
        }
    } else {
        node = json_node_alloc();
        json_node_init_string(node, value);
    }
    g_rec_mutex_lock(&session->lock);
    json_object_set_member(session->config->metadata, key, node);
    update_files(session);
    g_rec_mutex_unlock(&session->lock);
    return STROBE_OK;
}

const char *strobe_session_diagnostics(StrobeSession *session)
{
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 total = 0;

    if (!session || session->pid != strobe_process_id())
        return "";
    g_rec_mutex_lock(&session->lock);
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint i = 0; i < session->diagnostics->len; i++)
        g_string_append_printf(out, "%s%s", i ? "\n" : "",
                               (char *)g_ptr_array_index(session->diagnostics, i));
    g_autoptr(GError) failure = NULL;
    if (!strobe_session_await_endings(session, 0, &failure))
        g_string_append_printf(out, "%s%s", out->len ? "\n" : "", failure->message);
    strobe_recorder_losses(lost);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        if (i != STROBE_LOSS_STRING_CUT && i != STROBE_LOSS_OVERWRITTEN)
            total += lost[i];
    if (total)
        g_string_append_printf(out, "%s%" G_GUINT64_FORMAT " records were lost; see strobe info",
                               out->len ? "\n" : "", total);
    g_free(session->diagnostics_text);
    session->diagnostics_text = g_strdup(out->str);
    g_rec_mutex_unlock(&session->lock);
    return session->diagnostics_text;
}
