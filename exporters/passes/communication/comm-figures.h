/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the figures of an operation (times, bandwidths, links), and the sums over several
 * operations. */
#ifndef STROBE_PASSES_COMM_FIGURES_H
#define STROBE_PASSES_COMM_FIGURES_H

#include "comm-tasks.h"

/* The packets of one size. */
typedef struct PacketSize {
    double megabytes, ms;
    guint64 count;
} PacketSize;

typedef struct Bandwidth {
    double megabytes, ms;
    guint64 packets, large;
    GArray *sizes; /* elements of type PacketSize, in the order of first use; NULL: none */
    gboolean has;  /* TRUE if data was transferred */
} Bandwidth;

typedef struct Figures {
    double start_us, elapse, transit, wait, synchronization, idle; /* all in ms */
    gboolean has_time;
    gboolean has_parts; /* the times other than `elapse` are known from tasks */
    Bandwidth bandwidths[N_TRANSPORTS];
} Figures;

/* The transfers over one link. */
typedef struct Link {
    guint32 source, target;
    const char *transport; /* a static text, or a text of the host */
    double megabytes, ms, bandwidth;
    StrobeStringId op_name;
} Link;

void figures_clear(Figures *figures);
/* Computes the figures from the operation's tasks. If the operation has no tasks, only its begin
 * and its duration are known. */
void figures_of(Figures *figures, const CommOp *op, gboolean is_p2p);
void figures_add(Figures *sum, const Figures *figures);
/* Returns the size divided by the time, rounded like the Ascend profiler; 0 if the time is 0. */
double comm_bandwidth(double megabytes, double ms);
double comm_link_bandwidth(double megabytes, double ms);
/* Returns the operation's links (Link), in the order of their first transfers. `name_of` returns
 * the text of a link type. */
GArray *comm_links(const CommOp *op, gboolean is_p2p,
                   const char *(*name_of)(void *user, StrobeStringId id), void *user);

#endif
