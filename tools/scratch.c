/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "folder.h"

static StrobeFreshFolder scratch;
static sigset_t before, watched;
static pthread_t watcher;
static gboolean is_watching;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void discard(void)
{
    pthread_mutex_lock(&lock);
    strobe_folder_discard(&scratch);
    pthread_mutex_unlock(&lock);
}

/* A folder cannot be removed in a signal handler: a thread waits for the signal. */
static void *watch(void *unused)
{
    sigset_t only;
    int number;

    if (sigwait(&watched, &number) != 0)
        return NULL;
    discard();
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
    pause();
    return NULL;
}

/* A signal that is ignored, as under nohup, stays ignored. */
static void choose_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    sigemptyset(&watched);
    for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&watched, numbers[i]);
    }
}

const char *strobe_scratch_begin(const char *parent, const char *name, GError **error)
{
    g_autofree char *path = g_build_filename(parent ? parent : g_get_tmp_dir(), name, NULL);

    choose_signals();
    pthread_sigmask(SIG_BLOCK, &watched, &before);
    if (!strobe_folder_begin(&scratch, path, error)) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return NULL;
    }
    is_watching = pthread_create(&watcher, NULL, watch, NULL) == 0;
    if (!is_watching) /* better leavings than a command that cannot be ended */
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return scratch.path;
}

void strobe_scratch_end(void)
{
    if (!scratch.path)
        return;
    if (is_watching) {
        pthread_cancel(watcher);
        pthread_join(watcher, NULL);
        is_watching = FALSE;
    }
    discard();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
