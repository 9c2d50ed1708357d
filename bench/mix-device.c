/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the device's records of a step: kernels, copies, collective operations, and samples. */
#include "mix.h"

#include <glib.h>

#define TRANSFERS 74 /* number of transfers in a collective operation */
#define PMU_CUBE 13  /* number of values of the cube cores, which come first in a record */
#define PMU_VALUES 28
#define NONE 65535

/* Numbers of records and other things in a step. */
enum { BLOCKS = 57, SIDE_COPIES = 18, UNMEASURED = 2 };

static struct strobe_device_task *add_task(Mix *mix, MixTrack track, uint32_t name,
                                           uint64_t connection, int64_t begin, int64_t end)
{
    static const uint32_t streams[] = {
        [MIX_STREAM] = 2, [MIX_SIDE_STREAM] = 3, [MIX_COMM_STREAM] = 4};
    struct strobe_device_task *task = mix_add(mix, MIX_DEVICE_TASK, track, name, begin, end);

    task->task = mix->task++;
    task->connection = connection;
    task->task_id = (uint32_t)(mix->stream_task++ % 65536);
    task->stream = streams[track];
    task->is_kernel = 0;
    return task;
}

static void add_metrics(Mix *mix, uint64_t task, uint32_t name, gboolean is_cube, int64_t begin,
                        int64_t end)
{
    struct strobe_device_pmu *pmu = mix_add(mix, MIX_DEVICE_PMU, MIX_STREAM, name, begin, end);

    pmu->task = task;
    pmu->metrics = mix->texts[MIX_METRICS].ids[0];
    for (int i = 0; i < PMU_VALUES; i++) {
        const double share = (double)mix_random(mix, 1000000) / 1e6;

        if ((i < PMU_CUBE) != is_cube)
            pmu->value[i] = 0;
        else if (i % PMU_CUBE % 2 == 0 || i % PMU_CUBE == 1) /* the values of times and cycles */
            pmu->value[i] = (double)(end - begin) * share;
        else
            pmu->value[i] = share;
    }
}

/* Adds the workspace of a kernel, which is allocated from the call until the launch of the
 * kernel. */
static void add_block(Mix *mix, uint32_t name, int64_t begin)
{
    const int64_t bytes = 512 << mix_random(mix, 16);

    for (uint32_t action = 0; action < 2; action++) {
        struct strobe_memory_event *event =
            mix_add(mix, MIX_MEMORY_EVENT, MIX_QUEUE_API, name, begin + 1800 * action, 0);

        event->address = 0x12c000000000u + mix->kernel * 0x4000000u;
        event->size = action ? -bytes : bytes;
        event->total_allocated = 51511296 + (action ? 0 : bytes);
        event->total_reserved = 78381056;
        event->action = action;
        event->device = 0;
        event->component = mix->texts[MIX_ALLOCATORS].ids[MIX_GE];
    }
}

void mix_device_kernel(Mix *mix, uint64_t connection, int64_t begin)
{
    const uint32_t name = mix_pick(mix, MIX_KERNELS);
    const gboolean is_cube = mix_random(mix, 186) < 23;
    const int64_t at = MAX(mix->stream + 1000, begin + 2500);
    const int64_t end = at + mix_skewed(mix, 1200, 7);
    const int64_t task_number = (int64_t)mix->task;
    struct strobe_device_task *task = add_task(mix, MIX_STREAM, name, connection, at, end);

    task->is_kernel = 1;
    task->block_num = 1 + (uint32_t)mix_random(mix, 40);
    task->mix_block_num = 0;
    task->host_type = mix->texts[MIX_TASK_TYPES].ids[is_cube ? MIX_CUBE : MIX_VECTOR];
    task->core = mix->texts[MIX_CORES].ids[is_cube];
    task->op_type = mix_pick(mix, MIX_KERNEL_TYPES);
    if (mix_random(mix, 187) < 174) {
        task->input_shapes = mix_pick(mix, MIX_KERNEL_SHAPES);
        task->input_types = mix_pick(mix, MIX_KERNEL_DATA);
        task->input_formats = mix_pick(mix, MIX_FORMATS);
        task->output_shapes = mix_pick(mix, MIX_KERNEL_SHAPES);
        task->output_types = mix_pick(mix, MIX_KERNEL_DATA);
        task->output_formats = mix_pick(mix, MIX_FORMATS);
    }
    if (!mix_share(UNMEASURED, mix->kernel, MIX_KERNELS_A_STEP))
        add_metrics(mix, (uint64_t)task_number, name, is_cube, at, end);
    if (mix_share(BLOCKS, mix->kernel, MIX_KERNELS_A_STEP))
        add_block(mix, name, begin - 2500);
    mix->kernel++;
    mix->stream = end;
}

void mix_device_copy(Mix *mix, uint64_t connection, int64_t begin)
{
    const gboolean is_beside = mix_share(SIDE_COPIES, mix->layer, MIX_LAYERS) != 0;
    const uint64_t type = MIX_COPY + mix_random(mix, 3);
    const int64_t at = MAX(mix->stream + 500, begin + 2500);
    const int64_t end = at + (type == MIX_COPY ? mix_skewed(mix, 1500, 2) : 20);
    const uint32_t name = mix->texts[MIX_TASK_TYPES].ids[type];

    add_task(mix, is_beside ? MIX_SIDE_STREAM : MIX_STREAM, name, connection, at, end)->host_type =
        name;
    mix->stream = end;
}

/* Adds a transfer on its plane, and the device task that carries it out. */
static void add_transfer(Mix *mix, uint32_t i, uint64_t connection, int64_t begin, int64_t end)
{
    const uint32_t plane = i < 4 ? 0 : 1 + (i - 4) % (MIX_PLANES - 1);
    const uint64_t transfer_type = i < 4 ? 2 + i % 2 : i % 5 == 4 ? 2 : i % 2;
    const uint32_t name = mix->texts[MIX_TRANSFERS].ids[transfer_type];
    const uint64_t number = mix->task;
    struct strobe_device_task *task = add_task(mix, MIX_COMM_STREAM, name, connection, begin, end);
    const uint32_t task_id = task->task_id;
    struct strobe_comm_task *transfer;

    task->host_type = mix->texts[MIX_TASK_TYPES].ids[transfer_type < 2 ? MIX_WAIT : MIX_DMA];
    task->context = i;
    transfer = mix_add(mix, MIX_COMM_TASK, (MixTrack)(MIX_PLANE + plane), name, begin, end);
    transfer->op = mix->comm_op;
    transfer->task = number;
    transfer->connection = connection;
    transfer->size = transfer_type < 2 ? 0 : 1245184 + 4096 * (mix->comm_op % 4096);
    transfer->notify = mix_pick(mix, MIX_NOTIFIES);
    transfer->plane = plane;
    transfer->stream = 4;
    transfer->task_id = task_id;
    transfer->context = i;
    transfer->source_rank = 0;
    transfer->target_rank = plane;
    transfer->group = mix->texts[MIX_COMMUNICATOR].ids[MIX_GROUP_NAME];
    transfer->transport = mix->texts[MIX_LINKS].ids[transfer_type == 1 ? 3 : 2];
    transfer->link_type = mix->texts[MIX_LINKS].ids[transfer_type < 2 ? 0 : 1];
    transfer->rdma_type = mix->texts[MIX_LINKS].ids[0];
    transfer->data_type = mix->texts[MIX_LINKS].ids[0];
}

void mix_device_collective(Mix *mix, uint64_t connection, int64_t begin)
{
    const uint32_t *texts = mix->texts[MIX_COMMUNICATOR].ids;
    const int64_t at = MAX(mix->comm + 1000, begin + 10000);
    const uint32_t name = mix_text(mix, "hcom_allReduce__210_%u_1", (unsigned)mix->comm_op);
    struct strobe_comm_op *op;

    mix->comm = at;
    mix->comm_op++;
    /* two tasks that record events, and two tasks that wait for events */
    for (int i = 0; i < 4; i++)
        add_task(mix, MIX_COMM_STREAM, mix->texts[MIX_TASK_TYPES].ids[MIX_RECORD + i % 2],
                 connection, at - 900 + 20 * i, at - 880 + 20 * i)
            ->host_type = mix->texts[MIX_TASK_TYPES].ids[MIX_RECORD + i % 2];
    for (uint32_t i = 0; i < TRANSFERS; i++) {
        const int64_t end = mix->comm + mix_skewed(mix, 600, 8);

        add_transfer(mix, i, connection, mix->comm, end);
        mix->comm = end + 500;
    }
    op = mix_add(mix, MIX_COMM_OP, MIX_GROUP, name, at, mix->comm - 500);
    op->op = mix->comm_op;
    op->connection = connection;
    op->count = 4097000;
    op->relay = 0;
    op->retry = 0;
    op->group = texts[MIX_GROUP_NAME];
    op->op_type = texts[MIX_ALL_REDUCE];
    op->algorithm = texts[MIX_ALGORITHM];
    op->data_type = texts[MIX_FLOAT];
}

/* ---- samples ---- */

static void sample_memory(Mix *mix, int64_t t)
{
    for (uint32_t i = 0; i < mix->texts[MIX_OWNERS].n; i++) {
        struct strobe_memory_usage *usage =
            mix_add(mix, MIX_MEMORY_USAGE, MIX_DEVICE_MEMORY, mix->texts[MIX_OWNERS].ids[i], t, t);

        *usage =
            (struct strobe_memory_usage){.hbm = 2212077568 + 4096 * (int64_t)mix_random(mix, 512)};
    }
    for (uint32_t i = 0; i < mix->texts[MIX_PARTS].n; i++) {
        struct strobe_module_memory *part =
            mix_add(mix, MIX_MODULE_MEMORY, MIX_MODULES, mix->texts[MIX_PARTS].ids[i], t, t);

        *part =
            (struct strobe_module_memory){.reserved = i % 11 ? 0 : 4096 * (int64_t)i, .module = i};
    }
}

static void sample_bandwidth(Mix *mix, int64_t t)
{
    const uint32_t *accesses = mix->texts[MIX_ACCESSES].ids;

    for (uint32_t i = 0; i < 8; i++) {
        struct strobe_hbm *hbm = mix_add(mix, MIX_HBM, MIX_HBM_STACKS, accesses[i / 4], t, t);

        *hbm = (struct strobe_hbm){.bandwidth = 1048576.0 * (double)mix_random(mix, 5000),
                                   .id = i % 4};
    }
    for (uint32_t i = 0; i < 2; i++) {
        struct strobe_llc *llc = mix_add(mix, MIX_LLC, MIX_CACHES, accesses[0], t, t);

        *llc = (struct strobe_llc){.hit_rate = (double)mix_random(mix, 1000) / 10,
                                   .throughput = (double)mix_random(mix, 20000000000),
                                   .id = i};
    }
}

/* Adds samples of the counters, which are read in four groups. */
static void sample_accelerators(Mix *mix, int64_t t)
{
    static const uint32_t groups[] = {1, 10, 28, 4};

    for (uint32_t group = 0; group < G_N_ELEMENTS(groups); group++, t += 2000)
        for (uint32_t i = 0; i < groups[group]; i++) {
            struct strobe_acc_pmu *pmu = mix_add(mix, MIX_ACC_PMU, MIX_ACCELERATORS, 0, t, t);

            *pmu = (struct strobe_acc_pmu){.id = i};
        }
}

void mix_device_samples(Mix *mix, int64_t begin, int64_t end)
{
    for (int i = 0; i < 16; i++)
        sample_accelerators(mix, begin + (end - begin) * i / 16 + 300);
    for (int i = 0; i < 14; i++)
        sample_memory(mix, begin + (end - begin) * i / 14);
    for (int i = 0; i < 13; i++)
        sample_bandwidth(mix, begin + (end - begin) * i / 13 + 200);
    for (int i = 0; i < 16; i++) {
        struct strobe_soc_bandwidth *soc =
            mix_add(mix, MIX_SOC_BANDWIDTH, MIX_SOC, 0, begin + (end - begin) * i / 16 + 100, 0);

        *soc = (struct strobe_soc_bandwidth){.mata = (int64_t)mix_random(mix, 2)};
    }
}
