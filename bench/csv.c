/* SPDX-License-Identifier: Apache-2.0 */
/* csv FOLDER KIND [MEGABYTES]: measures the CSV exporter alone, with records from memory: how many
 * bytes of kernel_details.csv (in order of device and begin, 46 columns) or of operator_details.csv
 * (shapes and call stacks) it writes in a second. The floor is a write of as many bytes. The
 * exported file is not removed. */
#include <fcntl.h>
#include <glib.h>
#include <mock-consumer-host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"

#define N_BATCH 4096
#define N_NAMES 300
#define N_STACKS 400
#define N_FRAMES 20
#define REPEATS 5

extern const StrobePlugin strobe_plugin_1;

typedef struct Load {
    StrobeMockHost *mock;
    const StrobeKind *kind;
    const char *file;
    double row_bytes; /* approximate size of a row */
    union {
        struct strobe_kernel_detail kernels[N_BATCH];
        struct strobe_operator_device operators[N_BATCH];
    } fields;
    StrobeView views[N_BATCH];
} Load;

static Load load;

static StrobeStringId intern_text(const char *format, int number)
{
    char bytes[128];

    snprintf(bytes, sizeof bytes, format, number, number);
    return strobe_mock_string(load.mock, bytes);
}

static StrobeStackId intern_stack(int number)
{
    static char frames[N_FRAMES][96];
    const char *pointers[N_FRAMES + 1] = {NULL};

    for (int i = 0; i < N_FRAMES; i++) {
        snprintf(frames[i], sizeof frames[i],
                 "/usr/lib/python3/dist-packages/torch/nn/modules/module_%d.py(%d): _call_impl", i,
                 number + i);
        pointers[i] = frames[i];
    }
    return strobe_mock_stack(load.mock, pointers);
}

static void fill_kernel(struct strobe_kernel_detail *kernel, int i)
{
    *kernel =
        (struct strobe_kernel_detail){.task = (uint64_t)i,
                                      .step = 50 + i % 10,
                                      .wait = 1000.0 * (i % 777) + i % 3,
                                      .task_id = (uint32_t)i,
                                      .stream = 2,
                                      .model = UINT32_MAX,
                                      .context = UINT32_MAX,
                                      .block_num = (uint32_t)i % 40,
                                      .core = intern_text(i % 3 ? "AI_CORE" : "AI_VECTOR_CORE", 0),
                                      .op_type = intern_text("Type%d", i % 40),
                                      .op_state = intern_text("dynamic", 0),
                                      .hf32 = intern_text("NO", 0),
                                      .exact_us = STROBE_ABSENT_F64};
    kernel->input_shapes = intern_text("\"32,%d,224,224;64,%d,11,11;64\"", i % 100);
    kernel->input_types = intern_text("FLOAT;FLOAT;FLOAT", 0);
    kernel->input_formats = intern_text("NC1HWC0;FRACTAL_Z;NCHW", 0);
    kernel->output_shapes = intern_text("\"32,%d,55,55,8\"", i % 100);
    kernel->output_types = intern_text("FLOAT", 0);
    kernel->output_formats = intern_text("NC1HWC0", 0);
    kernel->metrics = strobe_mock_string(
        load.mock,
        "aic_total_time;aic_total_cycles;aic_mac_time;aic_mac_ratio;aic_scalar_time;"
        "aic_scalar_ratio;aic_mte1_time;aic_mte1_ratio;aic_mte2_time;aic_mte2_ratio;"
        "aic_fixpipe_time;aic_fixpipe_ratio;aic_icache_miss_rate;aiv_total_time;aiv_total_cycles;"
        "aiv_vec_time;aiv_vec_ratio;aiv_scalar_time;aiv_scalar_ratio;aiv_mte2_time;"
        "aiv_mte2_ratio;aiv_mte3_time;aiv_mte3_ratio;aiv_icache_miss_rate;cube_utilization");
    for (int k = 0; k < 25; k++)
        kernel->value[k] = i % 3 && k > 12 ? 0 : (k % 2 ? 1000.0 / (3 + i % 997 + k) : 7.77 * i);
}

static void fill_operator(struct strobe_operator_device *op, int i)
{
    const int has_kernel = i % 3 == 0;

    *op = (struct strobe_operator_device){
        .host_self = 1000 + i * 7 % 100000,
        .host_total = 1000 + i * 11 % 1000000,
        .device_self = has_kernel ? 0.02 * (i % 5000) : STROBE_ABSENT_F64,
        .device_total = has_kernel ? 0.02 * (i % 5000) + 0.1 : STROBE_ABSENT_F64,
        .device_self_aicore = STROBE_ABSENT_F64,
        .device_total_aicore = STROBE_ABSENT_F64,
        .shapes = intern_text("%d,3,224,224;64,%d,7,7;", i % 100),
        .stack = intern_stack(i % N_STACKS)};
}

/* Fills the batch of records that is passed to the exporter repeatedly with different times. */
static void fill_batch(int is_kernel, int directory)
{
    load.mock = strobe_mock_new(strobe_plugin_1.components[0], directory);
    load.kind = is_kernel ? &strobe_kind_kernel_detail : &strobe_kind_operator_device;
    load.file = is_kernel ? "kernel_details.csv" : "operator_details.csv";
    load.row_bytes = is_kernel ? 380 : 1650;
    strobe_mock_metadata(load.mock)->level = 1;
    strobe_mock_metadata(load.mock)->generation = 3;
    for (int i = 0; i < N_BATCH; i++) {
        if (is_kernel)
            fill_kernel(&load.fields.kernels[i], i);
        else
            fill_operator(&load.fields.operators[i], i);
        load.views[i] = (StrobeView){.kind = strobe_mock_derived_kind(load.mock, load.kind),
                                     .fields = is_kernel ? (void *)&load.fields.kernels[i]
                                                         : (void *)&load.fields.operators[i],
                                     .name = intern_text("aten::some_operator_%d", i % N_NAMES)};
    }
}

static void check_status(StrobeStatus status)
{
    if (status)
        fail("csv", strobe_mock_error(load.mock));
}

/* Exports about `bytes` bytes. Returns the time in ns, including opening and closing. */
static double export_bytes(double bytes)
{
    const StrobeConsumerOps *ops = strobe_plugin_1.components[0]->ops;
    const long batches = (long)(bytes / load.row_bytes / N_BATCH) + 1;
    int64_t time_ns = 1736412474721516710;
    const double begin = now_ns();
    void *state;

    check_status(ops->open(strobe_mock_table(load.mock), (StrobeInstance *)load.mock, &state));
    for (long batch = 0; batch < batches; batch++) {
        for (int i = 0; i < N_BATCH; i++, time_ns += 3210) {
            load.views[i].begin_ns = time_ns;
            load.views[i].end_ns = time_ns + 2260;
        }
        check_status(ops->batch(state, load.views, N_BATCH));
    }
    check_status(ops->end(state));
    ops->close(state);
    return now_ns() - begin;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    const int is_kernel = argc > 2 && !strcmp(argv[2], "kernel");
    const double bytes = 1e6 * (double)number_argument(argc, argv, 3, 200);
    const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    Samples own = {.name = "own"}, floor = {.name = "floor"}, size = {.name = "bytes"};
    struct stat status;

    fill_batch(is_kernel, directory);
    export_bytes(1e6);
    for (int i = 0; i < REPEATS; i++) {
        double ns = export_bytes(bytes);

        if (fstatat(directory, load.file, &status, 0))
            fail(folder, "no table was written");
        samples_add(&own, (double)status.st_size / ns * 1e3);
        samples_add(&floor,
                    (double)status.st_size / plain_write(folder, (double)status.st_size) * 1e3);
        samples_add(&size, (double)status.st_size);
    }
    samples_print(&own);
    samples_print(&floor);
    samples_print(&size);
    return 0;
}
