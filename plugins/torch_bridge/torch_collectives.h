/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the collectors that record communication and the part of the backend that reports the
 * operations of torch.distributed's process groups.
 *
 * The calls may come from any thread; none throws or blocks. The backend lives as long as the
 * process.
 */
#ifndef STROBE_TORCH_COLLECTIVES_H
#define STROBE_TORCH_COLLECTIVES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_TORCH_COLLECTIVES_SYMBOL "strobe_torch_collectives_2"

/* Which collector is meant: each has its own begin and end. */
enum { STROBE_TORCH_MARKS, STROBE_TORCH_OPERATIONS, STROBE_TORCH_CLIENTS };

/* One operation of a process group. The texts are valid during the call. */
typedef struct StrobeTorchCollective {
    const char *title; /* "gloo:all_reduce" */
    const char *type;  /* of the input's elements: "fp32", "int64" ..., "na" for none or another */
    uint64_t count;    /* elements of the input, all tensors together */
    uint64_t bytes;    /* of these */
    const char *group; /* name of the process group; NULL: not known */
    uint64_t number;   /* of the operation in its group, from 1; collectives and transfers between
                        * two ranks are counted apart; 0: not known */
    int64_t peer;      /* rank in the group that it goes to, comes from or that is its root; -1:
                        * none, or not known */
    int32_t size;      /* ranks of the group; 0: not known */
    uint32_t reserved;
} StrobeTorchCollective;

/* Operations are reported as they run and as they are complete, whatever issued them. Operators
 * cost nothing more: the backend reads the ranges that process groups mark, and registers a kernel
 * for the operators of process groups only. */
typedef struct StrobeTorchCollectives {
    uint32_t struct_size;
    uint32_t reserved;
    /* `begin` returns what `end` gets, 0: it is not to be called. Both may come from any thread,
     * `end` after disable() too. Returns NULL, or why not. */
    const char *(*enable)(uint32_t client,
                          uint64_t (*begin)(const StrobeTorchCollective *operation),
                          void (*end)(uint64_t id));
    void (*disable)(uint32_t client);

    /* For libtorch before 2, where a group does not know its name. The group of what the calling
     * thread issues from now on, and the rank in it that it goes to or comes from, -1: none; NULL:
     * not known. */
    void (*set_group)(const char *name, int64_t peer);
    /* The group of operations of which nothing else is known; NULL: not known either. */
    void (*set_usual_group)(const char *name);
} StrobeTorchCollectives;

#if defined(__cplusplus)
}
#endif

#endif
