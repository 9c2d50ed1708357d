/* SPDX-License-Identifier: Apache-2.0 */
/* Writes call paths as folded stacks, which FlameGraph reads: lines of the form
 * "outermost;...;innermost value". */
#include "stacks.h"

#include <errno.h>
#include <gzip-file.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/helpers/utf8.h>

#include "path-sources.h"

/* Fields of operators, which are read if the metric is the device's time. */
enum { DEVICE_SELF, PATH, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [DEVICE_SELF] = {"device_self", STROBE_FIELD_F64},
    [PATH] = {"path", STROBE_FIELD_STACK},
};

/* Names of the options with the names of the files. */
static const char *const file_options[N_PATH_SOURCES] = {[PATHS_SAMPLES] = "cpu_file",
                                                         [PATHS_WAITS] = "wait_file",
                                                         [PATHS_CALLS] = "python_file",
                                                         [PATHS_OPERATORS] = "file",
                                                         [PATHS_HEAP] = "heap_file"};

/* A file of folded stacks. */
typedef struct StackFile {
    StrobeSafeFile *file;
    /* sum of the fractions of a microsecond that were not written in the lines so far */
    gint64 rest_ns;
} StackFile;

typedef struct Stacks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    PathSources sources;
    StackFile files[N_PATH_SOURCES];
    GString *line;
    gboolean is_device; /* the metric is self_npu_time_total */
} Stacks;

static StrobeStatus io_error(Stacks *stacks, guint source, int error)
{
    return stacks->host->fail(stacks->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                              "Cannot write the stacks: file=\"%s\", folder=\"%s\": %s",
                              stacks->host->option_text(stacks->self, file_options[source]),
                              stacks->host->metadata(stacks->self)->directory_path,
                              g_strerror(error));
}

static void stacks_close(void *state)
{
    Stacks *stacks = state;

    for (guint i = 0; i < N_PATH_SOURCES; i++)
        strobe_safe_file_discard(stacks->files[i].file);
    g_string_free(stacks->line, TRUE);
    g_free(stacks);
}

static int create_file(Stacks *stacks, guint source)
{
    StackFile *file = &stacks->files[source];

    file->file = gzip_file_create(stacks->host->metadata(stacks->self)->directory,
                                  stacks->host->option_text(stacks->self, file_options[source]),
                                  stacks->host->option_bool(stacks->self, "gzip"));
    return file->file ? 0 : errno;
}

static StrobeStatus stacks_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Stacks *stacks = g_new0(Stacks, 1);

    stacks->host = host;
    stacks->self = self;
    stacks->binder.wanted = wanted;
    stacks->binder.n_wanted = N_WANTED;
    path_sources_init(&stacks->sources, host, self, host->option_text(self, "heap_metric"));
    stacks->line = g_string_new(NULL);
    stacks->is_device = !strcmp(host->option_text(self, "metric"), "self_npu_time_total");
    for (guint i = 0; i < N_PATH_SOURCES; i++) {
        const int error = create_file(stacks, i);
        if (error) {
            const StrobeStatus status = io_error(stacks, i, error);

            stacks_close(stacks);
            return status;
        }
    }
    *state = stacks;
    return STROBE_OK;
}

static gboolean is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Returns the number of bytes from `at` on that can be written unchanged. */
static gsize count_plain(const char *at, gsize length)
{
    gsize n = 0;

    while (n < length && (guchar)at[n] >= 0x20 && (guchar)at[n] < 0x80 && at[n] != ';')
        n++;
    return n;
}

/* Appends a frame without the blanks at its ends. Replaces characters that would end the frame or
 * the line by '_'. */
static void append_frame(GString *line, StrobeText text)
{
    const char *at = text.bytes;
    gsize length = text.length;

    while (length && is_blank(*at)) {
        at++;
        length--;
    }
    while (length && is_blank(at[length - 1]))
        length--;
    while (length) {
        gsize plain = count_plain(at, length);
        int size = plain ? (int)MIN(plain, G_MAXINT) : strobe_utf8_next(at, length);
        gsize used = (gsize)ABS(size);

        if (size < 0)
            g_string_append(line, STROBE_UTF8_REPLACEMENT);
        else if (!plain && (*at == ';' || (guchar)*at < 0x20))
            g_string_append_c(line, '_');
        else
            g_string_append_len(line, at, size);
        at += used;
        length -= used;
    }
}

static int write_path(Stacks *stacks, const StackFile *file, StrobeStackId path, gint64 value)
{
    const StrobeStringId *frames = NULL;
    size_t n = stacks->host->stack_frames(stacks->self, path, &frames);
    GString *line = stacks->line;
    char number[STROBE_NUMBER_MAX];

    if (!n)
        return 0;
    g_string_truncate(line, 0);
    if (strobe_safe_file_size(file->file))
        g_string_append_c(line, '\n');
    for (size_t i = n; i-- > 0;) {
        append_frame(line, stacks->host->string(stacks->self, frames[i]));
        if (i)
            g_string_append_c(line, ';');
    }
    g_string_append_c(line, ' ');
    g_string_append_len(line, number, (gssize)strobe_format_int(number, value));
    return strobe_safe_file_write(file->file, line->str, line->len);
}

/* Sets `path` to the path of an operator, with the time of the kernels that it launched. Returns
 * FALSE if the operator launched no kernels. */
static gboolean read_device_path(Stacks *stacks, const StrobeView *record, SourcePath *path)
{
    const uint32_t *at = strobe_binder_offsets(&stacks->binder, record->kind);

    if (at[DEVICE_SELF] == STROBE_FIELD_MISSING)
        return FALSE;
    const double us = strobe_view_f64(record, at[DEVICE_SELF]);
    *path = (SourcePath){PATHS_OPERATORS, strobe_field_u32(record, at[PATH], 0),
                         us > 0 && us < 9e15 ? (gint64)(us * 1000 + 0.5) : 0};
    return path->value > 0;
}

/* Converts a time to whole microseconds. Adds the fraction to `rest_ns`, from which a later line
 * gets it: so the lines add up to the total, and no line is wrong by more than a microsecond. */
static gint64 microseconds_of(StackFile *file, gint64 time)
{
    gint64 value = time / 1000;

    file->rest_ns += time % 1000;
    value += file->rest_ns / 1000;
    file->rest_ns %= 1000;
    return value;
}

static StrobeStatus add_record(Stacks *stacks, const StrobeView *record)
{
    const gboolean is_device = stacks->is_device && !strcmp(record->kind->name, "stack_total");
    SourcePath path;

    if (!(is_device ? read_device_path(stacks, record, &path)
                    : path_sources_read(&stacks->sources, record, &path)))
        return STROBE_OK;
    StackFile *file = &stacks->files[path.source];
    const gint64 value = path.source == PATHS_HEAP ? path.value : microseconds_of(file, path.value);
    const int error = value > 0 ? write_path(stacks, file, path.stack, value) : 0;
    return error ? io_error(stacks, path.source, error) : STROBE_OK;
}

static StrobeStatus stacks_batch(void *state, const StrobeView *records, size_t n)
{
    StrobeStatus status = STROBE_OK;

    for (size_t i = 0; i < n && status == STROBE_OK; i++)
        status = add_record(state, &records[i]);
    return status;
}

/* Finishes the files that have lines; removes the other files. */
static StrobeStatus stacks_end(void *state)
{
    Stacks *stacks = state;
    int error = 0;

    for (guint i = 0; i < N_PATH_SOURCES; i++) {
        if (strobe_safe_file_size(stacks->files[i].file))
            error = strobe_safe_file_finish(g_steal_pointer(&stacks->files[i].file));
        if (error)
            return io_error(stacks, i, error);
    }
    return STROBE_OK;
}

const StrobeConsumerOps stacks_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = stacks_open,
    .batch = stacks_batch,
    .end = stacks_end,
    .close = stacks_close,
};
