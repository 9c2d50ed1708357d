/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of one operation, and of several together. */
#ifndef STROBE_PASSES_COMM_FIGURES_H
#define STROBE_PASSES_COMM_FIGURES_H

#include "comm-tasks.h"

/* Packets of one size. */
typedef struct PacketSize {
    double megabytes, ms;
    guint64 count;
} PacketSize;

typedef struct Bandwidth {
    double megabytes, ms;
    guint64 packets, large;
    GArray *sizes; /* of PacketSize, as first seen; NULL: none */
    gboolean has;  /* something was transferred */
} Bandwidth;

typedef struct Figures {
    double start_us, elapse, transit, wait, synchronization, idle; /* ms */
    gboolean has_time;
    gboolean has_parts; /* tasks say where the time went */
    Bandwidth bandwidths[N_TRANSPORTS];
} Figures;

/* The transfers over one link. */
typedef struct Link {
    guint32 source, target;
    const char *transport; /* static, or the host's */
    double megabytes, ms, bandwidth;
    StrobeStringId op_name;
} Link;

void figures_clear(Figures *figures);
/* Computes the figures from the operation's tasks. Without tasks only the operation's own begin and
 * duration are known. */
void figures_of(Figures *figures, const CommOp *op, gboolean is_p2p);
void figures_add(Figures *sum, const Figures *figures);
/* Size divided by time, rounded as the Ascend profiler does; 0 if the time is 0. */
double comm_bandwidth(double megabytes, double ms);
double comm_link_bandwidth(double megabytes, double ms);
/* Links of the operation (Link), in the order of their first transfers. `name_of` returns the text
 * of a link type. */
GArray *comm_links(const CommOp *op, gboolean is_p2p,
                   const char *(*name_of)(void *user, StrobeStringId id), void *user);

#endif
