/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fuzz target as a plain test: every seed as it is, then mutations of the seeds. Run number r
 * with seed s always gives the same bytes; a crash names both, and STROBE_FUZZ_RUN=r repeats it.
 *
 * test-fuzz-NAME CORPUS: the seeds are the files of CORPUS/NAME. STROBE_FUZZ_RUNS and
 * STROBE_FUZZ_SEED change how many mutations there are, and which.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"

#define RUNS 3000
#define LONGEST (256u << 10)

static GPtrArray *seeds; /* of GBytes */
static volatile guint64 run;

/* ---- mutations ---- */

static guint64 rng_state;

static guint64 rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state * G_GUINT64_CONSTANT(0x2545f4914f6cdd1d);
}

static gsize below(gsize n)
{
    return n ? (gsize)(rng() >> 16) % n : 0;
}

static void flip_bit(GByteArray *b)
{
    if (b->len)
        b->data[below(b->len)] ^= (guint8)(1u << below(8));
}

static void set_number(GByteArray *b)
{
    static const guint64 values[] = {0,          1,          7,          8,          0x7f,
                                     0xff,       0x7fff,     0xffff,     0x7fffffff, 0x80000000,
                                     0xffffffff, G_MAXINT64, G_MAXUINT64};
    guint64 value = values[below(G_N_ELEMENTS(values))];
    gsize size = (gsize)1 << below(4), at = below(b->len);

    memcpy(b->data + at, &value, MIN(size, b->len - at));
}

static void remove_piece(GByteArray *b)
{
    gsize at = below(b->len), n = below(MIN(b->len - at, 200));

    g_byte_array_remove_range(b, (guint)at, (guint)n);
}

static void insert_piece(GByteArray *b)
{
    const GBytes *other = g_ptr_array_index(seeds, below(seeds->len));
    gsize size;
    const guint8 *from = g_bytes_get_data((GBytes *)(gsize)other, &size);
    gsize start = below(size), n = below(MIN(size - start, 300)), at = below(b->len + 1);
    guint old = b->len;

    if (n == 0 || old + n > LONGEST)
        return;
    g_byte_array_set_size(b, (guint)(old + n));
    memmove(b->data + at + n, b->data + at, old - at);
    memcpy(b->data + at, from + start, n);
}

static void cut(GByteArray *b)
{
    g_byte_array_set_size(b, (guint)below(b->len + 1));
}

static void mutate(GByteArray *b)
{
    static void (*const ways[])(GByteArray *) = {flip_bit,   flip_bit,     set_number,  set_number,
                                                 set_number, remove_piece, insert_piece};

    for (gsize n = 1 + below(6); n > 0; n--)
        if (b->len)
            ways[below(G_N_ELEMENTS(ways))](b);
    if (below(20) == 0)
        cut(b);
}

/* ---- runs ---- */

/* The input in memory of exactly its size, so that a sanitizer sees a step beyond it. */
static void call(const guint8 *bytes, gsize n)
{
    guint8 *copy = g_malloc(MAX(n, 1));

    if (n)
        memcpy(copy, bytes, n);
    LLVMFuzzerTestOneInput(copy, n);
    g_free(copy);
}

static guint64 number(const char *name, guint64 otherwise)
{
    const char *text = g_getenv(name);
    return text ? g_ascii_strtoull(text, NULL, 10) : otherwise;
}

static void run_mutation(guint64 seed, guint64 index)
{
    GByteArray *bytes = g_byte_array_new();

    run = index;
    rng_state = (seed << 32) + index * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) + 1;
    gsize size, pick = below(seeds->len);
    const guint8 *data = g_bytes_get_data(g_ptr_array_index(seeds, pick), &size);
    g_byte_array_append(bytes, data, (guint)size);
    mutate(bytes);
    call(bytes->data, bytes->len);
    g_byte_array_unref(bytes);
}

static void test_seeds(void)
{
    for (guint i = 0; i < seeds->len; i++) {
        gsize size;
        const guint8 *data = g_bytes_get_data(g_ptr_array_index(seeds, i), &size);
        call(data, size);
    }
    call((const guint8 *)"", 0);
}

static void test_mutations(void)
{
    guint64 seed = number("STROBE_FUZZ_SEED", 1), runs = number("STROBE_FUZZ_RUNS", RUNS);

    if (g_getenv("STROBE_FUZZ_RUN"))
        run_mutation(seed, number("STROBE_FUZZ_RUN", 0));
    else
        for (guint64 i = 0; i < runs; i++)
            run_mutation(seed, i);
}

static void on_crash(int signal_number)
{
    char text[64];
    int n = g_snprintf(text, sizeof text, "# in run %" G_GUINT64_FORMAT "\n", run);

    if (write(STDOUT_FILENO, text, (size_t)n) < 0)
        _exit(1);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
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

int main(int argc, char **argv)
{
    static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM};

    g_test_init(&argc, &argv, NULL);
    if (argc < 2) {
        g_printerr("usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    load_seeds(argv[1]);
    for (guint i = 0; i < G_N_ELEMENTS(crashes); i++)
        signal(crashes[i], on_crash);
    g_autofree char *as_they_are = g_strdup_printf("/fuzz/%s/seeds", fuzz_target);
    g_autofree char *mutated = g_strdup_printf("/fuzz/%s/mutations", fuzz_target);
    g_test_add_func(as_they_are, test_seeds);
    g_test_add_func(mutated, test_mutations);
    int result = g_test_run();
    g_ptr_array_unref(seeds);
    return result;
}
