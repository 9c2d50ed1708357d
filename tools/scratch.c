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

#define TRIES 1000

/* The command goes on meanwhile and may still make files in it, until the folder is gone. */
static void remove_busy(const char *path)
{
    for (guint i = 0; i < TRIES && access(path, F_OK) == 0; i++) {
        strobe_folder_remove(path);
        usleep(1000);
    }
}

/* A folder cannot be removed in a signal handler: a thread waits for the signal. */
static void *watch(void *unused)
{
    sigset_t only;
    int number;

    if (sigwait(&watched, &number) != 0)
        return NULL;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL); /* the command's end waits for ours */
    remove_busy(scratch.path);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
    while (TRUE)
        pause();
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
    strobe_folder_discard(&scratch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
