/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strobe/kinds.h>

#include <strobe/helpers/sampler.h>
#include "links.h"

#define MAIN_COMMAND 16 /* number of HCCS among the driver's main commands */
#define GIB 1073741824.0

/* Ways in which a device reports its traffic, from the best to the worst. */
enum { TOTALS_64 = 5, TOTALS_32 = 3, MEASURED = 0 };

typedef struct Hccs {
    const StrobeHost *host;
    StrobeKindId kind;
    StrobeTrackId track;
    int32_t device, time_ms;
    int way, is_certain; /* is_certain: the device has already answered in the way `way` */
    uint64_t at, last_at;
    StrobeDcmiHccs now, last;
    StrobeDcmiHccsBandwidth bandwidth;
} Hccs;

static int read_totals(Hccs *hccs, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device)
{
    StrobeDcmiHccs32 narrow;
    unsigned size = hccs->way == TOTALS_64 ? sizeof hccs->now : sizeof narrow;
    int status;

    memset(&hccs->now, 0, sizeof hccs->now);
    memset(&narrow, 0, sizeof narrow);
    status =
        dcmi->device_info(device->card, device->device, MAIN_COMMAND, (unsigned)hccs->way,
                          hccs->way == TOTALS_64 ? (void *)&hccs->now : (void *)&narrow, &size);
    if (hccs->way == TOTALS_32)
        for (int i = 0; i < STROBE_DCMI_LINKS; i++) {
            hccs->now.tx[i] = narrow.tx[i];
            hccs->now.rx[i] = narrow.rx[i];
        }
    return status;
}

static int read_measured(Hccs *hccs, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device)
{
    /* the driver adds to the values in this struct */
    memset(&hccs->bandwidth, 0, sizeof hccs->bandwidth);
    hccs->bandwidth.profiling_time = hccs->time_ms;
    if (!dcmi->hccs_bandwidth)
        return STROBE_DCMI_NOT_SUPPORTED;
    return dcmi->hccs_bandwidth(device->card, device->device, &hccs->bandwidth);
}

static int read_once(Hccs *hccs, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device)
{
    if (hccs->way == MEASURED)
        return read_measured(hccs, dcmi, device);
    return dcmi->device_info ? read_totals(hccs, dcmi, device) : STROBE_DCMI_NOT_SUPPORTED;
}

/* Reads the traffic once. If the device does not support the current way and has never answered in
 * this way, tries the next way. */
static int read_hccs(void *user, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device)
{
    static const int next[] = {[TOTALS_64] = TOTALS_32, [TOTALS_32] = MEASURED};
    Hccs *hccs = user;
    int status;

    hccs->last = hccs->now;
    hccs->last_at = hccs->at;
    while ((status = read_once(hccs, dcmi, device)) != STROBE_DCMI_OK && !hccs->is_certain &&
           hccs->way != MEASURED &&
           (status == STROBE_DCMI_NOT_SUPPORTED || status == STROBE_DCMI_INVALID))
        hccs->way = next[hccs->way];
    hccs->at = strobe_sampler_now();
    hccs->is_certain |= status == STROBE_DCMI_OK;
    return status;
}

/* Returns the number of bytes on all links; -1: a total has become smaller, which means a reset.
 * Totals of 32 bits may overflow. */
static double sum_links(const Hccs *hccs, const uint64_t *now, const uint64_t *last)
{
    double flits = 0;

    for (int i = 0; i < STROBE_DCMI_LINKS; i++) {
        if (hccs->way == TOTALS_32)
            flits += (double)(uint32_t)(now[i] - last[i]);
        else if (now[i] < last[i])
            return -1;
        else
            flits += (double)(now[i] - last[i]);
    }
    return flits * STROBE_DCMI_FLIT;
}

static void record_rates(const Hccs *hccs, StrobeWriter *writer, double tx, double rx)
{
    StrobeStringId name = hccs->host->intern(writer, "HCCS", 4);
    struct strobe_hccs *record =
        hccs->host->reserve(writer, hccs->kind, hccs->track, name, hccs->host->now(), 0);

    if (!record)
        return;
    record->tx = tx;
    record->rx = rx;
    record->device = hccs->device;
    hccs->host->commit(writer);
}

static void record_hccs(void *user, StrobeWriter *writer, int is_first)
{
    const Hccs *hccs = user;

    if (hccs->way == MEASURED) {
        record_rates(hccs, writer, hccs->bandwidth.total_tx * GIB, hccs->bandwidth.total_rx * GIB);
        return;
    }
    if (is_first || hccs->at <= hccs->last_at)
        return;
    double seconds = (double)(hccs->at - hccs->last_at) / 1e9;
    double tx = sum_links(hccs, hccs->now.tx, hccs->last.tx);
    double rx = sum_links(hccs, hccs->now.rx, hccs->last.rx);
    if (tx >= 0 && rx >= 0)
        record_rates(hccs, writer, tx / seconds, rx / seconds);
}

static const StrobeDcmiMetric hccs_metric = {
    .name = "HCCS", .read = read_hccs, .record = record_hccs, .release = free};

StrobeDcmiSource *interconnect_hccs(const StrobeHost *host, StrobeInstance *self,
                                    const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                    int32_t time_ms, uint64_t deadline_ns)
{
    Hccs *hccs = calloc(1, sizeof *hccs);

    if (!hccs || host->kind(self, &strobe_kind_hccs, &hccs->kind)) {
        free(hccs);
        return NULL;
    }
    hccs->host = host;
    hccs->device = device->id;
    hccs->time_ms = time_ms;
    hccs->way = TOTALS_64;
    hccs->track = strobe_sampler_track(host, self, "HCCS", device->id);
    return strobe_dcmi_source_new(host, self, dcmi, device, &hccs_metric, hccs, deadline_ns);
}
