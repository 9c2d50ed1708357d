/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include <unistd.h>
#include "api-error.h"
#include "attach.h"
#include "collector.h"
#include "error.h"
#include "json-text.h"
#include "kind-table.h"
#include "lane.h"
#include "log.h"
#include "recorder.h"
#include "result-directory.h"
#include "sampler.h"
#include "schedule.h"
#include "signal-guard.h"

/* How long late records of a window are waited for when it ends. */
#define FLUSH_DEADLINE_NS 2000000000

struct StrobeSession {
    GRecMutex lock; /* a handler may call back */
    gint n_users;   /* threads inside strobe_step() */
    pid_t pid;      /* a forked child must not touch its parent's session */
    StrobeConfig *config;
    StrobeRegistry *registry;
    GPtrArray *collectors; /* of StrobeCollector */
    StrobeSampler *sampler;
    gboolean is_running;
    gint64 step;
    int action;
    guint64 step_begin;
    StrobeTrackId step_track;
    gint64 thread; /* kernel id of the one that steps */
    StrobeTraceReady on_trace_ready;
    gpointer trace_ready_user;
    StrobeScheduleFunction schedule;
    gpointer schedule_user;
    StrobeResultDirectory *directory; /* of the window that records */
    char *last_directory;
    GPtrArray *diagnostics; /* texts of the session */
    char *diagnostics_text;
};

static StrobeSession *current;
static gint current_pid;    /* apart from it: whoever asks does not hold the session */
static GMutex current_lock; /* for taking and clearing it; not held during a call */

StrobeSession *strobe_session_current(void)
{
    StrobeSession *session = g_atomic_pointer_get(&current);
    return session && g_atomic_int_get(&current_pid) == getpid() ? session : NULL;
}

static GMutex log_lock;

static void in_child(void)
{
    if (!current)
        return;
    strobe_recorder_forget();
    strobe_core_track_reset();
    strobe_log_set_sink(NULL);
    g_mutex_init(&current_lock);
    g_mutex_init(&log_lock); /* a thread that is not here may have held it */
    g_atomic_pointer_set(&current, NULL);
}

/* ---- log ---- */

static GString *log_text;

static void keep_line(gint32 level, const char *text)
{
    static const char *const names[] = {"", "ERROR", "WARNING", "INFO", "DEBUG"};
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree char *time = g_date_time_format(now, "%Y-%m-%d %H:%M:%S");

    g_mutex_lock(&log_lock);
    if (log_text && log_text->len < (1u << 20)) /* a chatty collector must not fill the memory */
        g_string_append_printf(log_text, "[%s.%03d] [%s] %s\n", time,
                               g_date_time_get_microsecond(now) / 1000, names[CLAMP(level, 0, 4)],
                               text);
    g_mutex_unlock(&log_lock);
}

static char *take_log(void)
{
    g_mutex_lock(&log_lock);
    char *text = g_strdup(log_text ? log_text->str : "");
    if (log_text)
        g_string_truncate(log_text, 0);
    g_mutex_unlock(&log_lock);
    return text;
}

/* ---- making ---- */

static gboolean add_collectors(StrobeSession *session, GError **error)
{
    for (guint i = 0; i < session->config->collectors->len; i++) {
        StrobeCollector *c = strobe_collector_new(
            session->registry, g_ptr_array_index(session->config->collectors, i), error);
        if (!c)
            return FALSE;
        g_ptr_array_add(session->collectors, c);
    }
    return TRUE;
}

static gboolean open_recorder(const StrobeConfig *config, GError **error)
{
    g_autofree char *parent =
        g_canonicalize_filename(config->directory ? config->directory : ".", NULL);
    StrobeRecorderSettings settings = {.pool_bytes = (size_t)config->pool_bytes,
                                       .flush_interval_ns = config->flush_interval_ns,
                                       .sync = config->sync,
                                       .fallback_dir = parent};
    StrobeSignalGuard guard;

    strobe_signal_guard_hold(&guard);
    int failed = strobe_recorder_open(&settings);
    if (failed == ENOENT && g_mkdir_with_parents(parent, 0750) == 0)
        failed = strobe_recorder_open(&settings);
    strobe_signal_guard_release(&guard);

    if (failed)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot make a pool of %" G_GINT64_FORMAT " MB in /dev/shm or %s: %s",
                    config->pool_bytes >> 20, settings.fallback_dir, g_strerror(failed));
    return failed == 0;
}

static gboolean set_up(StrobeSession *session, GError **error)
{
    strobe_config_add_defaults(session->config);
    session->registry = strobe_registry_new(NULL);
    return add_collectors(session, error) && open_recorder(session->config, error);
}

/* What came too late for every capture. */
static void tell_late(void)
{
    uint64_t late = strobe_recorder_late();

    if (late)
        strobe_log(STROBE_LOG_WARNING,
                   "%" G_GUINT64_FORMAT " records came after the last window had ended: they are "
                   "lost, and no capture tells of them",
                   late);
}

static void tear_down(StrobeSession *session)
{
    g_ptr_array_unref(session->collectors);
    tell_late();
    strobe_recorder_close();
    strobe_core_track_reset();
    strobe_registry_free(session->registry);
    strobe_config_free(session->config);
    strobe_result_directory_free(session->directory);
    g_ptr_array_unref(session->diagnostics);
    g_free(session->diagnostics_text);
    g_free(session->last_directory);
    g_rec_mutex_clear(&session->lock);
    g_free(session);
}

static StrobeSession *new_session(StrobeConfig *config, GError **error)
{
    static gsize once;
    StrobeSession *session;

    if (strobe_session_current() && !strobe_run_detach()) {
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
    session->pid = getpid();
    session->config = config;
    session->collectors = g_ptr_array_new_with_free_func(strobe_collector_free);
    session->diagnostics = g_ptr_array_new_with_free_func(g_free);
    session->last_directory = g_strdup("");
    if (!set_up(session, error)) {
        tear_down(session);
        return NULL;
    }
    g_mutex_lock(&log_lock);
    if (!log_text)
        log_text = g_string_new(NULL);
    g_string_truncate(log_text, 0);
    g_mutex_unlock(&log_lock);
    strobe_log_set_sink(keep_line);
    g_atomic_int_set(&current_pid, session->pid);
    g_atomic_pointer_set(&current, session);
    return session;
}

StrobeStatus strobe_session_new(const char *config, const char *origin, StrobeSession **session,
                                StrobeError **error)
{
    GError *failure = NULL;
    StrobeConfig *parsed = strobe_config_parse(config, origin, &failure);

    *session = parsed ? new_session(parsed, &failure) : NULL;
    return strobe_api_result(failure, error);
}

void strobe_session_free(StrobeSession *session)
{
    if (!session)
        return;
    if (session->pid != getpid())
        return; /* a forked child: the parent frees it */
    strobe_session_stop(session, NULL);
    g_mutex_lock(&current_lock);
    g_atomic_pointer_set(&current, NULL);
    g_mutex_unlock(&current_lock);
    /* strobe_step() may be in it, from whatever thread. */
    for (guint i = 0; i < 5000 && g_atomic_int_get(&session->n_users); i++)
        g_usleep(1000);
    if (g_atomic_int_get(&session->n_users))
        return; /* called from its own callback: better kept than freed under its feet */
    strobe_log_set_sink(NULL);
    tear_down(session);
}

/* ---- windows ---- */

static void add_diagnostic(StrobeSession *session, const char *component, const char *text)
{
    StrobeWriter *writer = strobe_lane_writer();

    g_ptr_array_add(session->diagnostics, g_strdup(text));
    if (!writer)
        return;
    StrobeStringId name = strobe_lane_intern(writer, component, strlen(component), 0);
    StrobeStringId id = strobe_lane_intern(writer, text, strlen(text), 0);
    struct strobe_diagnostic *fields =
        strobe_lane_reserve(writer, strobe_kind_id(&strobe_kind_diagnostic), strobe_core_track(),
                            name, strobe_clock_now(), 0);
    if (!fields)
        return;
    fields->text = id;
    fields->level = STROBE_LOG_WARNING;
    strobe_lane_commit(writer);
}

/* What is missing in the window that ends. */
static void diagnose(StrobeSession *session)
{
    g_ptr_array_set_size(session->diagnostics, 0);
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        g_autofree char *text = NULL;
        if (c->failure)
            text = g_strdup(c->failure->message);
        else if (c->phase == STROBE_COLLECTOR_PENDING)
            text = g_strdup_printf("collector %s: what it collects from was not loaded into the "
                                   "process",
                                   c->component->name);
        else if (c->has_more)
            text = g_strdup_printf("collector %s: it had more records of the window when the time "
                                   "for late ones (%d s) was over",
                                   c->component->name, (int)(FLUSH_DEADLINE_NS / 1000000000));
        if (text)
            add_diagnostic(session, c->component->name, text);
    }
}

static gboolean check_required(StrobeSession *session, GError **error)
{
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (c->required && c->failure) {
            g_propagate_prefixed_error(error, g_error_copy(c->failure), "A required collector: ");
            return FALSE;
        }
    }
    return TRUE;
}

static void for_collectors(StrobeSession *session, void (*call)(StrobeCollector *))
{
    for (guint i = 0; i < session->collectors->len; i++)
        call(g_ptr_array_index(session->collectors, i));
}

static gboolean begin_capture(StrobeSession *session, GError **error)
{
    g_autofree char *path = NULL;
    int failed, fd;

    session->directory = strobe_result_directory_new(session->config, error);
    if (!session->directory)
        return FALSE;
    fd = strobe_result_directory_capture(session->directory, &path, error);
    if (fd < 0)
        return FALSE;
    g_autofree char *facts = strobe_result_directory_facts(session->directory, session->config);
    failed = strobe_recorder_begin_window(fd, path, facts);
    if (failed) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO, "Cannot write %s: %s", path,
                    g_strerror(failed));
        return FALSE;
    }
    g_free(session->last_directory);
    session->last_directory = g_strdup(session->directory->path);
    strobe_result_directory_report(session->directory, session->config);
    return TRUE;
}

static gboolean open_window(StrobeSession *session, GError **error)
{
    StrobeSignalGuard guard;

    strobe_signal_guard_hold(&guard);
    gboolean ok = begin_capture(session, error);
    if (!ok && session->directory) {
        strobe_result_directory_discard(session->directory);
        session->directory = NULL;
    }
    strobe_signal_guard_release(&guard);
    return ok;
}

static gboolean start_window(StrobeSession *session, GError **error)
{
    for_collectors(session, strobe_collector_open);
    for_collectors(session, strobe_collector_warm);
    if (!check_required(session, error))
        return FALSE;
    if (!open_window(session, error))
        return FALSE;
    for_collectors(session, strobe_collector_tell_calls);
    for_collectors(session, strobe_collector_start);
    session->sampler = strobe_sampler_start(session->collectors);
    return check_required(session, error);
}

static void flush_one(StrobeCollector *c)
{
    strobe_collector_flush(c, FLUSH_DEADLINE_NS);
}

static void stop_window(StrobeSession *session, GError **error)
{
    StrobeSignalGuard guard;
    int failed;

    if (!session->directory)
        return;
    strobe_recorder_mark_end();
    strobe_sampler_stop(session->sampler);
    session->sampler = NULL;
    for_collectors(session, strobe_collector_stop);
    for_collectors(session, flush_one);
    diagnose(session);
    strobe_signal_guard_hold(&guard);
    failed = strobe_recorder_end_window();
    if (failed)
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_IO,
                    "Cannot write the capture in %s: %s: records are missing",
                    session->directory->path, g_strerror(failed));
    g_autofree char *text = take_log();
    strobe_result_directory_finish(session->directory, session->config, text,
                                   error && !*error ? error : NULL);
    strobe_signal_guard_release(&guard);
    g_clear_pointer(&session->directory, strobe_result_directory_free);
}

static void record_step(StrobeSession *session)
{
    static const StrobeTrack track = {
        .struct_size = sizeof track, .type = STROBE_TRACK_STEPS, .device = -1, .name = "Steps"};
    StrobeWriter *writer = strobe_lane_writer();
    char name[48];

    if (!writer || !session->directory)
        return;
    g_snprintf(name, sizeof name, "ProfilerStep#%" G_GINT64_FORMAT, session->step);
    StrobeStringId id = strobe_lane_intern(writer, name, strlen(name), 0);
    struct strobe_step *fields = strobe_lane_reserve(writer, strobe_kind_id(&strobe_kind_step),
                                                     strobe_recorder_track(&track), id,
                                                     session->step_begin, strobe_clock_now());
    if (!fields)
        return;
    fields->number = session->step;
    fields->thread = (guint64)gettid();
    strobe_lane_commit(writer);
}

/* ---- transitions ---- */

static int action_of(StrobeSession *session, gint64 step)
{
    if (session->schedule) {
        int action = (int)session->schedule(session->schedule_user, step);
        return CLAMP(action, STROBE_ACTION_NONE, STROBE_ACTION_RECORD_AND_SAVE);
    }
    if (!session->config->has_schedule)
        return STROBE_ACTION_RECORD;
    return (int)strobe_schedule_action(&session->config->schedule, step);
}

static gboolean has_schedule(const StrobeSession *session)
{
    return session->schedule || session->config->has_schedule;
}

static gboolean change_action(StrobeSession *session, int next, GError **error)
{
    const StrobeTransition *transition = strobe_schedule_transition(session->action, next);
    g_autoptr(GError) failure = NULL;

    session->action = next == STROBE_ACTION_EXIT ? STROBE_ACTION_NONE : next;
    /* A front end with a configuration of its own has told its user in its own form. */
    if ((transition->calls & STROBE_CALL_WARN) && has_schedule(session))
        strobe_log(session->config->front_end ? STROBE_LOG_INFO : STROBE_LOG_WARNING, "%s",
                   transition->warning);
    if (transition->calls & STROBE_CALL_STOP) {
        gboolean was_open = session->directory != NULL;
        stop_window(session, &failure);
        if (was_open && (transition->calls & STROBE_CALL_HANDLER) && session->on_trace_ready)
            session->on_trace_ready(session->trace_ready_user, session->last_directory);
    }
    if (transition->calls & STROBE_CALL_COOL)
        for_collectors(session, strobe_collector_cool);
    if (transition->calls & STROBE_CALL_WARM) {
        for_collectors(session, strobe_collector_open);
        for_collectors(session, strobe_collector_warm);
    }
    if ((transition->calls & STROBE_CALL_START) && !failure)
        start_window(session, &failure);
    if (failure) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return FALSE;
    }
    return TRUE;
}

static gboolean is_own(StrobeSession *session, GError **error)
{
    if (session->pid == getpid())
        return TRUE;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_STATE,
                "The session belongs to process %ld, this is a child of it", (long)session->pid);
    return FALSE;
}

StrobeStatus strobe_session_start(StrobeSession *session, StrobeError **error)
{
    GError *failure = NULL;

    if (!is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    if (!session->is_running) {
        session->is_running = TRUE;
        session->action = STROBE_ACTION_NONE;
        change_action(session, action_of(session, session->step), &failure);
        session->step_begin = strobe_clock_now();
    }
    g_rec_mutex_unlock(&session->lock);
    return strobe_api_result(failure, error);
}

StrobeStatus strobe_session_step(StrobeSession *session, StrobeError **error)
{
    GError *failure = NULL;

    if (!is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    if (!session->is_running) {
        g_set_error(&failure, STROBE_ERROR, STROBE_ERROR_STATE,
                    "Profiler is stopped, step takes no effect!");
    } else {
        record_step(session);
        session->step++;
        change_action(session, action_of(session, session->step), &failure);
        session->step_begin = strobe_clock_now();
    }
    g_rec_mutex_unlock(&session->lock);
    return strobe_api_result(failure, error);
}

StrobeStatus strobe_session_stop(StrobeSession *session, StrobeError **error)
{
    GError *failure = NULL;

    if (!is_own(session, &failure))
        return strobe_api_result(failure, error);
    g_rec_mutex_lock(&session->lock);
    if (session->is_running) {
        if (has_schedule(session)) /* without one, what follows the last step is no step */
            record_step(session);
        session->is_running = FALSE;
        change_action(session, STROBE_ACTION_EXIT, &failure);
    }
    g_rec_mutex_unlock(&session->lock);
    return strobe_api_result(failure, error);
}

void strobe_step(void)
{
    StrobeSession *session;

    if (!strobe_session_current())
        return;
    g_mutex_lock(&current_lock);
    session = strobe_session_current();
    if (session)
        g_atomic_int_inc(&session->n_users);
    g_mutex_unlock(&current_lock);
    if (!session)
        return;
    strobe_session_step(session, NULL);
    g_atomic_int_add(&session->n_users, -1);
}

void strobe_session_retry(StrobeSession *session)
{
    if (session->pid != getpid())
        return;
    g_rec_mutex_lock(&session->lock);
    for (guint i = 0; i < session->collectors->len; i++) {
        StrobeCollector *c = g_ptr_array_index(session->collectors, i);
        if (c->phase != STROBE_COLLECTOR_PENDING || session->action == STROBE_ACTION_NONE)
            continue;
        strobe_collector_open(c);
        strobe_collector_warm(c);
        if (session->directory)
            strobe_collector_start(c);
    }
    g_rec_mutex_unlock(&session->lock);
}

/* ---- the rest ---- */

void strobe_session_on_trace_ready(StrobeSession *session, StrobeTraceReady function, void *user)
{
    session->on_trace_ready = function;
    session->trace_ready_user = user;
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

StrobeStatus strobe_session_add_metadata(StrobeSession *session, const char *key, const char *value,
                                         int json, StrobeError **error)
{
    GError *failure = NULL;
    JsonNode *node = NULL;

    if (!is_own(session, &failure))
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
    g_rec_mutex_unlock(&session->lock);
    return STROBE_OK;
}

const char *strobe_session_diagnostics(StrobeSession *session)
{
    uint64_t lost[STROBE_LOSS_CAUSES];
    guint64 total = 0;

    if (session->pid != getpid())
        return "";
    g_rec_mutex_lock(&session->lock);
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint i = 0; i < session->diagnostics->len; i++)
        g_string_append_printf(out, "%s%s", i ? "\n" : "",
                               (char *)g_ptr_array_index(session->diagnostics, i));
    strobe_recorder_losses(lost);
    for (guint i = 0; i < STROBE_LOSS_CAUSES; i++)
        if (i != STROBE_LOSS_STRING_CUT)
            total += lost[i];
    if (total)
        g_string_append_printf(out, "%s%" G_GUINT64_FORMAT " records were lost; see strobe info",
                               out->len ? "\n" : "", total);
    g_free(session->diagnostics_text);
    session->diagnostics_text = g_strdup(out->str);
    g_rec_mutex_unlock(&session->lock);
    return session->diagnostics_text;
}
