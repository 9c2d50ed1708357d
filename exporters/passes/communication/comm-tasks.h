/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns tasks to their operations, and finds the transfers of an operation. The pass derives
 * times, bandwidths and links from the transfers. */
#ifndef STROBE_PASSES_COMM_TASKS_H
#define STROBE_PASSES_COMM_TASKS_H

#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/state-array.h>

enum { TASK_OTHER, TASK_WAIT, TASK_COPY, TASK_PAYLOAD };
enum {
    TRANSPORT_RDMA,
    TRANSPORT_HCCS,
    TRANSPORT_PCIE,
    TRANSPORT_SDMA,
    TRANSPORT_SIO,
    N_TRANSPORTS
};

extern const char *const comm_transport_names[N_TRANSPORTS];

typedef struct CommTask {
    guint64 op; /* id of its operation; absent: the operation is found by time and track */
    gint64 begin_ns;
    double us;
    guint64 size;   /* B */
    guint64 number; /* number of the track */
    guint32 plane, source, target;
    guint order;
    guint owner; /* index of its operation, set by comm_tasks_assign */
    gint32 device;
    StrobeStringId link; /* type of the connection between the ranks */
    guint8 type;         /* TASK_* */
    guint8 transport;    /* TRANSPORT_* of a copy or a payload */
    guint8 is_on_chip;
    guint8 is_master;
} CommTask;

typedef struct CommOp {
    /* id of the operation; absent: tasks are assigned to the operation by time and track */
    guint64 op;
    gint64 begin_ns, end_ns;
    double us;
    guint64 number; /* number of the track */
    guint order;
    gint32 device;
    StrobeTrackId track;
    StrobeStringId name, group;
    const CommTask *tasks; /* sorted by plane and time; valid as long as the list of tasks */
    guint n_tasks;
} CommOp;

/* A transfer: a copy, or successive payloads of one plane with the fixed number of tasks after them
 * that end the transfer. */
typedef struct CommTransfer {
    double us;
    guint64 size;
    const CommTask *task; /* the first task of the transfer */
} CommTransfer;

/* Assigns every task (CommTask) to its operation (CommOp). Sorts `ops` by begin, and sorts
 * `tasks`. */
void comm_tasks_assign(GArray *ops, StrobeStateArray *tasks);

/* Finds the transfer whose first task has the index `at`. Sets `next` to the index at which to
 * search for the next transfer. Returns FALSE if no transfer begins at `at`. */
gboolean comm_transfer_at(const CommOp *op, guint at, gboolean is_p2p, CommTransfer *transfer,
                          guint *next);

#endif
