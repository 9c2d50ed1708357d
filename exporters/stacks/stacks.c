/* SPDX-License-Identifier: Apache-2.0 */
/* stack_total, call_path -> folded stacks: "outermost;...;innermost value", as FlameGraph reads
 * them. */
#include "stacks.h"

#include <errno.h>
#include <gzip-file.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/helpers/utf8.h>

enum { TIME, CALL_PATH, N_PATH };

static const StrobeWantedField path_wanted[N_PATH] = {
    [TIME] = {"time", STROBE_FIELD_I64},
    [CALL_PATH] = {"path", STROBE_FIELD_STACK},
};

enum { HOST_SELF, DEVICE_SELF, PATH, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [HOST_SELF] = {"host_self", STROBE_FIELD_I64},
    [DEVICE_SELF] = {"device_self", STROBE_FIELD_F64},
    [PATH] = {"path", STROBE_FIELD_STACK},
};

/* One file of lines. */
typedef struct StackFile {
    const char *option; /* that names it */
    StrobeSafeFile *file;
    gint64 rest_ns; /* of the lines so far, not written yet */
} StackFile;

typedef struct Stacks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder, path_binder;
    StackFile operators, samples;
    GString *line;
    gboolean is_device; /* the metric is self_npu_time_total */
} Stacks;

static StrobeStatus io_error(Stacks *stacks, const StackFile *file, int error)
{
    return stacks->host->fail(stacks->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                              "Cannot write the stacks: file=\"%s\", folder=\"%s\": %s",
                              stacks->host->option_text(stacks->self, file->option),
                              stacks->host->metadata(stacks->self)->directory_path,
                              g_strerror(error));
}

static void stacks_close(void *state)
{
    Stacks *stacks = state;

    strobe_safe_file_discard(stacks->operators.file);
    strobe_safe_file_discard(stacks->samples.file);
    g_string_free(stacks->line, TRUE);
    g_free(stacks);
}

static int create_file(Stacks *stacks, StackFile *file, const char *option)
{
    file->option = option;
    file->file = gzip_file_create(stacks->host->metadata(stacks->self)->directory,
                                  stacks->host->option_text(stacks->self, option),
                                  stacks->host->option_bool(stacks->self, "gzip"));
    return file->file ? 0 : errno;
}

static StrobeStatus stacks_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Stacks *stacks = g_new0(Stacks, 1);
    const StackFile *file = &stacks->operators;

    stacks->host = host;
    stacks->self = self;
    stacks->binder.wanted = wanted;
    stacks->binder.n_wanted = N_WANTED;
    stacks->path_binder.wanted = path_wanted;
    stacks->path_binder.n_wanted = N_PATH;
    stacks->line = g_string_new(NULL);
    stacks->is_device = !strcmp(host->option_text(self, "metric"), "self_npu_time_total");
    int error = create_file(stacks, &stacks->operators, "file");
    if (!error) {
        file = &stacks->samples;
        error = create_file(stacks, &stacks->samples, "cpu_file");
    }
    if (error) {
        StrobeStatus status = io_error(stacks, file, error);

        stacks_close(stacks);
        return status;
    }
    *state = stacks;
    return STROBE_OK;
}

static gboolean is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* How many bytes from here on stay as they are, each a character. */
static gsize count_plain(const char *at, gsize length)
{
    gsize n = 0;

    while (n < length && (guchar)at[n] >= 0x20 && (guchar)at[n] < 0x80 && at[n] != ';')
        n++;
    return n;
}

/* A frame, without blanks around it; what would end a frame or a line becomes '_'. */
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

/* 0: none. */
static gint64 time_of(const Stacks *stacks, const StrobeView *record, const uint32_t *offsets)
{
    double us;

    if (!stacks->is_device)
        return MAX(strobe_field_i64(record, offsets[HOST_SELF], 0), 0);
    if (offsets[DEVICE_SELF] == STROBE_FIELD_MISSING)
        return 0;
    us = strobe_view_f64(record, offsets[DEVICE_SELF]);
    return us > 0 && us < 9e15 ? (gint64)(us * 1000 + 0.5) : 0;
}

/* Whole microseconds. What is cut off goes to the lines that follow, so that all of them sum to the
 * total and none is wrong by more than one. */
static gint64 value_of(StackFile *file, gint64 time)
{
    gint64 value = time / 1000;

    if (time == 0)
        return 0;
    file->rest_ns += time % 1000;
    value += file->rest_ns / 1000;
    file->rest_ns %= 1000;
    return value;
}

static StrobeStatus add_time(Stacks *stacks, StackFile *file, StrobeStackId path, gint64 time)
{
    gint64 value = value_of(file, time);
    int error = value > 0 ? write_path(stacks, file, path, value) : 0;

    return error ? io_error(stacks, file, error) : STROBE_OK;
}

static StrobeStatus add_record(Stacks *stacks, const StrobeView *record)
{
    const uint32_t *at;

    if (!strcmp(record->kind->name, "stack_total")) {
        at = strobe_binder_offsets(&stacks->binder, record->kind);
        return add_time(stacks, &stacks->operators, strobe_field_u32(record, at[PATH], 0),
                        time_of(stacks, record, at));
    }
    if (strcmp(record->kind->name, "call_path") != 0)
        return STROBE_OK;
    at = strobe_binder_offsets(&stacks->path_binder, record->kind);
    return add_time(stacks, &stacks->samples, strobe_field_u32(record, at[CALL_PATH], 0),
                    MAX(strobe_field_i64(record, at[TIME], 0), 0));
}

static StrobeStatus stacks_batch(void *state, const StrobeView *records, size_t n)
{
    StrobeStatus status = STROBE_OK;

    for (size_t i = 0; i < n && status == STROBE_OK; i++)
        status = add_record(state, &records[i]);
    return status;
}

/* Nothing to show: no file. */
static StrobeStatus finish_file(Stacks *stacks, StackFile *file)
{
    int error = 0;

    if (strobe_safe_file_size(file->file))
        error = strobe_safe_file_finish(g_steal_pointer(&file->file));
    return error ? io_error(stacks, file, error) : STROBE_OK;
}

static StrobeStatus stacks_end(void *state)
{
    Stacks *stacks = state;
    StrobeStatus status = finish_file(stacks, &stacks->operators);

    return status == STROBE_OK ? finish_file(stacks, &stacks->samples) : status;
}

const StrobeConsumerOps stacks_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = stacks_open,
    .batch = stacks_batch,
    .end = stacks_end,
    .close = stacks_close,
};
