/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>

#include <strobe/helpers/sampler.h>
#include "links.h"

/* Unit of the driver's values: it reports whole MiB/ms, which is about 1 GB/s. */
#define STEP (1048576.0 * 1000.0)

typedef struct Pcie {
    const StrobeHost *host;
    StrobeKindId kind;
    StrobeTrackId track;
    int32_t device, time_ms;
    StrobeDcmiPcie now;
} Pcie;

static int read_pcie(void *user, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device)
{
    Pcie *pcie = user;

    if (!dcmi->pcie_bandwidth)
        return STROBE_DCMI_NOT_SUPPORTED;
    memset(&pcie->now, 0, sizeof pcie->now);
    pcie->now.profiling_time = pcie->time_ms;
    return dcmi->pcie_bandwidth(device->card, device->device, &pcie->now);
}

static void put_range(double *fields, StrobeDcmiRange range, double step)
{
    fields[0] = range.min * step;
    fields[1] = range.max * step;
    fields[2] = range.avg * step;
}

static void record_pcie(void *user, StrobeWriter *writer, int is_first)
{
    const Pcie *pcie = user;
    const StrobeDcmiPcie *now = &pcie->now;
    StrobeStringId name = pcie->host->intern(writer, "PCIe", 4);

    (void)is_first;
    if (now->tx_post.max < now->tx_post.min)
        return; /* the driver has no values in this case */
    struct strobe_pcie *record =
        pcie->host->reserve(writer, pcie->kind, pcie->track, name, pcie->host->now(), 0);
    if (!record)
        return;
    put_range(&record->tx_post_min, now->tx_post, STEP);
    put_range(&record->tx_nonpost_min, now->tx_nonpost, STEP);
    put_range(&record->tx_cpl_min, now->tx_cpl, STEP);
    put_range(&record->tx_nonpost_latency_min, now->tx_nonpost_latency, 1);
    put_range(&record->rx_post_min, now->rx_post, STEP);
    put_range(&record->rx_nonpost_min, now->rx_nonpost, STEP);
    put_range(&record->rx_cpl_min, now->rx_cpl, STEP);
    record->device = pcie->device;
    record->resolution = STEP;
    pcie->host->commit(writer);
}

static const StrobeDcmiMetric pcie_metric = {
    .name = "PCIe", .read = read_pcie, .record = record_pcie, .release = free};

StrobeDcmiSource *interconnect_pcie(const StrobeHost *host, StrobeInstance *self,
                                    const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                    int32_t time_ms, uint64_t deadline_ns)
{
    Pcie *pcie = calloc(1, sizeof *pcie);

    if (!pcie || host->kind(self, &strobe_kind_pcie, &pcie->kind)) {
        free(pcie);
        return NULL;
    }
    pcie->host = host;
    pcie->device = device->id;
    pcie->time_ms = time_ms;
    pcie->track = strobe_sampler_track(host, self, "PCIe", device->id);
    return strobe_dcmi_source_new(host, self, dcmi, device, &pcie_metric, pcie, deadline_ns);
}
