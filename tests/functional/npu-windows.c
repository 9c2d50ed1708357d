/* SPDX-License-Identifier: Apache-2.0 */
/*
 * npu-windows FOLDER KERNELS WINDOWS: makes this number of kernels in this number of windows,
 * through the test double of MSPTI, in its own session. In every tenth window another thread
 * reports the second half while the window is being ended; in every tenth window the second half
 * begins after the window. The launch of the last kernel is reported in the window, so the window's
 * end waits for this kernel. Then reads all captures: each kernel is in its own window, once.
 * Prints the memory of the process after a tenth of the windows, and at the end.
 */
#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strobe/helpers/fields.h>
#include <strobe/strobe.h>
#include <unistd.h>

#include "../mspti-double/mspti-double.h"
#include "reader.h"

#define STEP_NS 5u
#define CONNECTION_MASK ((G_GUINT64_CONSTANT(1) << 47) - 1)

int aclInit(void);

static MsptiDoubleKernels *play;
static MsptiDoublePlay *play_line;
static MsptiDoubleState *state;

static void exit_with_error(const char *what, const char *why)
{
    fprintf(stderr, "npu-windows: %s: %s\n", what, why);
    exit(1);
}

static guint64 now_ns(void)
{
    return (guint64)g_get_real_time() * 1000;
}

static void find_double(void)
{
    g_autofree char *path =
        g_build_filename(g_getenv("ASCEND_HOME_PATH"), "lib64", "libmspti.so", NULL);
    void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);

    if (!library)
        exit_with_error(path, "the collector has not loaded it");
    play = (MsptiDoubleKernels *)dlsym(library, "mspti_double_kernels");
    play_line = (MsptiDoublePlay *)dlsym(library, "mspti_double_play");
    state = ((MsptiDoubleGet *)dlsym(library, "mspti_double"))();
}

/* Starts a session that requests records from MSPTI at a window's end, and hardly ever before. */
static StrobeSession *start_session(const char *folder, guint n_windows)
{
    g_autofree char *config =
        g_strdup_printf("{\"collectors\": {\"npu_task\": {\"activities\": [\"kernel\"], "
                        "\"flush_interval\": \"1min\", \"required\": true}}, "
                        "\"exporters\": {}, \"output\": {\"directory\": \"%s\"}, "
                        "\"schedule\": {\"active\": 1, \"repeat\": %u}, "
                        "\"buffer\": {\"size\": \"64MB\", \"policy\": \"block\"}}",
                        folder, n_windows);
    StrobeSession *session = NULL;
    StrobeError *error = NULL;

    if (strobe_session_new(config, "test", &session, &error) ||
        strobe_session_start(session, &error))
        exit_with_error("session", strobe_error_message(error));
    return session;
}

/* ---- playing the kernels ---- */

typedef struct Part {
    guint64 n, first, base;
    gint n_flushes; /* number of the double's flushes before the window's end */
} Part;

static gint read_flushes(void)
{
    return __atomic_load_n(&state->n_flushes, __ATOMIC_RELAXED);
}

static void *play_late(void *user)
{
    const Part *part = user;

    while (read_flushes() == part->n_flushes)
        g_usleep(1000);
    play(part->n, part->first, part->base ? part->base : now_ns(), STEP_NS);
    return NULL;
}

static void play_launch(guint64 number, guint64 base)
{
    g_autofree char *call =
        g_strdup_printf("api 11 70001 %" G_GUINT64_FORMAT " launch 0 5", number);

    if (play_line(call, base))
        exit_with_error(call, "the double does not play it");
}

/* Plays the kernels of a window and ends it. All launches are in the window. In windows with late
 * reports, half of the kernels are reported while the window is being ended; in some of these the
 * late kernels begin after the window. */
static void run_window(StrobeSession *session, guint number, guint64 n)
{
    guint64 base = now_ns() + 2000; /* later, because the clock has a resolution of 1 us */
    Part rest = {n / 2, (guint64)number * n + 1 + n - n / 2, base + (n - n / 2) * STEP_NS,
                 read_flushes()};
    gboolean is_behind = number % 10 == 4, is_late = number % 10 == 9 || is_behind;
    StrobeError *error = NULL;
    pthread_t thread;

    /* ids without a call belong to graphs, so the window waits longer for them */
    play_launch((guint64)number * n + 1, base);
    if (is_late)
        /* the window contains the launches of all ids up to this one */
        play_launch((guint64)(number + 1) * n, base);
    if (is_behind)
        rest.base = 0;
    while (now_ns() < base + n * STEP_NS + 2000)
        ;
    play(is_late ? n - n / 2 : n, (guint64)number * n + 1, base, STEP_NS);
    if (is_late && pthread_create(&thread, NULL, play_late, &rest))
        exit_with_error("pthread_create", "there is no thread");
    if (strobe_session_step(session, &error))
        exit_with_error("step", strobe_error_message(error));
    if (is_late)
        pthread_join(thread, NULL);
}

/* ---- checking the captures ---- */

static void check_kernel(const StrobeView *view, guint number, guint64 n, guint8 *seen)
{
    guint32 at = strobe_field_offset(view->kind, "connection", STROBE_FIELD_LINK);
    guint64 id = strobe_field_u64(view, at, 0) & CONNECTION_MASK;
    guint64 first = (guint64)number * n + 1;

    if (id < first || id >= first + n)
        exit_with_error("a kernel", "it is in another window than its own");
    if (seen[id - first]++)
        exit_with_error("a kernel", "it is there twice");
}

static void check_window(const char *directory, guint number, guint64 n)
{
    static StrobeView views[1024];
    g_autofree char *path = g_build_filename(directory, "FRAMEWORK", "capture.strobe", NULL);
    g_autofree guint8 *seen = g_new0(guint8, n);
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    guint64 found = 0;
    gsize got;

    while (reader && (got = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < got; i++)
            if (!g_strcmp0(views[i].kind->name, "device_task")) {
                check_kernel(&views[i], number, n, seen);
                found++;
            }
    if (error)
        exit_with_error(path, error->message);
    strobe_reader_free(reader);
    if (found != n) {
        g_autofree char *text = g_strdup_printf(
            "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " kernels are there", found, n);
        exit_with_error(path, text);
    }
}

static guint64 read_resident_bytes(void)
{
    unsigned long pages = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file || fscanf(file, "%*u %lu %lu", &pages, &shared) != 2)
        exit_with_error("statm", "cannot be read");
    fclose(file);
    return (guint64)(pages - shared) * (guint64)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    guint64 n = argc == 4 ? g_ascii_strtoull(argv[2], NULL, 10) : 0;
    guint n_windows = argc == 4 ? (guint)g_ascii_strtoull(argv[3], NULL, 10) : 0;
    g_autoptr(GPtrArray) directories = g_ptr_array_new_with_free_func(g_free);
    guint64 early = 0;

    if (n == 0 || n_windows == 0)
        exit_with_error("usage", "npu-windows FOLDER KERNELS WINDOWS");
    aclInit();
    n /= n_windows;
    StrobeSession *session = start_session(argv[1], n_windows);
    find_double();
    for (guint i = 0; i < n_windows; i++) {
        g_ptr_array_add(directories, g_strdup(strobe_session_directory(session)));
        run_window(session, i, n);
        if (i == n_windows / 10)
            early = read_resident_bytes();
    }
    guint64 late = read_resident_bytes();
    StrobeError *error = NULL;
    if (strobe_session_stop(session, &error))
        exit_with_error("stop", strobe_error_message(error));
    if (*strobe_session_diagnostics(session))
        exit_with_error("session", strobe_session_diagnostics(session));
    strobe_session_free(session);
    for (guint i = 0; i < n_windows; i++)
        check_window(g_ptr_array_index(directories, i), i, n);
    printf("kernels %" G_GUINT64_FORMAT " resident %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
           n * n_windows, early, late);
    return 0;
}
