/* SPDX-License-Identifier: Apache-2.0 */
#include "attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/exporter.h>
#include <strobe/helpers/environment.h>
#include <unistd.h>
#include "api-error.h"
#include "session-collector.h"
#include "config-file.h"
#include "error.h"
#include "loaded-objects.h"
#include "log.h"
#include "recorder.h"
#include "registry.h"
#include "result-directory.h"
#include "process.h"
#include "run-claim.h"
#include "run-link.h"
#include "session.h"

/* Locked while a thread decides whether this process records: the program's start, its first mark,
 * the end of a Python import and a call of the loader may happen at the same time in several
 * threads. */
static pthread_mutex_t attaching = PTHREAD_MUTEX_INITIALIZER;

/* Can the collector work in this process? 1: now; 2: perhaps after a library is loaded; 0: no. */
static int can_work(const StrobeComponent *component)
{
    const StrobeCollectorOps *ops = component->ops;
    StrobeProbe answer = {.struct_size = sizeof answer, .available = 1};

    if (ops->probe)
        ops->probe(STROBE_PROBE_PROCESS, &answer);
    return answer.available;
}

int strobe_run_can_collect(const char *collector)
{
    StrobeRegistry *registry = strobe_registry_new(NULL);
    const StrobeComponent *component =
        strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, collector, NULL, NULL);
    int answer = component ? can_work(component) : -1;

    strobe_registry_free(registry);
    return answer;
}

/* May the collector work in this process, as far as known now? */
static gboolean works_here(const StrobeComponent *component, int process)
{
    int answer = can_work(component);

    if (answer != 2)
        return answer == 1;
    /* The collector may work after a library is loaded. Python calls again when PyTorch is
     * imported; until then another process may be the right process to record. */
    return process == STROBE_PROCESS_PYTHON ? strobe_loaded_has("libtorch_cpu.so") == 1
                                            : process != STROBE_PROCESS_STARTING;
}

/* Is it no reason to record this process that the collector works in it? If the process that has
 * the claim samples its children too (`is_sampled`), only a collector of operators is a reason
 * among the default collectors. Otherwise a helper program in Python would take over the run. */
static gboolean is_by_the_way(const StrobeComponent *component, const StrobeConfigComponent *wanted,
                              gboolean is_sampled)
{
    return is_sampled && wanted->is_default && !strobe_component_emits(component, "cpu_op");
}

static gboolean is_claimed_by_other(const char *folder)
{
    StrobeClaim claim;

    return strobe_claim_read(folder, &claim) && !strobe_claim_is_mine(&claim);
}

/* Returns the rank with which this process may claim the run (run-claim.h). */
static int find_reason(const char *folder, const StrobeConfig *config, int process)
{
    gboolean takes_any = g_strcmp0(strobe_environment_get("STROBE_RUN_ANY"), "1") == 0;
    gboolean is_sampled = takes_any && is_claimed_by_other(folder);
    StrobeRegistry *registry = strobe_registry_new(NULL);
    gboolean all_anywhere = TRUE, found = process == STROBE_PROCESS_LINKED;

    for (guint i = 0; i < config->collectors->len; i++) {
        const StrobeConfigComponent *wanted = g_ptr_array_index(config->collectors, i);
        const StrobeComponent *component =
            strobe_registry_find(registry, STROBE_COMPONENT_COLLECTOR, wanted->name, NULL, NULL);
        if (!component || (component->flags & STROBE_COMPONENT_ANY_PROCESS))
            continue;
        all_anywhere = FALSE;
        found |= !is_by_the_way(component, wanted, is_sampled) && works_here(component, process);
    }
    strobe_registry_free(registry);
    return found          ? STROBE_CLAIM_OWN
           : all_anywhere ? STROBE_CLAIM_ANY
           : takes_any    ? STROBE_CLAIM_FOR_NOW
                          : STROBE_CLAIM_NONE;
}

/* Claims the run for this process; FALSE: this process must not record. With --follow every process
 * may record. */
static gboolean claim_run(const char *folder, int reason)
{
    gboolean follow = g_strcmp0(strobe_environment_get("STROBE_RUN_FOLLOW"), "1") == 0;

    return reason != STROBE_CLAIM_NONE && strobe_claim_take(folder, reason, follow);
}

/* Ends the attached session at exit. A writer process does most of this work after the program has
 * ended; a writer thread ends with the program, so the session is freed here. Makes no system call
 * if there is nothing to do, because a seccomp filter may end the program for it. */
static void end_attached(void)
{
    int error;
    gboolean has_process = strobe_recorder_has_process(&error);
    StrobeSession *session = has_process ? strobe_session_recording() : strobe_session_current();

    if (!session || !session->is_attached)
        return;
    if (has_process)
        strobe_session_end_at_exit(session);
    else
        strobe_session_free(session);
}

/* Registers the exit handler as late as possible, so that it runs before the handlers that
 * libraries registered earlier. */
void strobe_run_watch_exit(const StrobeSession *session)
{
    static gint is_registered; /* not g_once, whose locks the collector osrt would record as calls
                                  of the program */
    int error;

    if (!session->is_attached ||
        (strobe_recorder_has_process(&error) && !strobe_session_needs_end(session)))
        return;
    if (g_atomic_int_compare_and_exchange(&is_registered, FALSE, TRUE))
        atexit(end_attached);
}

StrobeSession *strobe_run_session(void)
{
    return strobe_session_current();
}

static gboolean has_claim_for_now(void)
{
    const char *folder = strobe_run_folder();
    StrobeClaim claim;

    return folder && strobe_claim_read(folder, &claim) && claim.rank == STROBE_CLAIM_FOR_NOW &&
           strobe_claim_is_mine(&claim);
}

/* Whether this process has a claim for now, which is read once, because at the program's exit a
 * filter may forbid it. */
static struct {
    pid_t reader; /* 0: not read since the claim was made final */
    gboolean is_for_now;
} claim_seen;

int strobe_run_is_for_now(void)
{
    if (claim_seen.reader != strobe_process_id()) {
        claim_seen.is_for_now = has_claim_for_now();
        claim_seen.reader = strobe_process_id();
    }
    return claim_seen.is_for_now;
}

static StrobeStatus start_session(const char *text, const char *origin, StrobeSession **session,
                                  StrobeError **error)
{
    StrobeStatus status = strobe_session_make(text, origin, TRUE, 0, session, error);

    if (status == STROBE_OK)
        status = strobe_session_start(*session, error);
    if (status != STROBE_OK) {
        strobe_session_free(*session);
        *session = NULL;
    }
    return status;
}

/* Makes the claim final, and updates the collectors' diagnostics about missing data, which depend
 * on the claim. Does not wait for the session's lock: a thread that has the lock may wait for this
 * thread. */
static void confirm_claim(const char *folder)
{
    StrobeSession *session = strobe_session_hold();

    strobe_claim_confirm(folder);
    claim_seen.reader = 0;
    if (session && g_rec_mutex_trylock(&session->lock)) {
        if (session->directory)
            strobe_session_for_collectors(session, strobe_session_note_missing);
        g_rec_mutex_unlock(&session->lock);
    }
    if (session)
        strobe_session_let_go(session);
}

static StrobeStatus attach_process(int process, StrobeSession **session, StrobeError **error)
{
    const char *folder = strobe_run_folder();
    g_autofree char *path = folder ? g_build_filename(folder, "config.json", NULL) : NULL;
    GError *failure = NULL;

    if (folder && strobe_session_current())
        confirm_claim(folder);
    if (!folder || strobe_session_current())
        return STROBE_UNAVAILABLE;
    StrobeConfig *config = strobe_config_load(path, &failure);
    if (!config)
        return strobe_api_result(failure, error);
    strobe_config_add_defaults(config);
    gboolean records = strobe_config_records_rank(config, strobe_rank()) &&
                       claim_run(folder, find_reason(folder, config, process));
    g_autofree char *text = strobe_config_to_json(config);
    strobe_config_free(config);
    if (!records)
        return STROBE_UNAVAILABLE;
    StrobeStatus status = start_session(text, path, session, error);
    if (status == STROBE_OK && process != STROBE_PROCESS_PYTHON) {
        (*session)->is_attached = TRUE;
        strobe_run_watch_exit(*session);
    }
    return status;
}

static void forget_attaching(void)
{
    pthread_mutex_init(&attaching, NULL);
}

static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, forget_attaching);
}

StrobeStatus strobe_run_attach(int process, StrobeSession **session, StrobeError **error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static _Thread_local int is_attaching;

    *session = NULL;
    if (error)
        *error = NULL;
    if (is_attaching) /* a collector that is being loaded may make what looks like the program's
                         first mark */
        return STROBE_UNAVAILABLE;
    pthread_once(&once, prepare_process);
    pthread_mutex_lock(&attaching);
    is_attaching = 1;
    StrobeStatus status = attach_process(process, session, error);
    is_attaching = 0;
    pthread_mutex_unlock(&attaching);
    return status;
}
