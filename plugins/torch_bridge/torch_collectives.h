/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface between the collectors that record communication and the part of the backend that
 * reports the operations of torch.distributed's process groups.
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

/* The collectors that use the interface, each with its own `begin` and `end`. */
enum { STROBE_TORCH_MARKS, STROBE_TORCH_OPERATIONS, STROBE_TORCH_CLIENTS };

/* An operation of a process group. The texts are valid only during the call. */
typedef struct StrobeTorchCollective {
    const char *title; /* for example "gloo:all_reduce" */
    /* type of the input's elements, for example "fp32" or "int64"; "na": no input, or another
     * type */
    const char *type;
    uint64_t count;    /* number of elements in all tensors of the input */
    uint64_t bytes;    /* size of these elements in bytes */
    const char *group; /* name of the process group; NULL: unknown */
    /* number of the operation in its group, from 1, with separate numbers for collectives and for
     * transfers between two ranks; 0: unknown */
    uint64_t number;
    int64_t peer; /* rank of the other side or of the root in the group; -1: none, or unknown */
    int32_t size; /* number of ranks in the group; 0: unknown */
    uint32_t reserved;
} StrobeTorchCollective;

/* Reports the begin and end of each operation of a process group. Other operators do not become
 * slower: the backend reads the ranges that process groups mark, and registers a kernel only for
 * the operators of process groups. */
typedef struct StrobeTorchCollectives {
    uint32_t struct_size;
    uint32_t reserved;
    /* Begins to report operations. `begin` returns a number that is passed to `end`; 0: `end` is
     * not called. `begin` and `end` may be called on any thread, `end` even after disable(). enable
     * returns NULL, or the reason of a failure. */
    const char *(*enable)(uint32_t client,
                          uint64_t (*begin)(const StrobeTorchCollective *operation),
                          void (*end)(uint64_t id));
    void (*disable)(uint32_t client);

    /* For libtorch before 2, in which a group does not have a name. Sets the group of the
     * operations that the calling thread issues from now on, and the rank of the other side (-1:
     * none). `name` NULL: the group is unknown. */
    void (*set_group)(const char *name, int64_t peer);
    /* Sets the group of operations whose group is otherwise unknown; NULL: unknown. */
    void (*set_usual_group)(const char *name);
} StrobeTorchCollectives;

#if defined(__cplusplus)
}
#endif

#endif
