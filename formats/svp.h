/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a camera board's profile: the kinds of records in addition to the standard kinds, the
 * names of files, and the format of numbers. libc only, because the recorder on the board, the
 * importer and the exporters share it.
 *
 * A captured inference is one record "svp.capture". Each of its tasks is a "device_task" whose
 * `connection` is the capture's id, with a "svp.layer" and, if counters were read, a
 * "device_pmu" with the same `task`. Calls are "api_call" of the level "acl".
 */
#ifndef STROBE_FORMATS_SVP_H
#define STROBE_FORMATS_SVP_H

#include <strobe/record.h>

/* "svp.capture": one captured inference; span on the device's track, named by the model. */
struct svp_capture {
    uint64_t id;          /* id of the capture, which is the `connection` of its tasks */
    uint64_t current_pic; /* pictures before this inference */
    uint32_t device;
    uint32_t model;  /* the runtime's id of the model */
    uint32_t number; /* number among the model's captures, from 1 */
    uint32_t batch;  /* pictures in a batch */
    uint32_t pics;   /* pictures in this inference */
    uint32_t tasks;  /* number of tasks; a file with fewer is incomplete; absent: unknown */
    uint8_t is_first;
};

/* "svp.layer": the layer of one task; instant at the task's begin, named by the layer. */
struct svp_layer {
    uint64_t task; /* value of the field `task` of the device_task */
    uint32_t layer_id;
    StrobeStringId ori_name; /* names of the fused layers in the original network */
    StrobeStringId fused;    /* the fused layers, joined by semicolons */
};

/* "svp.frequency": the clock of the device's cores; counter. */
struct svp_frequency {
    double frequency; /* MHz */
    uint32_t device;
    uint32_t core;
};

/* "api_call" with the additional fields of a board's call; `item` is the model's name. */
struct svp_api_call {
    StrobeStringId level, mode, item;
    uint64_t connection;
    double exact_us;
    uint32_t device;
    uint32_t model; /* absent: the call has no model */
    int32_t status; /* value that the call returned */
};

extern const StrobeKind svp_kind_capture;
extern const StrobeKind svp_kind_layer;
extern const StrobeKind svp_kind_frequency;
extern const StrobeKind svp_kind_api_call;

/* The counters of a task, in the order of a board's device_pmu. */
enum {
    SVP_CYCLES,
    SVP_MAC_BUSY,
    SVP_MAC_PPEN,
    SVP_VEC_BUSY,
    SVP_VEC_PPEN,
    SVP_DSTR,
    SVP_DTRANS,
    SVP_DLD,
    SVP_WLD,
    SVP_DDR_READ,
    SVP_DDR_WRITE,
    SVP_ICACHE_REQUESTS,
    SVP_ICACHE_MISSES,
    SVP_COUNTERS
};

/* The field `metrics` of a board's device_pmu. */
extern const char svp_metrics[];
/* Returns the counter with this name, SVP_COUNTERS if there is none. */
unsigned svp_counter_find(const char *name, size_t length);

/* Execution units, by the number of their row in the timeline: AA_CORE, AA_CPU, AA_VECTOR_CORE. The
 * names with AI instead of AA mean the same units. SVP_UNITS stands for an unknown unit. */
enum { SVP_UNIT_CORE, SVP_UNIT_CPU, SVP_UNIT_VECTOR, SVP_UNITS };
extern const char *const svp_unit_names[SVP_UNITS];
unsigned svp_unit_find(const char *name);

#endif
