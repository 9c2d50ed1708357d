/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one row of kind `nic` or `roce` from two readings of a port's counters. */
#ifndef STROBE_PLUGINS_SYS_IO_PORT_RECORD_H
#define STROBE_PLUGINS_SYS_IO_PORT_RECORD_H

#include <stdint.h>
#include <strobe/collector.h>
#include <strobe/kinds.h>

enum {
    PORT_RX_PACKETS,
    PORT_RX_BYTES,
    PORT_RX_ERRORS,
    PORT_RX_DROPPED,
    PORT_TX_PACKETS,
    PORT_TX_BYTES,
    PORT_TX_ERRORS,
    PORT_TX_DROPPED,
    PORT_COUNTERS
};

/* The counts of a port; STROBE_ABSENT_U64: the source has no such counter. */
typedef struct PortReading {
    uint64_t at; /* time in ns; 0: nothing was read */
    uint64_t counts[PORT_COUNTERS];
} PortReading;

typedef struct PortPlace {
    StrobeKindId kind;
    StrobeTrackId track;
    const char *name;
    uint32_t port;
    int32_t device;
    double bandwidth; /* B/s; NaN: unknown */
} PortPlace;

/* Returns whether a counter has become smaller, because it was reset or has only 32 bits. Then the
 * caller must not record a row. */
int port_is_reset(const PortReading *last, const PortReading *now);
void port_record(const StrobeHost *host, StrobeWriter *writer, const PortPlace *place,
                 const PortReading *last, const PortReading *now);

#endif
