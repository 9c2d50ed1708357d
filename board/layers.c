/* SPDX-License-Identifier: Apache-2.0 */
/* Captures the layers of one inference. Subscribes to the runtime's descriptions of the layers,
 * which the runtime writes to a file in memory, so that it never waits for a reader. When the
 * inference has ended, the layers are written as one capture. A real runtime reports no counters.
 * The runtime of the tests reports counters, and captures that are made with it are marked as
 * simulated. */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture-writer.h"
#include "kind-declaration.h"

#define BYTES_MAX ((off_t)64 << 20)
#define LAYERS_MAX 100000u
#define BLOCK_BYTES (1u << 20)
#define TRACK 1u
#define WAIT_MS 10u

enum { KIND_TASK = 1, KIND_LAYER, KIND_PMU, KIND_CAPTURE };

/* ---- the runtime's description ---- */

static const void *subscription_of(int fd)
{
    const void *(*create)(int8_t, int, const void *) =
        (const void *(*)(int8_t, int, const void *))board_runtime(
            "svp_acl_prof_create_subscribe_config");

    return create ? create(1, 0xff, &fd) : NULL;
}

static __thread const void *subscription;

int board_layers_begin(BoardCapture *capture)
{
    int (*subscribe)(uint32_t, const void *) =
        (int (*)(uint32_t, const void *))board_runtime("svp_acl_prof_model_subscribe");

    capture->fd = memfd_create("strobe-layers", MFD_CLOEXEC);
    subscription = subscribe && capture->fd >= 0 ? subscription_of(capture->fd) : NULL;
    if (subscription && subscribe(capture->model->id, subscription) == 0)
        return 1;
    if (capture->fd >= 0)
        close(capture->fd);
    capture->fd = -1;
    return 0;
}

static void unsubscribe_model(const BoardCapture *capture)
{
    int (*end)(uint32_t) = (int (*)(uint32_t))board_runtime("svp_acl_prof_model_unsubscribe");
    int (*destroy)(const void *) =
        (int (*)(const void *))board_runtime("svp_acl_prof_destroy_subscribe_config");

    if (end)
        end(capture->model->id);
    if (destroy)
        destroy(subscription);
    subscription = NULL;
}

typedef struct Description {
    const void *bytes;
    size_t length;
    int (*get_name)(const void *, size_t, uint32_t, char *, size_t);
    int (*get_type)(const void *, size_t, uint32_t, char *, size_t);
    uint64_t (*get_start)(const void *, size_t, uint32_t);
    uint64_t (*get_end)(const void *, size_t, uint32_t);
    int (*get_counters)(const void *, size_t, uint32_t, const char **, uint64_t *);
    uint32_t n;
    uint64_t factor; /* number of ns in the runtime's unit of time */
} Description;

static int find_functions(Description *d)
{
    int (*count)(const void *, size_t, uint32_t *) =
        (int (*)(const void *, size_t, uint32_t *))board_runtime("svp_acl_prof_get_op_num");

    d->get_name = (int (*)(const void *, size_t, uint32_t, char *, size_t))board_runtime(
        "svp_acl_prof_get_op_name");
    d->get_type = (int (*)(const void *, size_t, uint32_t, char *, size_t))board_runtime(
        "svp_acl_prof_get_op_type");
    d->get_start =
        (uint64_t (*)(const void *, size_t, uint32_t))board_runtime("svp_acl_prof_get_op_start");
    d->get_end =
        (uint64_t (*)(const void *, size_t, uint32_t))board_runtime("svp_acl_prof_get_op_end");
    d->get_counters = (int (*)(const void *, size_t, uint32_t, const char **,
                               uint64_t *))board_runtime("svp_double_op_counters");
    return count && d->get_name && d->get_type && d->get_start && d->get_end &&
           count(d->bytes, d->length, &d->n) == 0 && d->n > 0 && d->n <= LAYERS_MAX;
}

/* Finds the unit of the runtime's times and sets d->factor. The vendor's guide says ns, its header
 * us. Uses the unit with which the times are inside the call of the inference. */
static void find_unit(Description *d, const BoardCapture *capture)
{
    const uint64_t first = d->get_start(d->bytes, d->length, 0);
    const uint64_t last = d->get_end(d->bytes, d->length, d->n - 1);
    const uint64_t slack = 1000000;

    d->factor = 1;
    if (last < UINT64_MAX / 1000 && first * 1000 + slack >= capture->begin_ns &&
        last * 1000 <= capture->end_ns + slack)
        d->factor = 1000;
}

/* If `status` says that the text was too long for the interface, replaces its end by three dots. */
static void mark_cut(int status, char *text, size_t size)
{
    text[size - 1] = 0;
    if (status && strlen(text) == size - 1)
        memcpy(text + size - 4, "...", 3);
}

static void read_layer(const Description *d, uint32_t index, BoardLayer *layer)
{
    memset(layer, 0, sizeof *layer);
    layer->unit = "";
    mark_cut(d->get_name(d->bytes, d->length, index, layer->name, sizeof layer->name), layer->name,
             sizeof layer->name);
    mark_cut(d->get_type(d->bytes, d->length, index, layer->type, sizeof layer->type), layer->type,
             sizeof layer->type);
    layer->begin = d->get_start(d->bytes, d->length, index) * d->factor;
    layer->end = d->get_end(d->bytes, d->length, index) * d->factor;
    if (layer->end < layer->begin)
        layer->end = layer->begin;
    layer->has_counters = d->get_counters && d->get_counters(d->bytes, d->length, index,
                                                             &layer->unit, layer->counters);
}

/* ---- the file ---- */

typedef struct Out {
    StrobeCaptureWriter writer;
    char *bytes; /* the current block, of BLOCK_BYTES bytes */
    uint32_t n, n_strings;
    int error;
    uint64_t n_records;
} Out;

static void flush_block(Out *out, uint32_t type)
{
    if (out->n && !out->error)
        out->error = strobe_capture_write_block(&out->writer, type, out->bytes, out->n);
    out->n = 0;
}

static void *reserve_bytes(Out *out, size_t n, uint32_t type)
{
    char *at;

    if (out->n + n > BLOCK_BYTES)
        flush_block(out, type);
    at = out->bytes + out->n;
    memset(at, 0, n);
    out->n += (uint32_t)n;
    return at;
}

static void put_kinds(Out *out)
{
    static const StrobeKind *const kinds[] = {NULL, &strobe_kind_device_task, &svp_kind_layer,
                                              &strobe_kind_device_pmu, &svp_kind_capture};

    for (uint32_t id = KIND_TASK; id <= KIND_CAPTURE; id++)
        strobe_kind_put(reserve_bytes(out, strobe_kind_stored_bytes(kinds[id]), STROBE_BLOCK_KINDS),
                        kinds[id], id);
    flush_block(out, STROBE_BLOCK_KINDS);
}

/* Writes a string and returns its id. Ids count from 1 in the order of the file; each text gets a
 * new id, even if it is equal to an earlier one. */
static uint32_t put_string(Out *out, const char *text)
{
    const uint32_t length = (uint32_t)strlen(text);
    uint32_t *at = reserve_bytes(out, 8 + (length + 3u) / 4 * 4, STROBE_BLOCK_STRINGS);

    at[0] = ++out->n_strings;
    at[1] = length;
    memcpy(at + 2, text, length);
    return at[0];
}

/* The texts of a layer, in this order. They follow the texts of the capture. */
enum { TEXT_NAME, TEXT_TYPE, TEXT_UNIT, TEXTS };
enum { STRING_EMPTY = 1, STRING_MODEL, STRING_METRICS, STRING_LAYERS };

static uint32_t string_of(uint32_t layer, uint32_t text)
{
    return STRING_LAYERS + layer * TEXTS + text;
}

static void put_strings(Out *out, const BoardLayer *layers, uint32_t n, const BoardModel *model)
{
    put_string(out, "");
    put_string(out, model->name);
    put_string(out, svp_metrics);
    for (uint32_t i = 0; i < n; i++) {
        put_string(out, layers[i].name);
        put_string(out, layers[i].type);
        put_string(out, layers[i].unit);
    }
    flush_block(out, STROBE_BLOCK_STRINGS);
}

static void put_track(Out *out, uint32_t device)
{
    struct strobe_stored_track *track = reserve_bytes(out, sizeof *track, STROBE_BLOCK_TRACKS);

    *track = (struct strobe_stored_track){.id = TRACK,
                                          .type = STROBE_TRACK_STREAM,
                                          .clock = STROBE_CLOCK_MONOTONIC,
                                          .device = (int32_t)device,
                                          .pid = (uint64_t)getpid()};
    flush_block(out, STROBE_BLOCK_TRACKS);
}

static void put_record(Out *out, uint32_t kind, uint32_t name, uint64_t begin, uint64_t end,
                       const void *fields, size_t size)
{
    const int is_span = kind != KIND_LAYER;
    const uint32_t words = 3u + (is_span != 0) + (uint32_t)((size + 7) / 8);
    uint64_t *at = reserve_bytes(out, words * 8u, STROBE_BLOCK_RECORDS);
    uint32_t i = 1;

    at[0] = words | STROBE_RECORD_HAS_TRACK | (uint64_t)kind << 16 | (uint64_t)name << 32;
    at[i++] = begin;
    if (is_span)
        at[i++] = end;
    at[i++] = TRACK;
    memcpy(at + i, fields, size);
    out->n_records++;
}

static void put_counters(Out *out, const BoardLayer *layer, uint64_t task)
{
    struct strobe_device_pmu pmu = {
        .task = task, .metrics = STRING_METRICS, .frequency = STROBE_ABSENT_U32};
    int has_any = 0;

    for (size_t i = 0; i < sizeof pmu.value / sizeof pmu.value[0]; i++)
        pmu.value[i] = STROBE_ABSENT_F64;
    for (unsigned i = 0; i < SVP_COUNTERS; i++)
        if (layer->counters[i] != UINT64_MAX) {
            pmu.value[i] = (double)layer->counters[i];
            has_any = 1;
        }
    if (has_any)
        put_record(out, KIND_PMU, 0, layer->begin, layer->end, &pmu, sizeof pmu);
}

static void make_absent(const StrobeKind *kind, void *fields)
{
    for (uint32_t i = 0; i < kind->n_fields; i++)
        strobe_field_put_absent((char *)fields + strobe_kind_offset(kind, i), kind->fields[i].type);
}

static void put_layer(Out *out, const BoardCapture *capture, const SvpConfig *config,
                      const BoardLayer *layer, uint32_t index)
{
    const uint64_t task = capture->id << 20 | index;
    const struct svp_layer of_layer = {
        .task = task, .layer_id = index, .ori_name = string_of(index, TEXT_NAME)};
    struct strobe_device_task fields;

    make_absent(&strobe_kind_device_task, &fields);
    fields.task = task;
    fields.connection = capture->id;
    fields.task_id = index;
    fields.stream = 0;
    fields.model = capture->model->id;
    fields.core = *layer->unit ? string_of(index, TEXT_UNIT) : 0;
    fields.op_type = string_of(index, TEXT_TYPE);
    fields.is_kernel = 1;
    put_record(out, KIND_TASK, string_of(index, TEXT_NAME), layer->begin, layer->end, &fields,
               sizeof fields);
    put_record(out, KIND_LAYER, string_of(index, TEXT_NAME), layer->begin, layer->begin, &of_layer,
               sizeof of_layer);
    if (layer->has_counters && config->has_metrics)
        put_counters(out, layer, task);
}

static int is_wanted(const SvpConfig *config, const BoardLayer *layer)
{
    return config->aacpu || svp_unit_find(layer->unit) != SVP_UNIT_CPU;
}

static void put_records(Out *out, const BoardCapture *capture, const SvpConfig *config,
                        const BoardLayer *layers, uint32_t n)
{
    struct svp_capture fields = {.id = capture->id,
                                 .current_pic = capture->current_pic,
                                 .device = capture->device,
                                 .model = capture->model->id,
                                 .number = capture->number,
                                 .batch = capture->model->batch,
                                 .pics = capture->model->batch,
                                 .is_first = capture->number == 1};

    for (uint32_t i = 0; i < n; i++)
        fields.tasks += is_wanted(config, &layers[i]);
    /* this is the first record, so that a file that was not written completely still has the number
     * of tasks */
    put_record(out, KIND_CAPTURE, STRING_MODEL, capture->begin_ns, capture->end_ns, &fields,
               sizeof fields);
    for (uint32_t i = 0; i < n; i++)
        if (is_wanted(config, &layers[i]))
            put_layer(out, capture, config, &layers[i], i);
    flush_block(out, STROBE_BLOCK_RECORDS);
}

static void write_parts(Out *out, const BoardCapture *capture, const SvpConfig *config,
                        const BoardLayer *layers, uint32_t n, int is_simulated)
{
    char metadata[256];
    const int length = snprintf(metadata, sizeof metadata,
                                "{\"pid\": %d, \"strobe_version\": \"%s\", \"simulated\": %s}",
                                getpid(), STROBE_VERSION, is_simulated ? "true" : "false");

    out->error =
        strobe_capture_write_block(&out->writer, STROBE_BLOCK_METADATA, metadata, (uint32_t)length);
    put_kinds(out);
    put_strings(out, layers, n, capture->model);
    put_track(out, capture->device);
    put_records(out, capture, config, layers, n);
    if (!out->error)
        out->error = strobe_capture_write_seal(&out->writer, capture->begin_ns,
                                               capture->end_ns + 1000000000, 0);
    if (!out->error && config->syncs && fdatasync(out->writer.fd))
        out->error = errno;
}

/* Writes the capture to the file `path`. In these captures a tick of the clock is a ns of
 * CLOCK_MONOTONIC. Returns 0 or an errno value. */
static int write_file(const char *path, const BoardCapture *capture, const SvpConfig *config,
                      const BoardLayer *layers, uint32_t n, int is_simulated, uint64_t *n_records)
{
    static const StrobeClockPair pair = {.ns_per_tick = 1};
    StrobeClockTrend trend;
    Out *out = calloc(1, sizeof *out);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    int error = fd < 0 || fchmod(fd, 0640) ? errno : 0;

    if (out)
        out->bytes = malloc(BLOCK_BYTES);
    if (!out || !out->bytes || strobe_capture_writer_init(&out->writer))
        error = ENOMEM;
    if (!error) {
        strobe_clock_trend_begin(&trend, 1);
        strobe_capture_writer_resume(&out->writer, fd, 1, &trend, &pair);
        fd = -1;
        write_parts(out, capture, config, layers, n, is_simulated);
        error = out->error;
        *n_records = out->n_records;
        strobe_capture_writer_clear(&out->writer);
    }
    if (fd >= 0)
        close(fd);
    if (out)
        free(out->bytes);
    free(out);
    return error;
}

/* Waits for room on a full disk, which a computer that fetches files while the program runs may
 * make. Returns 0 if waiting is useless or has taken long enough. After a wait without success,
 * returns 0 at once until there has been room again. The caller must hold the session's lock. */
static int await_room(int error, unsigned *waited_ms)
{
    static int is_in_vain;
    const char *limit = getenv("STROBE_BOARD_WAIT_MS");

    if (!error)
        is_in_vain = 0;
    if ((error != ENOSPC && error != EDQUOT) || !limit || is_in_vain)
        return 0;
    if ((long)*waited_ms >= atol(limit)) {
        is_in_vain = 1;
        return 0;
    }
    usleep(WAIT_MS * 1000);
    *waited_ms += WAIT_MS;
    return 1;
}

static int try_layers(const BoardCapture *capture, const BoardJob *job, const SvpConfig *config,
                      const BoardLayer *layers, uint32_t n, BoardTotals *totals)
{
    SvpFileName name = {.type = SVP_FILE_CORE,
                        .device = capture->device,
                        .model_id = capture->model->id,
                        .batch = capture->model->batch,
                        .pics = capture->model->batch,
                        .current_pic = capture->current_pic};
    char file[SVP_FILE_NAME_MAX], path[SVP_PATH_MAX];
    uint64_t n_records = 0;
    int error;

    memcpy(name.model, capture->model->name, sizeof capture->model->name);
    svp_file_name_write(&name, file);
    snprintf(path, sizeof path, "%.3800s/data/%s", job->path, file);
    error = write_file(path, capture, config, layers, n, totals->is_simulated, &n_records);
    if (!error)
        error = board_job_mark_done(job, file, capture->begin_ns, n_records);
    if (error) { /* a part of a capture is useless and takes room, so it is removed and counted as
                    lost */
        unlink(path);
    } else {
        __atomic_fetch_add(&totals->n_records, n_records, __ATOMIC_RELAXED);
        board_say("%s: created", path);
    }
    return error;
}

static int write_layers(const BoardCapture *capture, const BoardJob *job, const SvpConfig *config,
                        const BoardLayer *layers, uint32_t n, BoardTotals *totals)
{
    unsigned waited_ms = 0;
    int error;

    do
        error = try_layers(capture, job, config, layers, n, totals);
    while (await_room(error, &waited_ms));
    return error;
}

int board_layers_end(BoardCapture *capture, const BoardJob *job, const SvpConfig *config,
                     BoardTotals *totals)
{
    Description d = {0};
    struct stat st;
    void *bytes = MAP_FAILED;
    BoardLayer *layers = NULL;
    int error = 0;

    unsubscribe_model(capture);
    if (fstat(capture->fd, &st) == 0 && st.st_size > 0 && st.st_size <= BYTES_MAX)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, capture->fd, 0);
    close(capture->fd);
    if (bytes == MAP_FAILED)
        return ENODATA;
    d.bytes = bytes;
    d.length = (size_t)st.st_size;
    if (find_functions(&d))
        layers = calloc(d.n, sizeof *layers);
    error = layers ? 0 : ENODATA;
    if (!error) {
        find_unit(&d, capture);
        for (uint32_t i = 0; i < d.n; i++)
            read_layer(&d, i, &layers[i]);
        totals->is_simulated |= d.get_counters != NULL;
        board_model_write(job, capture->model, layers, d.n);
        error = write_layers(capture, job, config, layers, d.n, totals);
    }
    free(layers);
    munmap(bytes, d.length);
    return error;
}
