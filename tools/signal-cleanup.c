/* SPDX-License-Identifier: Apache-2.0 */
#include "signal-cleanup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "command.h"
#include "folder-path.h"
#include "progress-bar.h"

#define TRIES 1000
#define ABANDON_TRIES 100
#define PAUSE_US 1000

static GRecMutex lock;
static GPtrArray *folders; /* of char; protected by the lock */
static sigset_t signals;

/* Removes a folder. Tries several times, because other threads may still make files in it. */
static void remove_busy(const char *path)
{
    for (guint i = 0; i < TRIES && g_access(path, F_OK) == 0; i++) {
        strobe_folder_remove(path);
        g_usleep(PAUSE_US);
    }
}

static void remove_all(void)
{
    for (guint i = 0; folders && i < folders->len; i++)
        remove_busy(g_ptr_array_index(folders, i));
}

/* Removes the registered folders, and ends the process by the signal. The caller holds the lock, so
 * that other threads cannot register folders in the meantime. */
static void end_by(int number)
{
    sigset_t one;

    strobe_bar_clear();
    remove_all();
    strobe_complain("interrupted, nothing half made is left");
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    _Exit(STROBE_EXIT_FAILED);
}

static void *wait_for_signal(void *data)
{
    int number;

    while (sigwait(&signals, &number) != 0)
        ;
    g_rec_mutex_lock(&lock);
    end_by(number);
    return NULL;
}

void strobe_signal_cleanup_begin(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    pthread_t thread;

    sigemptyset(&signals);
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        struct sigaction present;
        if (sigaction(numbers[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN)
            sigaddset(&signals, numbers[i]);
    }
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (pthread_create(&thread, NULL, wait_for_signal, NULL) != 0)
        pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    else
        pthread_detach(thread);
}

void strobe_signal_cleanup_add(const char *folder)
{
    g_rec_mutex_lock(&lock);
    if (!folders)
        folders = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(folders, g_strdup(folder));
    g_rec_mutex_unlock(&lock);
}

int strobe_signal_cleanup_make(const char *folder)
{
    strobe_signal_cleanup_hold();
    int result = mkdir(folder, 0750), number = errno;
    if (result == 0)
        strobe_signal_cleanup_add(folder);
    strobe_signal_cleanup_release();
    errno = number;
    return result;
}

void strobe_signal_cleanup_remove(const char *folder)
{
    g_rec_mutex_lock(&lock);
    for (guint i = 0; folders && i < folders->len; i++)
        if (strcmp(g_ptr_array_index(folders, i), folder) == 0)
            g_ptr_array_remove_index_fast(folders, i--);
    g_rec_mutex_unlock(&lock);
}

static gboolean any_folder_is_left(void)
{
    gboolean is_left = FALSE;

    for (guint i = 0; folders && i < folders->len; i++)
        is_left |= access(g_ptr_array_index(folders, i), F_OK) == 0;
    return is_left;
}

/* Tries for at most 0.1 s to remove each folder, because other threads may still make files in
 * it. */
void strobe_signal_cleanup_abandon(void)
{
    for (guint turn = 0; turn < ABANDON_TRIES && any_folder_is_left(); turn++) {
        for (guint i = 0; i < folders->len; i++)
            strobe_folder_remove(g_ptr_array_index(folders, i));
        usleep(PAUSE_US);
    }
}

void strobe_signal_cleanup_hold(void)
{
    g_rec_mutex_lock(&lock);
}

void strobe_signal_cleanup_release(void)
{
    g_rec_mutex_unlock(&lock);
}
