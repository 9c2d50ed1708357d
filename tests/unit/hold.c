/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"

#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "testpoint.h"

#define HOLDS 16
#define PATIENCE_US 20000000

/* A hold. It is used only with semaphores and atomics, because a signal handler may reach a test
 * point. */
struct Hold {
    const char *point; /* name of the test point; NULL: this entry is free */
    const void *who;   /* address of a byte of the thread that must be held; NULL: any thread */
    int left;          /* number of arrivals until a thread is held */
    int n_held;
    gboolean has_caught;
    sem_t release;
};

static Hold holds[HOLDS];
static __thread char me;
static const char *deadly_point;
static int deadly_left;

void (*strobe_testpoint_hook)(const char *name);

static void wait_for_release(Hold *hold)
{
    __atomic_add_fetch(&hold->n_held, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&hold->has_caught, TRUE, __ATOMIC_RELEASE);
    while (sem_wait(&hold->release))
        ; /* interrupted by a signal */
    __atomic_sub_fetch(&hold->n_held, 1, __ATOMIC_RELEASE);
}

static void on_point(const char *name)
{
    if (deadly_point && strcmp(name, deadly_point) == 0 &&
        __atomic_sub_fetch(&deadly_left, 1, __ATOMIC_RELAXED) == 0)
        kill(getpid(), SIGKILL);
    for (guint i = 0; i < HOLDS; i++) {
        Hold *hold = &holds[i];
        const char *point = __atomic_load_n(&hold->point, __ATOMIC_ACQUIRE);
        if (point && strcmp(name, point) == 0 && (!hold->who || hold->who == &me) &&
            __atomic_sub_fetch(&hold->left, 1, __ATOMIC_RELAXED) == 0)
            wait_for_release(hold);
    }
}

static Hold *hold_someone(const char *point, guint nth, const void *who)
{
    static GMutex lock;
    Hold *hold = holds;

    g_mutex_lock(&lock);
    while (hold < holds + HOLDS && hold->point)
        hold++;
    if (hold == holds + HOLDS)
        g_error("more than %d holds", HOLDS);
    hold->who = who;
    hold->left = (int)nth;
    hold->has_caught = FALSE;
    sem_init(&hold->release, 0, 0);
    __atomic_store_n(&hold->point, point, __ATOMIC_RELEASE);
    __atomic_store_n(&strobe_testpoint_hook, on_point, __ATOMIC_RELEASE);
    g_mutex_unlock(&lock);
    return hold;
}

Hold *hold_at(const char *point, guint nth)
{
    return hold_someone(point, nth, NULL);
}

Hold *hold_me_at(const char *point, guint nth)
{
    return hold_someone(point, nth, &me);
}

void hold_wait(Hold *hold)
{
    for (guint waited = 0; !__atomic_load_n(&hold->has_caught, __ATOMIC_ACQUIRE); waited += 100) {
        if (waited > PATIENCE_US)
            g_error("nobody came to the test point %s", hold->point);
        g_usleep(100);
    }
}

void hold_release(Hold *hold)
{
    sem_post(&hold->release);
    /* The entry must not be used for another hold before its thread has continued. */
    while (__atomic_load_n(&hold->n_held, __ATOMIC_ACQUIRE))
        g_usleep(50);
    __atomic_store_n(&hold->point, NULL, __ATOMIC_RELEASE);
}

void hold_kill_at(const char *point, guint nth)
{
    deadly_left = (int)nth;
    deadly_point = point;
    __atomic_store_n(&strobe_testpoint_hook, on_point, __ATOMIC_RELEASE);
}

static void add_points(GHashTable *points, const char *path)
{
    g_autoptr(GRegex) call = g_regex_new("STROBE_TESTPOINT\\(\"([^\"]+)\"\\)", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    g_autofree char *text = NULL;

    if (!g_file_get_contents(path, &text, NULL, NULL))
        return;
    for (g_regex_match(call, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL))
        g_hash_table_add(points, g_match_info_fetch(match, 1));
}

static void add_folder(GHashTable *points, const char *folder)
{
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    const char *name;

    while (entries && (name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        add_points(points, path);
        add_folder(points, path);
    }
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **hold_all_points(void)
{
    g_autoptr(GHashTable) points = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    add_folder(points, SOURCE_ROOT "/core/capture");
    add_folder(points, SOURCE_ROOT "/core/recorder");
    add_folder(points, SOURCE_ROOT "/core/writer");
    guint n;
    char **names = (char **)g_hash_table_get_keys_as_array(points, &n);
    g_hash_table_steal_all(points);
    qsort(names, n, sizeof *names, compare_names);
    g_assert_cmpuint(n, >, 0);
    return names;
}
