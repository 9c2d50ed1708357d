/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mix FOLDER RECORDS [SEED]: writes a synthetic capture with at least this number of records, in
 * whole steps, with the same mix of kinds as a real training run on an Ascend device; prints the
 * path of the capture. The same seed makes the same records.
 *
 * For each kind, the number of records in the real run (level 1, one step of a small network on two
 * devices, read from its database), and in a step of the synthetic capture:
 *
 *     python_call    1282  1282     device_task   552   552     hbm           104   104
 *     module_memory  1078  1078     memory_event  495   495     memory_usage   28    28
 *     cpu_op          860   860     task_queue    318   318     llc            26    26
 *     api_call        710   710     comm_task     296   296     soc_bandwidth  16    16
 *     acc_pmu         688   688     device_pmu    185   185     comm_op, step   5     5
 */
#include "mix.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "measure.h"

#define SORTER_BYTES ((gsize)256 << 20)
#define BEGIN_NS 1736410576284680000
#define PID 3136493u

static const StrobeKind *const kinds[MIX_KINDS] = {
    [MIX_STEP] = &strobe_kind_step,
    [MIX_CPU_OP] = &strobe_kind_cpu_op,
    [MIX_PYTHON_CALL] = &strobe_kind_python_call,
    [MIX_TASK_QUEUE] = &strobe_kind_task_queue,
    [MIX_API_CALL] = &strobe_kind_api_call,
    [MIX_DEVICE_TASK] = &strobe_kind_device_task,
    [MIX_DEVICE_PMU] = &strobe_kind_device_pmu,
    [MIX_COMM_OP] = &strobe_kind_comm_op,
    [MIX_COMM_TASK] = &strobe_kind_comm_task,
    [MIX_MEMORY_EVENT] = &strobe_kind_memory_event,
    [MIX_MEMORY_USAGE] = &strobe_kind_memory_usage,
    [MIX_MODULE_MEMORY] = &strobe_kind_module_memory,
    [MIX_ACC_PMU] = &strobe_kind_acc_pmu,
    [MIX_HBM] = &strobe_kind_hbm,
    [MIX_LLC] = &strobe_kind_llc,
    [MIX_SOC_BANDWIDTH] = &strobe_kind_soc_bandwidth,
    [MIX_CORE_FREQUENCY] = &strobe_kind_core_frequency,
    [MIX_DEVICE_INFO] = &strobe_kind_device_info,
    [MIX_METADATA] = &strobe_kind_metadata,
};

static const struct {
    uint32_t type;
    int32_t device;
    uint64_t id;
    const char *name, *group;
} tracks[MIX_TRACKS] = {
    [MIX_MAIN] = {STROBE_TRACK_THREAD, -1, PID, "Thread 3136493", NULL},
    [MIX_BACKWARD] = {STROBE_TRACK_THREAD, -1, 3146352, "Thread 3146352", NULL},
    [MIX_QUEUE] = {STROBE_TRACK_THREAD, -1, 3140046, "Thread 3140046", NULL},
    [MIX_MAIN_API] = {STROBE_TRACK_THREAD, -1, PID, "Thread 3136493", "CANN"},
    [MIX_BACKWARD_API] = {STROBE_TRACK_THREAD, -1, 3146352, "Thread 3146352", "CANN"},
    [MIX_QUEUE_API] = {STROBE_TRACK_THREAD, -1, 3140046, "Thread 3140046", "CANN"},
    [MIX_RELEASE_API] = {STROBE_TRACK_THREAD, -1, 3140047, "Thread 3140047", "CANN"},
    [MIX_STREAM] = {STROBE_TRACK_STREAM, 0, 2, "Stream 2", "Ascend Hardware"},
    [MIX_SIDE_STREAM] = {STROBE_TRACK_STREAM, 0, 3, "Stream 3", "Ascend Hardware"},
    [MIX_COMM_STREAM] = {STROBE_TRACK_STREAM, 0, 4, "Stream 4", "Ascend Hardware"},
    [MIX_GROUP] = {STROBE_TRACK_STREAM, 0, 0, "Group 0 Communication", "HCCL"},
    [MIX_PLANE] = {STROBE_TRACK_PLANE, 0, 1, "Plane 0", "HCCL"},
    [MIX_PLANE + 1] = {STROBE_TRACK_PLANE, 0, 2, "Plane 1", "HCCL"},
    [MIX_PLANE + 2] = {STROBE_TRACK_PLANE, 0, 3, "Plane 2", "HCCL"},
    [MIX_PLANE + 3] = {STROBE_TRACK_PLANE, 0, 4, "Plane 3", "HCCL"},
    [MIX_PLANE + 4] = {STROBE_TRACK_PLANE, 0, 5, "Plane 4", "HCCL"},
    [MIX_PLANE + 5] = {STROBE_TRACK_PLANE, 0, 6, "Plane 5", "HCCL"},
    [MIX_PLANE + 6] = {STROBE_TRACK_PLANE, 0, 7, "Plane 6", "HCCL"},
    [MIX_PLANE + 7] = {STROBE_TRACK_PLANE, 0, 8, "Plane 7", "HCCL"},
    [MIX_ALLOCATOR] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "memory_event"},
    [MIX_DEVICE_MEMORY] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "NPU MEM"},
    [MIX_MODULES] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "module_memory"},
    [MIX_ACCELERATORS] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "Acc PMU"},
    [MIX_HBM_STACKS] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "HBM"},
    [MIX_CACHES] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "LLC"},
    [MIX_SOC] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "Stars Soc Info"},
    [MIX_FREQUENCY] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "AI Core Freq"},
    [MIX_DEVICE] = {STROBE_TRACK_COUNTER, 0, 0, NULL, "device_info"},
    [MIX_STEPS] = {STROBE_TRACK_STEPS, -1, 0, NULL, NULL},
    [MIX_PROCESS] = {STROBE_TRACK_PROCESS, -1, 0, NULL, NULL},
};

/* ---- common functions ---- */

uint64_t mix_random(Mix *mix, uint64_t n)
{
    return (scatter_number(mix->seed++) >> 11) % n;
}

int64_t mix_skewed(Mix *mix, int64_t least, unsigned doublings)
{
    return least + (int64_t)mix_random(mix, (uint64_t)least << mix_random(mix, doublings + 1));
}

unsigned mix_share(uint64_t total, uint64_t place, uint64_t n)
{
    return (unsigned)(total * (place + 1) / n - total * place / n);
}

uint32_t mix_pick(Mix *mix, MixText which)
{
    return mix->texts[which].ids[mix_random(mix, mix->texts[which].n)];
}

void *mix_add(Mix *mix, MixKind kind, MixTrack track, uint32_t name, int64_t begin, int64_t end)
{
    GError *error = NULL;
    void *fields = strobe_import_capture_add(mix->capture, mix->kinds[kind], mix->tracks[track],
                                             name, begin, end, &error);

    if (!fields)
        fail("mix", error->message);
    return fields;
}

/* ---- the capture ---- */

static void declare_kinds(Mix *mix)
{
    char error[256] = "";

    for (int i = 0; i < MIX_KINDS; i++) {
        mix->kinds[i] = strobe_import_capture_kind(mix->capture, kinds[i], error, sizeof error);
        if (!mix->kinds[i])
            fail(kinds[i]->name, error);
    }
    for (int i = 0; i < MIX_TRACKS; i++) {
        const StrobeTrack track = {.struct_size = sizeof track,
                                   .type = tracks[i].type,
                                   .device = tracks[i].device,
                                   .id = tracks[i].id,
                                   .name = tracks[i].name,
                                   .group = tracks[i].group};

        mix->tracks[i] = strobe_import_capture_track(mix->capture, &track, PID);
    }
    mix_texts_make(mix);
}

/* Adds the records that occur once in a run. */
static void add_metadata(Mix *mix)
{
    struct strobe_device_info *device =
        mix_add(mix, MIX_DEVICE_INFO, MIX_DEVICE, mix_text(mix, "Ascend910B"), BEGIN_NS, BEGIN_NS);
    struct strobe_core_frequency *frequency;
    struct strobe_metadata *metadata;

    *device = (struct strobe_device_info){0};
    frequency = mix_add(mix, MIX_CORE_FREQUENCY, MIX_FREQUENCY, 0, BEGIN_NS, BEGIN_NS);
    *frequency = (struct strobe_core_frequency){.frequency = 1800, .die = -1};
    metadata =
        mix_add(mix, MIX_METADATA, MIX_PROCESS, mix_text(mix, "ENV_VARIABLES"), BEGIN_NS, BEGIN_NS);
    metadata->value = mix_text(mix, "{\"ASCEND_GLOBAL_LOG_LEVEL\": \"\"}");
    metadata->is_json = 1;
}

static int64_t add_steps(Mix *mix, uint64_t records)
{
    int64_t begin = BEGIN_NS + 1000;

    for (; strobe_import_capture_n_records(mix->capture, 0) < records; mix->step++) {
        const int64_t end = mix_host_step(mix, begin);

        mix_device_samples(mix, begin, end);
        begin = end;
    }
    return begin;
}

static void write_capture(Mix *mix, const char *folder, int64_t end)
{
    g_autofree char *framework = g_build_filename(folder, "FRAMEWORK", NULL);
    g_autofree char *path = g_build_filename(framework, "capture.strobe", NULL);
    g_autofree char *run_metadata = g_strdup_printf(
        "{\"pid\": %u, \"rank\": 0, \"device\": 0, \"generation\": 1, \"level\": 1, "
        "\"session_begin_ns\": %" G_GINT64_FORMAT ", \"session_end_ns\": %" G_GINT64_FORMAT
        ", \"start_realtime_ns\": %" G_GINT64_FORMAT ", \"source\": {\"importer\": "
        "\"ascend_db\", \"format\": \"made up after a database\", \"unknown\": []}}",
        PID, (gint64)BEGIN_NS, (gint64)end, (gint64)BEGIN_NS);
    GError *error = NULL;
    int file;

    if (g_mkdir_with_parents(framework, 0750))
        fail(framework, strerror(errno));
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    if (file < 0)
        fail(path, strerror(errno));
    /* a temporary capture is not synced, so this does not wait for the disk */
    strobe_import_capture_set_temporary(mix->capture);
    if (!strobe_import_capture_write(mix->capture, file, run_metadata, &error))
        fail(path, error->message);
    printf("%s\n", path);
}

int main(int argc, char **argv)
{
    static Mix mix = {
        .connection = 936, .correlation = 9884, .stream_task = 11061, .reserved = 1522532352};

    if (argc < 3)
        fail("usage", "mix FOLDER RECORDS [SEED]");
    mix.seed = scatter_number((uint64_t)number_argument(argc, argv, 3, 1));
    mix.capture = strobe_import_capture_new(argv[1], SORTER_BYTES);
    declare_kinds(&mix);
    add_metadata(&mix);
    write_capture(&mix, argv[1],
                  add_steps(&mix, (uint64_t)number_argument(argc, argv, 2, 1000000)));
    strobe_import_capture_free(mix.capture);
    mix_texts_clear(&mix);
    return 0;
}
