/* SPDX-License-Identifier: Apache-2.0 */
#include "kineto.h"

#include <string.h>
#include <strings.h>

#define OURS KINETO_OURS
#define N(array_) (sizeof(array_) / sizeof((array_)[0]))

static const KinetoArg operator_args[] = {
    {"External id", OURS "external_id", KINETO_NUMBER, 0},
    {"Record function id", OURS "record_function", KINETO_NUMBER, 0},
    {"Concrete Inputs", OURS "concrete_inputs", KINETO_JSON, 0},
    {"Input type", "types", KINETO_TYPES, 0},
    {"Input Strides", OURS "strides", KINETO_JSON, 0},
    {"Input Dims", "shapes", KINETO_SHAPES, 0},
    {"Sequence number", "sequence", KINETO_SEQUENCE, 0},
    {"Fwd thread id", "forward_thread", KINETO_FORWARD, 0},
    {"Ev Idx", OURS "event_index", KINETO_NUMBER, 0},
    {"Call stack", "stack", KINETO_STACK, 0},
    {"Module Hierarchy", OURS "module_hierarchy", KINETO_TEXT, 0},
    {"Input dims", "shapes", KINETO_SHAPES, 1},
};

static const KinetoArg mark_args[] = {
    {"External id", OURS "external_id", KINETO_NUMBER, 0},
    {"Record function id", OURS "record_function", KINETO_NUMBER, 0},
    {"Ev Idx", OURS "event_index", KINETO_NUMBER, 0},
};

static const KinetoArg python_args[] = {
    {"External id", OURS "external_id", KINETO_NUMBER, 0},
    {"Python parent id", "parent", KINETO_PARENT, 0},
    {"Python id", "id", KINETO_NUMBER, 0},
    {"Python module id", "module", KINETO_NUMBER, 0},
    {"Ev Idx", OURS "event_index", KINETO_NUMBER, 0},
};

static const KinetoArg call_args[] = {
    {"External id", OURS "external_id", KINETO_NUMBER, 0},
    {"cbid", OURS "callback", KINETO_NUMBER, 0},
    {"correlation", "connection", KINETO_NUMBER, 0},
    {"Ev Idx", OURS "event_index", KINETO_NUMBER, 0},
};

static const KinetoArg task_args[] = {
    {"External id", OURS "external_id", KINETO_NUMBER, 0},
    {"queued", OURS "queued", KINETO_NUMBER, 0},
    {"device", NULL, KINETO_DEVICE, 0},
    {"context", OURS "context", KINETO_NUMBER, 0},
    {"stream", "stream", KINETO_NUMBER, 0},
    {"correlation", "connection", KINETO_NUMBER, 0},
    {"registers per thread", OURS "registers", KINETO_NUMBER, 0},
    {"shared memory", OURS "shared_memory", KINETO_NUMBER, 0},
    {"blocks per SM", OURS "blocks_per_sm", KINETO_NUMBER, 0},
    {"warps per SM", OURS "warps_per_sm", KINETO_NUMBER, 0},
    {"grid", "grid_dim", KINETO_DIMENSION, 0},
    {"block", "block_dim", KINETO_DIMENSION, 0},
    {"est. achieved occupancy %", OURS "occupancy", KINETO_NUMBER, 0},
    {"bytes", "copy_bytes", KINETO_NUMBER, 0},
    {"memory bandwidth (GB/s)", "copy_bandwidth", KINETO_NUMBER, 0},
};

static const KinetoArg communication_args[] = {
    {"External id", OURS "external_id", KINETO_NUMBER, 0},
    {"queued", OURS "queued", KINETO_NUMBER, 0},
    {"device", NULL, KINETO_DEVICE, 0},
    {"context", OURS "context", KINETO_NUMBER, 0},
    {"stream", NULL, KINETO_STREAM, 0},
    {"correlation", "connection", KINETO_NUMBER, 0},
    {"registers per thread", OURS "registers", KINETO_NUMBER, 0},
    {"shared memory", OURS "shared_memory", KINETO_NUMBER, 0},
    {"blocks per SM", OURS "blocks_per_sm", KINETO_NUMBER, 0},
    {"warps per SM", OURS "warps_per_sm", KINETO_NUMBER, 0},
    {"grid", OURS "grid", KINETO_DIMENSION, 0},
    {"block", OURS "block", KINETO_DIMENSION, 0},
    {"est. achieved occupancy %", OURS "occupancy", KINETO_NUMBER, 0},
    {"Collective name", "op_type", KINETO_TEXT, 0},
    {"In msg nelems", "count", KINETO_NUMBER, 0},
    {"Group size", "rank_size", KINETO_NUMBER, 0},
    {"dtype", "data_type", KINETO_TEXT, 0},
    {"Process Group Name", "group", KINETO_TEXT, 0},
};

static const KinetoArg memory_args[] = {
    {"Total Reserved", "total_reserved", KINETO_NUMBER, 0},
    {"Total Allocated", "total_allocated", KINETO_NUMBER, 0},
    {"Bytes", "size", KINETO_NUMBER, 0},
    {"Addr", "address", KINETO_NUMBER, 0},
    {"Device Id", "device", KINETO_NUMBER, 0},
    {"Device Type", OURS "device_type", KINETO_NUMBER, 0},
    {"Ev Idx", OURS "event_index", KINETO_NUMBER, 0},
};

const KinetoEvents kineto_events[] = {
    {"cpu_op", operator_args, N(operator_args)},
    {"step", mark_args, N(mark_args)},
    {"marker", mark_args, N(mark_args)},
    {"python_call", python_args, N(python_args)},
    {"api_call", call_args, N(call_args)},
    {"device_task", task_args, N(task_args)},
    {"comm_op", communication_args, N(communication_args)},
    {"memory_event", memory_args, N(memory_args)},
};
const uint32_t n_kineto_events = N(kineto_events);

const KinetoEvents *kineto_events_of(const char *kind)
{
    for (uint32_t i = 0; i < n_kineto_events; i++)
        if (!strcmp(kineto_events[i].kind, kind))
            return &kineto_events[i];
    return NULL;
}

const char *kineto_kind_of(const char *category, size_t length)
{
    /* Categories of traces from 2021, which lack "cpu_", "gpu_", "cuda_" and "_function", and the
     * later categories. */
    static const struct {
        const char *category, *kind;
    } rows[] = {
        {"cpu_op", "cpu_op"},
        {"operator", "cpu_op"},
        {"user_annotation", "marker"},
        {"gpu_user_annotation", "marker"},
        {"python_function", "python_call"},
        {"python", "python_call"},
        {"cuda_runtime", "api_call"},
        {"cuda_driver", "api_call"},
        {"runtime", "api_call"},
        {"privateuse1_runtime", "api_call"},
        {"privateuse1_driver", "api_call"},
        {"xpu_runtime", "api_call"},
        {"xpu_driver", "api_call"},
        {"mtia_runtime", "api_call"},
        {"kernel", "device_task"},
        {"gpu_memcpy", "device_task"},
        {"gpu_memset", "device_task"},
        {"memcpy", "device_task"},
        {"memset", "device_task"},
        {"mtia_ccp_events", "device_task"},
    };

    for (size_t i = 0; i < N(rows); i++)
        if (strlen(rows[i].category) == length && !strncasecmp(rows[i].category, category, length))
            return rows[i].kind;
    return NULL;
}
