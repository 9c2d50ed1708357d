/* SPDX-License-Identifier: Apache-2.0 */
/* Operations with their tasks, as the rules for time, bandwidth and links need them. */
#ifndef STROBE_PASSES_COMM_TASKS_H
#define STROBE_PASSES_COMM_TASKS_H

#include <glib.h>
#include <strobe/exporter.h>

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
    guint64 op; /* absent: by time and track */
    gint64 begin_ns;
    double us;
    guint64 size;   /* B */
    guint64 number; /* of the track */
    guint32 plane, source, target;
    guint order;
    gint32 device;
    StrobeStringId link; /* type of the link */
    guint8 type;         /* TASK_* */
    guint8 transport;    /* of a copy or a payload */
    guint8 is_on_chip;
    guint8 is_master;
} CommTask;

typedef struct CommOp {
    guint64 op; /* absent: by time and track */
    gint64 begin_ns, end_ns;
    double us;
    guint64 number; /* of the track */
    guint order;
    gint32 device;
    StrobeTrackId track;
    StrobeStringId name, group;
    GArray *tasks; /* of CommTask, by plane and time; NULL: none */
} CommOp;

/* One transfer: a copy, or a run of payloads with the tasks that close it. */
typedef struct CommTransfer {
    double us;
    guint64 size;
    const CommTask *task; /* the first one */
} CommTransfer;

/* Assigns every task to its operation; sorts `ops` by begin. */
void comm_tasks_assign(GArray *ops, const GArray *tasks);

/* The transfer whose first task is at index `at`; sets `next` to the index where the search
 * continues. FALSE: no transfer begins there. */
gboolean comm_transfer_at(const CommOp *op, guint at, gboolean is_p2p, CommTransfer *transfer,
                          guint *next);

#endif
