/* SPDX-License-Identifier: Apache-2.0 */
#include "test-svp-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

void svp_fixture_set_up(SvpFixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-svp-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
    strobe_mock_metadata(f->mock)->pid = 4242; /* the pid of the host's tracks */
}

void svp_fixture_tear_down(SvpFixture *f, gconstpointer unused)
{
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->folder);
    close(f->directory);
    strobe_mock_free(f->mock);
}

char *svp_fixture_take(SvpFixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    g_remove(path);
    return text;
}

static const struct {
    const char *ori_name, *name, *type, *core;
    gint64 us;
    double counters[SVP_COUNTERS];
} layers[] = {
    {"conv1",
     "conv1",
     "Convolution",
     "AA_CORE",
     400,
     {400000, 320000, 260000, 20000, 12000, 40000, 8000, 96000, 60000, 1048576, 524288, 2000, 65}},
    {"pool1",
     "pool1",
     "Pooling",
     "AA_CORE",
     200,
     {200000, 0, 0, 180000, 120000, 140000, 2000, 90000, 0, 409600, 102400, 1000, 35}},
    {"detect", "detect", "DetectionOutput", "AA_CPU", 300, {-1}},
    {"conv2;relu2",
     "conv2+relu2",
     "Convolution",
     "AA_CORE",
     100,
     {100000, 50000, 40000, 10000, 0, 5000, 1000, 60000, 20000, 204800, 51200, 1000, 30}},
};

static void add_counters(SvpFixture *f, StrobeTrackId track, guint64 task, gint64 begin, gint64 end,
                         const double *counters)
{
    struct strobe_device_pmu pmu = {.task = task,
                                    .metrics = strobe_mock_string(f->mock, svp_metrics)};

    if (counters[0] < 0)
        return;
    memcpy(pmu.value, counters, SVP_COUNTERS * sizeof *counters);
    strobe_mock_add(f->mock, &strobe_kind_device_pmu, track, 0, begin, end, &pmu);
}

void svp_fixture_add_layers(SvpFixture *f, const char *model, guint32 number, gint64 begin)
{
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_STREAM, 0, NULL, NULL, 0);
    const guint64 id = 1000 + number;
    gint64 at = begin;

    for (guint i = 0; i < G_N_ELEMENTS(layers); i++) {
        const guint64 task = id << 20 | i;
        const StrobeStringId name = strobe_mock_string(f->mock, layers[i].name);
        const struct svp_layer layer = {.task = task,
                                        .layer_id = i,
                                        .ori_name =
                                            strobe_mock_string(f->mock, layers[i].ori_name)};
        const struct strobe_device_task fields = {
            .task = task,
            .connection = id,
            .task_id = i,
            .model = 1,
            .core = strobe_mock_string(f->mock, layers[i].core),
            .op_type = strobe_mock_string(f->mock, layers[i].type),
            .is_kernel = 1};
        const gint64 end = at + layers[i].us * 1000;

        strobe_mock_add(f->mock, &strobe_kind_device_task, track, name, at, end, &fields);
        strobe_mock_add(f->mock, &svp_kind_layer, track, name, at, at, &layer);
        add_counters(f, track, task, at, end, layers[i].counters);
        at = end;
    }
    const struct svp_capture capture = {.id = id,
                                        .current_pic = (number - 1) * 200,
                                        .model = 1,
                                        .number = number,
                                        .batch = 1,
                                        .pics = 1,
                                        .tasks = G_N_ELEMENTS(layers),
                                        .is_first = number == 1};
    strobe_mock_add(f->mock, &svp_kind_capture, track, strobe_mock_string(f->mock, model), begin,
                    at, &capture);
}

void svp_fixture_add_call(SvpFixture *f, const char *name, const char *mode, guint32 model,
                          guint64 tid, gint64 begin, gint64 duration)
{
    const struct svp_api_call call = {
        .level = strobe_mock_string(f->mock, "acl"),
        .mode = strobe_mock_string(f->mock, mode),
        .item = model == STROBE_ABSENT_U32 ? 0 : strobe_mock_string(f->mock, "resnet50"),
        .connection = STROBE_ABSENT_U64,
        .exact_us = STROBE_ABSENT_F64,
        .model = model};
    StrobeTrackId track = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, tid, NULL, NULL, -1);

    strobe_mock_add(f->mock, &svp_kind_api_call, track, strobe_mock_string(f->mock, name), begin,
                    begin + duration, &call);
}

void svp_fixture_add_calls(SvpFixture *f)
{
    static const struct {
        const char *name, *mode;
        guint32 model;
        gint64 begin, duration;
    } calls[] = {
        {"svp_acl_rt_malloc", "runtime", STROBE_ABSENT_U32, 1000000000, 10000},
        {"svp_acl_rt_malloc", "runtime", STROBE_ABSENT_U32, 1000020000, 20000},
        {"svp_acl_rt_malloc", "runtime", STROBE_ABSENT_U32, 1000050000, 30000},
        {"svp_acl_mdl_load_from_mem", "model", 1, 1001000000, 30000000},
        {"svp_acl_mdl_execute", "model", 1, 1040000000, 23299000},
        {"svp_acl_mdl_execute", "model", 1, 1070000000, 14190000},
    };

    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        svp_fixture_add_call(f, calls[i].name, calls[i].mode, calls[i].model, 4242, calls[i].begin,
                             calls[i].duration);
}

void svp_fixture_add_frequency(SvpFixture *f, gint64 time, double mhz)
{
    const struct svp_frequency fields = {.frequency = mhz};

    strobe_mock_add(f->mock, &svp_kind_frequency, 0, 0, time, time, &fields);
}
