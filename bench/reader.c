/* SPDX-License-Identifier: Apache-2.0 */
/* reader CAPTURE [REPEATS]: measures how many records the reader reads in a second. Also prints the
 * number and bytes of the records, and the largest resident memory. The floor is reading the file's
 * bytes without decoding them. */
#include "reader.h"

#include <fcntl.h>
#include <unistd.h>
#include "measure.h"

static guint64 stream_capture(const char *path, guint64 *bytes)
{
    static StrobeView views[1024];
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    guint64 total = 0;
    gsize n;

    if (!reader)
        fail(path, error->message);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error))) {
        for (gsize i = 0; i < n; i++)
            keep_value((uint64_t)views[i].begin_ns);
        total += n;
    }
    if (error)
        fail(path, error->message);
    *bytes = strobe_reader_stats(reader)->n_bytes;
    strobe_reader_free(reader);
    return total;
}

static void read_plainly(const char *path)
{
    static char buffer[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        fail(path, "cannot be opened");
    while (read(fd, buffer, sizeof buffer) > 0)
        keep_value((uint64_t)buffer[0]);
    close(fd);
}

int main(int argc, char **argv)
{
    static Samples own = {.name = "own"}, floor = {.name = "floor"}, size = {.name = "bytes"},
                   records = {.name = "records"}, peak = {.name = "peak"};
    long repeats = number_argument(argc, argv, 2, 15);
    guint64 bytes, total = 0;

    if (argc < 2)
        fail("usage", "reader CAPTURE [REPEATS]");
    for (long i = 0; i < repeats; i++) {
        double begin = now_ns();
        total = stream_capture(argv[1], &bytes);
        double middle = now_ns();
        read_plainly(argv[1]);
        samples_add(&own, (double)total / (middle - begin) * 1e9);
        samples_add(&floor, (double)total / (now_ns() - middle) * 1e9);
        samples_add(&size, (double)bytes / (double)total);
        samples_add(&records, (double)total);
    }
    samples_print(&own);
    samples_print(&floor);
    samples_print(&size);
    samples_print(&records);
    samples_add(&peak, peak_bytes());
    samples_print(&peak);
    return 0;
}
