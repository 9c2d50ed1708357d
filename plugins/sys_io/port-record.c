/* SPDX-License-Identifier: Apache-2.0 */
#include "port-record.h"

#include <string.h>

int port_is_reset(const PortReading *last, const PortReading *now)
{
    for (int i = 0; i < PORT_COUNTERS; i++)
        if (now->counts[i] != STROBE_ABSENT_U64 && last->counts[i] != STROBE_ABSENT_U64 &&
            now->counts[i] < last->counts[i])
            return 1;
    return 0;
}

static double compute_growth(const PortReading *last, const PortReading *now, int counter)
{
    if (now->counts[counter] == STROBE_ABSENT_U64 || last->counts[counter] == STROBE_ABSENT_U64)
        return STROBE_ABSENT_F64;
    return (double)(now->counts[counter] - last->counts[counter]);
}

/* Returns the share in %; 0 if there were no packets. */
static double compute_percent(double part, double whole)
{
    return whole > 0 ? part * 100.0 / whole : part * 0.0;
}

typedef struct Side {
    double packet_rate, byte_rate, efficiency, error_rate, dropped_rate;
} Side;

static Side side_of(const PortReading *last, const PortReading *now, int first, double bandwidth)
{
    double seconds = (double)(now->at - last->at) / 1e9;
    double packets = compute_growth(last, now, first);
    double bytes = compute_growth(last, now, first + PORT_RX_BYTES);

    return (Side){
        .packet_rate = packets / seconds,
        .byte_rate = bytes / seconds,
        .efficiency = bytes / seconds * 100.0 / bandwidth,
        .error_rate = compute_percent(compute_growth(last, now, first + PORT_RX_ERRORS), packets),
        .dropped_rate =
            compute_percent(compute_growth(last, now, first + PORT_RX_DROPPED), packets),
    };
}

void port_record(const StrobeHost *host, StrobeWriter *writer, const PortPlace *place,
                 const PortReading *last, const PortReading *now)
{
    const uint64_t *counts = now->counts;
    Side rx = side_of(last, now, PORT_RX_PACKETS, place->bandwidth);
    Side tx = side_of(last, now, PORT_TX_PACKETS, place->bandwidth);
    StrobeStringId name = host->intern(writer, place->name, strlen(place->name));
    struct strobe_port *record =
        host->reserve(writer, place->kind, place->track, name, host->now(), 0);

    if (!record)
        return;
    *record = (struct strobe_port){
        .bandwidth = place->bandwidth,
        .rx_packet_rate = rx.packet_rate,
        .rx_byte_rate = rx.byte_rate,
        .rx_packets = counts[PORT_RX_PACKETS],
        .rx_bytes = counts[PORT_RX_BYTES],
        .rx_errors = counts[PORT_RX_ERRORS],
        .rx_dropped = counts[PORT_RX_DROPPED],
        .rx_efficiency = rx.efficiency,
        .rx_error_rate = rx.error_rate,
        .rx_dropped_rate = rx.dropped_rate,
        .tx_packet_rate = tx.packet_rate,
        .tx_byte_rate = tx.byte_rate,
        .tx_packets = counts[PORT_TX_PACKETS],
        .tx_bytes = counts[PORT_TX_BYTES],
        .tx_errors = counts[PORT_TX_ERRORS],
        .tx_dropped = counts[PORT_TX_DROPPED],
        .tx_efficiency = tx.efficiency,
        .tx_error_rate = tx.error_rate,
        .tx_dropped_rate = tx.dropped_rate,
        .port = place->port,
        .device = place->device,
    };
    host->commit(writer);
}
