/* SPDX-License-Identifier: Apache-2.0 */
/* import_source SOURCE FOLDER [REPEATS]: measures the ms, and the ms of processor time, for reading
 * the result of another profiler and writing the capture below FOLDER. Also prints the number of
 * records, the size of the source, and the largest resident memory. Finds plugins as `strobe`
 * does. */
#include "import.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include "measure.h"

static void remove_result(const StrobeResult *result)
{
    g_autofree char *framework = g_path_get_dirname(result->capture);
    GDir *dir = g_dir_open(result->directory, 0, NULL);
    const char *name;

    g_unlink(result->capture);
    g_rmdir(framework);
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(result->directory, name, NULL);

        g_unlink(path);
    }
    if (dir)
        g_dir_close(dir);
    g_rmdir(result->directory);
}

static double processor_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    static Samples own = {.name = "own"}, processor = {.name = "processor"},
                   records = {.name = "records"}, size = {.name = "bytes"}, peak = {.name = "peak"};
    long repeats = number_argument(argc, argv, 3, 5);
    g_autoptr(GError) error = NULL;
    StrobeRegistry *registry = strobe_registry_new(NULL);
    GPtrArray *sources;

    if (argc < 3)
        fail("usage", "import_source SOURCE FOLDER [REPEATS]");
    sources = strobe_import_find(registry, argv[1], NULL, &error);
    for (long i = 0; sources && i < repeats; i++) {
        const StrobeImportWish wish = {.parent = argv[2]};
        double begin = now_ns(), before = processor_ms();
        g_autoptr(StrobeImport) import =
            strobe_import_run(g_ptr_array_index(sources, 0), &wish, &error);
        struct stat st;

        if (!import)
            break;
        samples_add(&own, (now_ns() - begin) / 1e6);
        samples_add(&processor, processor_ms() - before);
        samples_add(&records, (double)import->n_records);
        if (stat(import->result.capture, &st) == 0)
            samples_add(&size, (double)st.st_size);
        remove_result(&import->result);
    }
    if (error)
        fail(argv[1], error->message);
    samples_add(&peak, peak_bytes());
    samples_print(&own);
    samples_print(&processor);
    samples_print(&records);
    samples_print(&size);
    samples_print(&peak);
    g_ptr_array_unref(sources);
    strobe_registry_free(registry);
    return 0;
}
