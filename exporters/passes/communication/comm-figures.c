/* SPDX-License-Identifier: Apache-2.0 */
#include "comm-figures.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>

#define MASTER_PLANE_G1 1u

/* A packet is large if it has more MB than this; 0: no packet is large. */
static const double large_megabytes[N_TRANSPORTS] = {
    [TRANSPORT_RDMA] = 0.5, [TRANSPORT_HCCS] = 32, [TRANSPORT_PCIE] = 32, [TRANSPORT_SIO] = 32};

/* Converts us to ms in two steps (to ns, then to ms), as the Ascend profiler does, because this
 * changes the last digit. */
static double ms_of(double us)
{
    return us * 1000.0 / 1e6;
}

double comm_bandwidth(double megabytes, double ms)
{
    return ms > 0 ? strobe_round_decimals(megabytes / 1000.0 / (ms / 1000.0), 4) : 0;
}

double comm_link_bandwidth(double megabytes, double ms)
{
    return ms > 0 ? strobe_round_decimals(megabytes / ms, 4) : 0;
}

void figures_clear(Figures *figures)
{
    for (guint i = 0; i < N_TRANSPORTS; i++)
        if (figures->bandwidths[i].sizes)
            g_array_unref(figures->bandwidths[i].sizes);
    memset(figures, 0, sizeof *figures);
}

/* ---- time ---- */

static gboolean has_master(const CommOp *op, guint32 *plane)
{
    for (guint i = 0; i < op->n_tasks; i++)
        if (op->tasks[i].is_master) {
            *plane = op->tasks[i].plane;
            return TRUE;
        }
    *plane = MASTER_PLANE_G1;
    return FALSE;
}

/* Sets the begin and the duration of the operation: from the first begin to the last end of the
 * tasks in the plane. `plane` G_MAXUINT32: of all tasks. */
static void take_range(Figures *figures, const CommOp *op, guint32 plane)
{
    gint64 first = G_MAXINT64;
    double last_us = 0;

    for (guint i = 0; i < op->n_tasks; i++) {
        const CommTask *task = &op->tasks[i];

        if (plane == G_MAXUINT32 || task->plane == plane)
            first = MIN(first, task->begin_ns);
    }
    for (guint i = 0; i < op->n_tasks; i++) {
        const CommTask *task = &op->tasks[i];

        if (plane == G_MAXUINT32 || task->plane == plane)
            last_us = MAX(last_us, (double)(task->begin_ns - first) / 1000.0 + task->us);
    }
    /* If the range of all tasks is that of the operation, uses the operation's duration, which may
     * have digits below 1 ns. */
    if (plane == G_MAXUINT32 && first == op->begin_ns && fabs(last_us - op->us) < 0.002)
        last_us = op->us;
    figures->start_us = strobe_us_of_ns(first);
    figures->elapse = ms_of(last_us);
}

static gboolean is_transit(const CommTransfer *transfer)
{
    return !transfer->task->is_on_chip;
}

static void take_times(Figures *figures, const CommOp *op, gboolean is_p2p)
{
    gboolean is_synchronizing = TRUE;
    guint32 plane;
    gboolean is_reported = has_master(op, &plane);
    guint next;

    take_range(figures, op, is_reported ? plane : G_MAXUINT32);
    for (guint at = 0; at < op->n_tasks; at = next) {
        const CommTask *task = &op->tasks[at];
        CommTransfer transfer;

        if (comm_transfer_at(op, at, is_p2p, &transfer, &next) && task->plane == plane &&
            is_transit(&transfer)) {
            figures->transit += ms_of(transfer.us);
            is_synchronizing = FALSE;
        } else if (task->plane == plane && task->type == TASK_WAIT) {
            figures->wait += ms_of(task->us);
            if (is_synchronizing)
                figures->synchronization = figures->wait;
        }
    }
    figures->idle = figures->elapse - figures->transit - figures->wait;
    figures->has_time = TRUE;
}

/* ---- bandwidth ---- */

static void add_size(Bandwidth *bandwidth, double megabytes, guint64 count, double ms)
{
    const PacketSize size = {megabytes, ms, count};

    if (!bandwidth->sizes)
        bandwidth->sizes = g_array_new(FALSE, FALSE, sizeof(PacketSize));
    for (guint i = 0; i < bandwidth->sizes->len; i++) {
        PacketSize *known = &g_array_index(bandwidth->sizes, PacketSize, i);

        if (known->megabytes == megabytes) {
            known->count += count;
            known->ms += ms;
            return;
        }
    }
    g_array_append_val(bandwidth->sizes, size);
}

static void add_transfer(Bandwidth *bandwidth, guint transport, const CommTransfer *transfer)
{
    double megabytes = (double)transfer->size / 1e6, ms = ms_of(transfer->us);

    bandwidth->has = TRUE;
    bandwidth->megabytes += megabytes;
    bandwidth->ms += ms;
    bandwidth->packets++;
    bandwidth->large += large_megabytes[transport] > 0 && megabytes > large_megabytes[transport];
    add_size(bandwidth, megabytes, 1, ms);
}

/* Sets the figures of SDMA to the sum over the transports that SDMA drives. */
static void add_to_sdma(Figures *figures)
{
    static const guint parts[] = {TRANSPORT_HCCS, TRANSPORT_PCIE, TRANSPORT_SIO};
    Bandwidth *sdma = &figures->bandwidths[TRANSPORT_SDMA];

    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        const Bandwidth *part = &figures->bandwidths[parts[i]];

        if (!part->has)
            continue;
        sdma->has = TRUE;
        sdma->megabytes += part->megabytes;
        sdma->ms += part->ms;
    }
}

void figures_of(Figures *figures, const CommOp *op, gboolean is_p2p)
{
    guint next;

    if (!op->n_tasks) {
        figures->start_us = strobe_us_of_ns(op->begin_ns);
        figures->elapse = ms_of(op->us);
        figures->has_time = TRUE;
        return;
    }
    figures->has_parts = TRUE;
    take_times(figures, op, is_p2p);
    for (guint at = 0; at < op->n_tasks; at = next) {
        CommTransfer transfer;

        if (comm_transfer_at(op, at, is_p2p, &transfer, &next) && is_transit(&transfer))
            add_transfer(&figures->bandwidths[transfer.task->transport], transfer.task->transport,
                         &transfer);
    }
    add_to_sdma(figures);
}

void figures_add(Figures *sum, const Figures *figures)
{
    sum->has_time = TRUE;
    sum->has_parts = sum->has_parts || figures->has_parts;
    sum->elapse += figures->elapse;
    sum->transit += figures->transit;
    sum->wait += figures->wait;
    sum->synchronization += figures->synchronization;
    sum->idle += figures->idle;
    for (guint i = 0; i < N_TRANSPORTS; i++) {
        const Bandwidth *from = &figures->bandwidths[i];
        Bandwidth *to = &sum->bandwidths[i];

        to->has = to->has || from->has;
        to->megabytes += from->megabytes;
        to->ms += from->ms;
        for (guint k = 0; from->sizes && k < from->sizes->len; k++) {
            const PacketSize *size = &g_array_index(from->sizes, PacketSize, k);

            add_size(to, size->megabytes, size->count, size->ms);
        }
    }
}

/* ---- links ---- */

static const char *transport_of(const CommTransfer *transfer,
                                const char *(*name_of)(void *user, StrobeStringId id), void *user)
{
    const char *link = name_of(user, transfer->task->link);

    if (transfer->task->transport == TRANSPORT_RDMA)
        return "RDMA";
    if (transfer->task->is_on_chip)
        return "LOCAL";
    return strcmp(link, "HCCS_SW") ? link : "HCCS";
}

GArray *comm_links(const CommOp *op, gboolean is_p2p,
                   const char *(*name_of)(void *user, StrobeStringId id), void *user)
{
    GArray *links = g_array_new(FALSE, FALSE, sizeof(Link));
    guint next;

    for (guint at = 0; at < op->n_tasks; at = next) {
        CommTransfer transfer;
        Link link = {.op_name = op->name}, *known = NULL;

        if (!comm_transfer_at(op, at, is_p2p, &transfer, &next) ||
            transfer.task->source == STROBE_ABSENT_U32)
            continue;
        link.source = transfer.task->source;
        link.target =
            transfer.task->target == STROBE_ABSENT_U32 ? link.source : transfer.task->target;
        for (guint i = 0; i < links->len && !known; i++) {
            known = &g_array_index(links, Link, i);
            if (known->source != link.source || known->target != link.target)
                known = NULL;
        }
        if (!known) {
            link.transport = transport_of(&transfer, name_of, user);
            g_array_append_val(links, link);
            known = &g_array_index(links, Link, links->len - 1);
        }
        known->megabytes += (double)transfer.size / 1e6;
        known->ms += ms_of(transfer.us);
    }
    for (guint i = 0; i < links->len; i++) {
        Link *link = &g_array_index(links, Link, i);

        link->bandwidth = comm_link_bandwidth(link->megabytes, link->ms);
    }
    return links;
}
