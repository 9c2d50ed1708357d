/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target as a normal test, without libFuzzer.
 *
 * test-fuzz-NAME CORPUS          runs every file of CORPUS/NAME unchanged, then mutations of them:
 *                                run r with seed s always has the same bytes. STROBE_FUZZ_RUNS is
 *                                the number of runs, STROBE_FUZZ_SEED the seed; STROBE_FUZZ_RUN=r
 *                                repeats one run.
 * STROBE_FUZZ_SECONDS=n          instead, for n seconds: mutations of inputs that took a new way
 *                                through the code.
 * test-fuzz-NAME CORPUS FILE...  runs only these files.
 *
 * An input that breaks a promise is kept as found-NAME in the current folder.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "coverage.h"
#include "fuzz.h"
#include "mutation.h"

#define RUNS 500
#define RUNS_LONG 3000 /* number of runs in the suite "long" */
#define KEPT_MAX 4000u
#define PATIENCE_S 20

static GPtrArray *seeds; /* of GBytes */
static char **files;
static volatile guint64 run;

/* ---- inputs that break a promise ---- */

static const guint8 *volatile input;
static volatile gsize input_size;
static char found_path[64];

/* The sanitizers' libraries read their options from these functions. A sanitizer must end the
 * process by abort, so that the input is kept. */
#define VISIBLE __attribute__((visibility("default")))
VISIBLE const char *__asan_default_options(void);
VISIBLE const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    return "abort_on_error=1:max_allocation_size_mb=1024:quarantine_size_mb=1"
#ifndef __SANITIZE_ADDRESS__ /* only the core is built with the sanitizer; ./dev test-asan checks  \
                                leaks */
           ":detect_leaks=0"
#endif
        ;
}

const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:halt_on_error=1:print_stacktrace=1";
}

static void on_crash(int signal_number)
{
    char text[160];
    int fd = open(found_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    gboolean kept = fd >= 0 && write(fd, input, input_size) == (gssize)input_size;
    int n = g_snprintf(text, sizeof text, "# in run %" G_GUINT64_FORMAT ", input %s%s\n", run,
                       kept ? "kept as " : "lost", kept ? found_path : "");

    if (write(STDOUT_FILENO, text, (size_t)n) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Runs the target with the input in memory of exactly its size, so that a sanitizer notices an
 * access beyond it. */
static void run_input(const guint8 *bytes, gsize n)
{
    guint8 *copy = g_malloc(MAX(n, 1));

    if (n)
        memcpy(copy, bytes, n);
    input = bytes;
    input_size = n;
    alarm(PATIENCE_S);
    LLVMFuzzerTestOneInput(copy, n);
    alarm(0);
    g_free(copy);
}

static void call_bytes(GBytes *bytes)
{
    gsize size;
    const guint8 *data = g_bytes_get_data(bytes, &size);

    run_input(data, size);
}

/* ---- runs ---- */

static guint64 read_number(const char *name, guint64 otherwise)
{
    const char *text = g_getenv(name);
    return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

static GByteArray *make_mutant(guint64 seed, guint64 index, const GPtrArray *from)
{
    GByteArray *bytes = g_byte_array_new();
    gsize size;

    run = index;
    mutation_seed((seed << 32) + index * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + 1);
    GBytes *picked = g_ptr_array_index(from, mutation_below(from->len));
    const guint8 *data = g_bytes_get_data(picked, &size);
    g_byte_array_append(bytes, data, (guint)size);
    mutation_apply(bytes, from);
    return bytes;
}

static void run_mutation(guint64 seed, guint64 index)
{
    g_autoptr(GByteArray) bytes = make_mutant(seed, index, seeds);

    run_input(bytes->data, bytes->len);
}

static void test_seeds(void)
{
    for (guint i = 0; i < seeds->len; i++)
        call_bytes(g_ptr_array_index(seeds, i));
    run_input((const guint8 *)"", 0);
}

static void test_mutations(void)
{
    guint64 seed = read_number("STROBE_FUZZ_SEED", 1);
    guint64 otherwise = g_getenv("STROBE_TEST_LONG") ? RUNS_LONG : RUNS;
    guint64 runs = read_number("STROBE_FUZZ_RUNS", otherwise);

    if (g_getenv("STROBE_FUZZ_RUN"))
        run_mutation(seed, read_number("STROBE_FUZZ_RUN", 0));
    else
        for (guint64 i = 0; i < runs; i++)
            run_mutation(seed, i);
}

static gboolean call_and_look(const guint8 *bytes, gsize n)
{
    coverage_begin();
    run_input(bytes, n);
    return coverage_is_new();
}

/* Keeps an input that takes a new way through the code. If there are too many, replaces another
 * one. */
static void keep_input(GPtrArray *kept, GByteArray *bytes)
{
    GBytes *copy = g_bytes_new(bytes->data, bytes->len);

    if (kept->len < KEPT_MAX) {
        g_ptr_array_add(kept, copy);
    } else {
        GBytes **place = (GBytes **)&kept->pdata[mutation_below(kept->len)];
        g_bytes_unref(*place);
        *place = copy;
    }
}

static void test_search(void)
{
    gint64 end =
        g_get_monotonic_time() + (gint64)read_number("STROBE_FUZZ_SECONDS", 1) * G_USEC_PER_SEC;
    guint64 seed = read_number("STROBE_FUZZ_SEED", (guint64)g_get_real_time());
    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    guint64 runs = 0;

    g_test_message("STROBE_FUZZ_SEED=%" G_GUINT64_FORMAT, seed);
    for (guint i = 0; i < seeds->len; i++) {
        gsize size;
        const guint8 *data = g_bytes_get_data(g_ptr_array_index(seeds, i), &size);
        call_and_look(data, size);
        g_ptr_array_add(kept, g_bytes_ref(g_ptr_array_index(seeds, i)));
    }
    guint at_first = coverage_total();
    for (; g_get_monotonic_time() < end; runs++) {
        g_autoptr(GByteArray) bytes = make_mutant(seed, runs, kept);
        if (call_and_look(bytes->data, bytes->len))
            keep_input(kept, bytes);
    }
    g_test_message("%" G_GUINT64_FORMAT " runs; %u steps, %u of them in the seeds; %u inputs kept",
                   runs, coverage_total(), at_first, kept->len);
    g_assert_cmpuint(runs, >, 0);
}

static void test_files(void)
{
    for (char **file = files; *file; file++) {
        g_autofree char *bytes = NULL;
        g_autoptr(GError) error = NULL;
        gsize size;
        g_file_get_contents(*file, &bytes, &size, &error);
        g_assert_no_error(error);
        run_input((const guint8 *)bytes, size);
    }
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void load_seeds(const char *corpus)
{
    g_autofree char *folder = g_build_filename(corpus, fuzz_target, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    g_assert_no_error(error);
    while ((name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        char *bytes;
        gsize size;
        g_file_get_contents(g_ptr_array_index(names, i), &bytes, &size, &error);
        g_assert_no_error(error);
        g_ptr_array_add(seeds, g_bytes_new_take(bytes, size));
    }
    g_assert_cmpuint(seeds->len, >, 0);
}

static void add_test(const char *name, GTestFunc function)
{
    g_autofree char *path = g_strdup_printf("/fuzz/%s/%s", fuzz_target, name);

    g_test_add_func(path, function);
}

int main(int argc, char **argv)
{
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM};

    g_test_init(&argc, &argv, NULL);
    if (argc < 2) {
        g_printerr("usage: %s CORPUS [FILE...]\n", argv[0]);
        return 2;
    }
    seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    load_seeds(argv[1]);
    files = argv + 2;
    g_snprintf(found_path, sizeof found_path, "found-%s", fuzz_target);
    for (guint i = 0; i < G_N_ELEMENTS(crashes); i++)
        signal(crashes[i], on_crash);
    if (*files) {
        add_test("files", test_files);
    } else if (g_getenv("STROBE_FUZZ_SECONDS")) {
        add_test("search", test_search);
    } else {
        add_test("seeds", test_seeds);
        add_test("mutations", test_mutations);
    }
    int result = g_test_run();
    g_ptr_array_unref(seeds);
    return result;
}
