/* SPDX-License-Identifier: Apache-2.0 */
/* stack_total -> folded stacks: "outermost;...;innermost value", as FlameGraph reads them. */
#include "stacks.h"

#include <errno.h>
#include <gzip-file.h>
#include <string.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/helpers/utf8.h>

enum { HOST_SELF, DEVICE_SELF, PATH, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [HOST_SELF] = {"host_self", STROBE_FIELD_I64},
    [DEVICE_SELF] = {"device_self", STROBE_FIELD_F64},
    [PATH] = {"path", STROBE_FIELD_STACK},
};

typedef struct Stacks {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    StrobeBinder binder;
    StrobeSafeFile *file;
    GString *line;
    gboolean is_device; /* the metric is self_npu_time_total */
    gint64 rest_ns;     /* of the lines so far, not written yet */
} Stacks;

static StrobeStatus io_error(Stacks *stacks, int error)
{
    return stacks->host->fail(stacks->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                              "Cannot write the stacks: file=\"%s\", folder=\"%s\": %s",
                              stacks->host->option_text(stacks->self, "file"),
                              stacks->host->facts(stacks->self)->directory_path, g_strerror(error));
}

static void stacks_close(void *state)
{
    Stacks *stacks = state;

    strobe_safe_file_discard(stacks->file);
    g_string_free(stacks->line, TRUE);
    g_free(stacks);
}

static StrobeStatus stacks_open(const StrobeConsumerHost *host, StrobeInstance *self, void **state)
{
    Stacks *stacks = g_new0(Stacks, 1);

    stacks->host = host;
    stacks->self = self;
    stacks->binder.wanted = wanted;
    stacks->binder.n_wanted = N_WANTED;
    stacks->line = g_string_new(NULL);
    stacks->is_device = !strcmp(host->option_text(self, "metric"), "self_npu_time_total");
    stacks->file = gzip_file_create(host->facts(self)->directory, host->option_text(self, "file"),
                                    host->option_bool(self, "gzip"));
    if (!stacks->file) {
        StrobeStatus status = io_error(stacks, errno);

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

static int write_path(Stacks *stacks, StrobeStackId path, gint64 value)
{
    const StrobeStringId *frames = NULL;
    size_t n = stacks->host->stack_frames(stacks->self, path, &frames);
    GString *line = stacks->line;
    char number[STROBE_NUMBER_MAX];

    if (!n)
        return 0;
    g_string_truncate(line, 0);
    if (strobe_safe_file_size(stacks->file))
        g_string_append_c(line, '\n');
    for (size_t i = n; i-- > 0;) {
        append_frame(line, stacks->host->string(stacks->self, frames[i]));
        if (i)
            g_string_append_c(line, ';');
    }
    g_string_append_c(line, ' ');
    g_string_append_len(line, number, (gssize)strobe_format_int(number, value));
    return strobe_safe_file_write(stacks->file, line->str, line->len);
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
static gint64 value_of(Stacks *stacks, const StrobeView *record, const uint32_t *offsets)
{
    gint64 time = time_of(stacks, record, offsets), value = time / 1000;

    if (time == 0)
        return 0;
    stacks->rest_ns += time % 1000;
    value += stacks->rest_ns / 1000;
    stacks->rest_ns %= 1000;
    return value;
}

static StrobeStatus stacks_batch(void *state, const StrobeView *records, size_t n)
{
    Stacks *stacks = state;

    for (size_t i = 0; i < n; i++) {
        const uint32_t *offsets;
        gint64 value;
        int error;

        if (strcmp(records[i].kind->name, "stack_total"))
            continue;
        offsets = strobe_binder_offsets(&stacks->binder, records[i].kind);
        value = value_of(stacks, &records[i], offsets);
        if (value <= 0)
            continue;
        error = write_path(stacks, strobe_field_u32(&records[i], offsets[PATH], 0), value);
        if (error)
            return io_error(stacks, error);
    }
    return STROBE_OK;
}

static StrobeStatus stacks_end(void *state)
{
    Stacks *stacks = state;
    StrobeSafeFile *file = stacks->file;
    int error;

    if (!strobe_safe_file_size(file))
        return STROBE_OK; /* nothing to show: no file */
    stacks->file = NULL;
    error = strobe_safe_file_finish(file);
    return error ? io_error(stacks, error) : STROBE_OK;
}

const StrobeConsumerOps stacks_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = stacks_open,
    .batch = stacks_batch,
    .end = stacks_end,
    .close = stacks_close,
};
