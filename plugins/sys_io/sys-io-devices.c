/* SPDX-License-Identifier: Apache-2.0 */
#include "sys-io-devices.h"

#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sampler.h>
#include "port-record.h"

typedef struct SysDevice {
    const StrobeHost *host;
    StrobeKindId mac, nic, roce;
    StrobeTrackId mac_track, nic_track, roce_track;
    int32_t id;
    uint64_t at, last_at;
    StrobeDcmiNetwork now, last;
} SysDevice;

static int read_device(void *user, const StrobeDcmi *dcmi, const StrobeDcmiDevice *device)
{
    SysDevice *d = user;
    int status;

    if (!dcmi->network)
        return STROBE_DCMI_NOT_SUPPORTED;
    d->last = d->now;
    d->last_at = d->at;
    memset(&d->now, 0, sizeof d->now);
    status = dcmi->network(device->card, device->device, 0, &d->now);
    d->at = strobe_sampler_now();
    return status;
}

static PortReading nic_reading(const StrobeDcmiNetwork *s, uint64_t at)
{
    return (PortReading){.at = at,
                         .counts = {s->nic_rx_packets, s->nic_rx_bytes, s->mac_rx_bad_packets,
                                    STROBE_ABSENT_U64, s->nic_tx_packets, s->nic_tx_bytes,
                                    s->mac_tx_bad_packets, STROBE_ABSENT_U64}};
}

/* Returns the device's counts of RoCE, which have no bytes because the device does not count the
 * bytes of RoCE separately. */
static PortReading roce_reading(const StrobeDcmiNetwork *s, uint64_t at)
{
    return (PortReading){.at = at,
                         .counts = {s->roce_rx_packets, STROBE_ABSENT_U64, s->roce_rx_errors,
                                    STROBE_ABSENT_U64, s->roce_tx_packets, STROBE_ABSENT_U64,
                                    s->roce_tx_errors, STROBE_ABSENT_U64}};
}

static void record_port(SysDevice *d, StrobeWriter *writer, StrobeKindId kind, StrobeTrackId track,
                        PortReading last, PortReading now)
{
    const PortPlace place = {.kind = kind,
                             .track = track,
                             .name = "port 0",
                             .port = 0,
                             .device = d->id,
                             .bandwidth = STROBE_ABSENT_F64};
    if (!port_is_reset(&last, &now))
        port_record(d->host, writer, &place, &last, &now);
}

static uint64_t compute_growth(uint64_t now, uint64_t last)
{
    return now > last ? now - last : 0;
}

/* Records the values of the vendor's table: differences, or 0 if a counter became smaller. */
static void record_mac(SysDevice *d, StrobeWriter *writer)
{
    const StrobeDcmiNetwork *n = &d->now, *l = &d->last;
    double seconds = (double)(d->at - d->last_at) / 1e9;
    StrobeStringId name = d->host->intern(writer, "port 0", 6);
    struct strobe_mac *record =
        d->host->reserve(writer, d->mac, d->mac_track, name, d->host->now(), 0);

    if (!record)
        return;
    *record = (struct strobe_mac){
        .mac_tx_pfc_packets = compute_growth(n->mac_tx_pfc, l->mac_tx_pfc),
        .mac_rx_pfc_packets = compute_growth(n->mac_rx_pfc, l->mac_rx_pfc),
        .mac_tx_bytes = compute_growth(n->mac_tx_bytes, l->mac_tx_bytes),
        .mac_rx_bytes = compute_growth(n->mac_rx_bytes, l->mac_rx_bytes),
        .mac_tx_bad_bytes = compute_growth(n->mac_tx_bad_bytes, l->mac_tx_bad_bytes),
        .mac_rx_bad_bytes = compute_growth(n->mac_rx_bad_bytes, l->mac_rx_bad_bytes),
        .roce_tx_packets = compute_growth(n->roce_tx_packets, l->roce_tx_packets),
        .roce_rx_packets = compute_growth(n->roce_rx_packets, l->roce_rx_packets),
        .roce_tx_errors = compute_growth(n->roce_tx_errors, l->roce_tx_errors),
        .roce_rx_errors = compute_growth(n->roce_rx_errors, l->roce_rx_errors),
        .roce_tx_cnp = compute_growth(n->roce_tx_cnp, l->roce_tx_cnp),
        .roce_rx_cnp = compute_growth(n->roce_rx_cnp, l->roce_rx_cnp),
        .roce_retries = compute_growth(n->roce_retries, l->roce_retries),
        .nic_tx_bytes = compute_growth(n->nic_tx_bytes, l->nic_tx_bytes),
        .nic_rx_bytes = compute_growth(n->nic_rx_bytes, l->nic_rx_bytes),
        .device = d->id,
    };
    record->mac_tx_bandwidth = (double)record->mac_tx_bytes / seconds;
    record->mac_rx_bandwidth = (double)record->mac_rx_bytes / seconds;
    record->nic_tx_bandwidth = (double)record->nic_tx_bytes / seconds;
    record->nic_rx_bandwidth = (double)record->nic_rx_bytes / seconds;
    d->host->commit(writer);
}

static void record_device(void *user, StrobeWriter *writer, int is_first)
{
    SysDevice *d = user;

    if (is_first || d->at <= d->last_at)
        return;
    record_mac(d, writer);
    record_port(d, writer, d->nic, d->nic_track, nic_reading(&d->last, d->last_at),
                nic_reading(&d->now, d->at));
    record_port(d, writer, d->roce, d->roce_track, roce_reading(&d->last, d->last_at),
                roce_reading(&d->now, d->at));
}

static const StrobeDcmiMetric network_metric = {
    .name = "network statistics", .read = read_device, .record = record_device, .release = free};

StrobeDcmiSource *sys_device_open(const StrobeHost *host, StrobeInstance *self,
                                  const StrobeDcmi *dcmi, const StrobeDcmiDevice *device,
                                  uint64_t deadline_ns)
{
    SysDevice *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->host = host;
    d->id = device->id;
    if (host->kind(self, &strobe_kind_mac, &d->mac) ||
        host->kind(self, &strobe_kind_nic, &d->nic) ||
        host->kind(self, &strobe_kind_roce, &d->roce)) {
        free(d);
        return NULL;
    }
    d->mac_track = strobe_sampler_track(host, self, "MAC", d->id);
    d->nic_track = strobe_sampler_track(host, self, "NIC", d->id);
    d->roce_track = strobe_sampler_track(host, self, "RoCE", d->id);
    return strobe_dcmi_source_new(host, self, dcmi, device, &network_metric, d, deadline_ns);
}
