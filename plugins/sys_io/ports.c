/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/sampler.h>
#include <strobe/helpers/sys-file.h>

#define PORTS_MAX 256
/* maximum number of descriptors that stay open, for all ports together */
#define HELD_MAX 32
#define ROTATION 4 /* number of ports without open descriptors that each sample reads */
#define RESCAN_NS 1000000000u
#define FILES_MAX 3 /* maximum number of files whose sum is one counter */

typedef struct Source {
    const char *files[FILES_MAX];
    uint64_t factor;
} Source;

static const Source nic_sources[PORT_COUNTERS] = {
    [PORT_RX_PACKETS] = {{"statistics/rx_packets"}, 1},
    [PORT_RX_BYTES] = {{"statistics/rx_bytes"}, 1},
    [PORT_RX_ERRORS] = {{"statistics/rx_errors"}, 1},
    [PORT_RX_DROPPED] = {{"statistics/rx_dropped"}, 1},
    [PORT_TX_PACKETS] = {{"statistics/tx_packets"}, 1},
    [PORT_TX_BYTES] = {{"statistics/tx_bytes"}, 1},
    [PORT_TX_ERRORS] = {{"statistics/tx_errors"}, 1},
    [PORT_TX_DROPPED] = {{"statistics/tx_dropped"}, 1},
};

/* The files of InfiniBand, which counts data in words of 4 bytes. Its send errors are the packets
 * that had to be sent again. */
static const Source rdma_sources[PORT_COUNTERS] = {
    [PORT_RX_PACKETS] = {{"counters/port_rcv_packets"}, 1},
    [PORT_RX_BYTES] = {{"counters/port_rcv_data"}, 4},
    [PORT_RX_ERRORS] = {{"counters/port_rcv_errors"}, 1},
    [PORT_RX_DROPPED] = {{"hw_counters/out_of_buffer"}, 1},
    [PORT_TX_PACKETS] = {{"counters/port_xmit_packets"}, 1},
    [PORT_TX_BYTES] = {{"counters/port_xmit_data"}, 4},
    [PORT_TX_ERRORS] = {{"hw_counters/roce_adp_retrans", "hw_counters/packet_seq_err",
                         "hw_counters/local_ack_timeout_err"},
                        1},
    [PORT_TX_DROPPED] = {{"counters/port_xmit_discards"}, 1},
};

typedef struct Port {
    char name[80];
    char folder[160]; /* path below sys_root */
    int is_rdma, is_present, is_up, is_held;
    int files[PORT_COUNTERS]; /* descriptors of counters that have one file; -1: it is not open */
    uint32_t number;
    double bandwidth;
    PortReading last;
} Port;

struct SysPorts {
    const StrobeHost *host;
    StrobeInstance *self;
    const char *root;
    StrobeKindId nic, roce;
    StrobeTrackId nic_track, roce_track;
    uint64_t scanned_at;
    uint32_t n, n_held, rotation;
    int rdma_device; /* index of the device whose ports are being listed */
    char rdma_name[64];
    Port ports[PORTS_MAX];
};

/* ---- reading ---- */

static int read_number(const SysPorts *ports, const Port *port, const char *file, uint64_t *value)
{
    char name[256], text[64];
    const char *at = text;

    snprintf(name, sizeof name, "%s/%s", port->folder, file);
    if (strobe_sys_read_path(ports->root, name, text, sizeof text) < 0)
        return -1;
    return strobe_sys_number(&at, value);
}

/* Returns the sum of the files that exist; STROBE_ABSENT_U64: none exists. */
static uint64_t read_sum(const SysPorts *ports, const Port *port, const Source *source)
{
    uint64_t sum = STROBE_ABSENT_U64, value;

    for (int i = 0; i < FILES_MAX && source->files[i]; i++)
        if (read_number(ports, port, source->files[i], &value) == 0)
            sum = (sum == STROBE_ABSENT_U64 ? 0 : sum) + value * source->factor;
    return sum;
}

static int open_counter(SysPorts *ports, const Port *port, const Source *source)
{
    char name[256];

    if (source->files[1] || ports->n_held >= HELD_MAX)
        return -1;
    snprintf(name, sizeof name, "%s/%s", port->folder, source->files[0]);
    int file = strobe_sys_open(ports->root, name);
    ports->n_held += file >= 0;
    return file;
}

static void close_files(SysPorts *ports, Port *port)
{
    for (int i = 0; i < PORT_COUNTERS; i++) {
        ports->n_held -= port->files[i] >= 0;
        strobe_sys_close(&port->files[i]);
    }
    port->is_held = 0;
}

static uint64_t read_counter(SysPorts *ports, Port *port, int counter)
{
    const Source *source = &(port->is_rdma ? rdma_sources : nic_sources)[counter];
    char text[64];
    const char *at = text;
    uint64_t value;

    if (port->files[counter] < 0)
        return read_sum(ports, port, source);
    if (strobe_sys_read(port->files[counter], text, sizeof text) < 0 ||
        strobe_sys_number(&at, &value) != 0)
        return STROBE_ABSENT_U64;
    return value * source->factor;
}

static void sample_port(SysPorts *ports, StrobeWriter *writer, Port *port)
{
    PortReading now;

    for (int i = 0; i < PORT_COUNTERS; i++)
        now.counts[i] = read_counter(ports, port, i);
    now.at = strobe_sampler_now();
    /* without byte counts the port no longer exists or cannot be read, so the next reading counts
     * as the first one */
    if (now.counts[PORT_RX_BYTES] == STROBE_ABSENT_U64 &&
        now.counts[PORT_TX_BYTES] == STROBE_ABSENT_U64) {
        close_files(ports, port);
        port->last.at = 0;
        return;
    }
    const PortPlace place = {.kind = port->is_rdma ? ports->roce : ports->nic,
                             .track = port->is_rdma ? ports->roce_track : ports->nic_track,
                             .name = port->name,
                             .port = port->number,
                             .device = -1,
                             .bandwidth = port->bandwidth};
    if (port->last.at && now.at > port->last.at && !port_is_reset(&port->last, &now))
        port_record(ports->host, writer, &place, &port->last, &now);
    port->last = now;
}

/* ---- list of ports ---- */

static Port *find_port(SysPorts *ports, const char *name, int is_rdma)
{
    Port *port = NULL;

    for (uint32_t i = 0; i < ports->n; i++) {
        if (!strcmp(ports->ports[i].name, name) && ports->ports[i].is_rdma == is_rdma)
            return &ports->ports[i];
        if (!ports->ports[i].name[0])
            port = &ports->ports[i];
    }
    if (!port && ports->n < PORTS_MAX)
        port = &ports->ports[ports->n++];
    if (!port)
        return NULL;
    memset(port, 0, sizeof *port);
    snprintf(port->name, sizeof port->name, "%s", name);
    port->is_rdma = is_rdma;
    for (int i = 0; i < PORT_COUNTERS; i++)
        port->files[i] = -1;
    return port;
}

/* Reads the bandwidth: that of an RDMA device from a text like "100 Gb/sec (4X EDR)", that of an
 * interface from a number in Mb/s. If the speed of an interface is unknown, the file contains "-1"
 * or cannot be read. */
static double read_bandwidth(const SysPorts *ports, const Port *port)
{
    char name[256], text[64];
    double gigabits;
    uint64_t megabits;

    if (!port->is_rdma)
        return read_number(ports, port, "speed", &megabits) == 0 && megabits > 0 &&
                       megabits < UINT32_MAX
                   ? (double)megabits * 125000.0
                   : STROBE_ABSENT_F64;
    snprintf(name, sizeof name, "%s/rate", port->folder);
    if (strobe_sys_read_path(ports->root, name, text, sizeof text) < 0)
        return STROBE_ABSENT_F64;
    gigabits = strtod(text, NULL);
    return gigabits > 0 && isfinite(gigabits) ? gigabits * 125e6 : STROBE_ABSENT_F64;
}

static int is_up(const SysPorts *ports, const Port *port)
{
    char name[256], text[32];

    if (port->is_rdma)
        return 1;
    snprintf(name, sizeof name, "%s/operstate", port->folder);
    return strobe_sys_read_path(ports->root, name, text, sizeof text) < 0 ||
           !strncmp(text, "up", 2) || !strncmp(text, "unknown", 7);
}

static void refresh_port(SysPorts *ports, Port *port)
{
    int has_files = 0;

    port->is_present = 1;
    port->is_up = is_up(ports, port);
    if (!port->is_up)
        port->last.at = 0;
    port->bandwidth = read_bandwidth(ports, port);
    for (int i = 0; i < PORT_COUNTERS; i++)
        has_files |= port->files[i] >= 0;
    if (!has_files && port->is_up && ports->n_held + PORT_COUNTERS <= HELD_MAX)
        for (int i = 0; i < PORT_COUNTERS; i++) {
            port->files[i] =
                open_counter(ports, port, &(port->is_rdma ? rdma_sources : nic_sources)[i]);
            port->is_held |= port->files[i] >= 0;
        }
}

static int take_interface(void *user, const char *name)
{
    SysPorts *ports = user;
    Port *port;
    uint64_t index;

    if (!strcmp(name, "lo") || strlen(name) >= 64 || !(port = find_port(ports, name, 0)))
        return 0;
    snprintf(port->folder, sizeof port->folder, "class/net/%s", name);
    port->number = read_number(ports, port, "ifindex", &index) == 0 ? (uint32_t)index : 0;
    refresh_port(ports, port);
    return 0;
}

/* Adds a port of an RDMA device. The ports of the second device are numbered from 101, and those of
 * the third device from 201, so that each row is identified by its number. */
static int take_rdma_port(void *user, const char *name)
{
    SysPorts *ports = user;
    const char *digits = name;
    char full[80];
    uint64_t number;
    Port *port;

    if (strobe_sys_number(&digits, &number) != 0 || *digits || number > 99)
        return 0;
    snprintf(full, sizeof full, "%s/%s", ports->rdma_name, name);
    port = find_port(ports, full, 1);
    if (!port)
        return 0;
    snprintf(port->folder, sizeof port->folder, "class/infiniband/%s/ports/%u", ports->rdma_name,
             (unsigned)number);
    port->number = (uint32_t)number + 100u * (uint32_t)ports->rdma_device;
    refresh_port(ports, port);
    return 0;
}

static void each_below(SysPorts *ports, const char *name, int (*take)(void *user, const char *name))
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", ports->root, name);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    strobe_sys_each(folder, take, ports);
    close(folder);
}

typedef struct Names {
    char names[PORTS_MAX][64];
    uint32_t n;
} Names;

static int take_rdma_name(void *user, const char *name)
{
    Names *names = user;

    if (strlen(name) < 64 && names->n < PORTS_MAX)
        snprintf(names->names[names->n++], 64, "%s", name);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void scan_rdma(SysPorts *ports)
{
    char path[4096];
    Names names = {.n = 0};

    snprintf(path, sizeof path, "%s/class/infiniband", ports->root);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    strobe_sys_each(folder, take_rdma_name, &names);
    close(folder);
    qsort(names.names, names.n, sizeof names.names[0], compare_names);
    for (uint32_t i = 0; i < names.n; i++) {
        ports->rdma_device = (int)i;
        snprintf(ports->rdma_name, sizeof ports->rdma_name, "%s", names.names[i]);
        snprintf(path, sizeof path, "class/infiniband/%s/ports", names.names[i]);
        each_below(ports, path, take_rdma_port);
    }
}

static void rescan_ports(SysPorts *ports)
{
    for (uint32_t i = 0; i < ports->n; i++)
        ports->ports[i].is_present = 0;
    each_below(ports, "class/net", take_interface);
    scan_rdma(ports);
    for (uint32_t i = 0; i < ports->n; i++)
        if (!ports->ports[i].is_present && ports->ports[i].name[0]) {
            close_files(ports, &ports->ports[i]);
            ports->ports[i].name[0] = '\0'; /* makes the entry free */
        }
}

/* ---- operations ---- */

void sys_ports_sample(SysPorts *ports, StrobeWriter *writer)
{
    uint64_t now = strobe_sampler_now();
    uint32_t n_read = 0, first;

    if (!ports->scanned_at || now - ports->scanned_at >= RESCAN_NS) {
        rescan_ports(ports);
        ports->scanned_at = now;
    }
    for (uint32_t i = 0; i < ports->n; i++)
        if (ports->ports[i].name[0] && ports->ports[i].is_held && ports->ports[i].is_up)
            sample_port(ports, writer, &ports->ports[i]);
    first = ports->n ? ports->rotation % ports->n : 0;
    for (uint32_t i = 0; i < ports->n && n_read < ROTATION; i++) {
        Port *port = &ports->ports[(first + i) % ports->n];
        ports->rotation = first + i + 1;
        if (!port->name[0] || port->is_held || !port->is_up)
            continue;
        sample_port(ports, writer, port);
        n_read++;
    }
}

void sys_ports_start(SysPorts *ports)
{
    ports->scanned_at = 0;
    for (uint32_t i = 0; i < ports->n; i++)
        ports->ports[i].last.at = 0;
}

SysPorts *sys_ports_open(const StrobeHost *host, StrobeInstance *self)
{
    SysPorts *ports = calloc(1, sizeof *ports);

    if (!ports)
        return NULL;
    ports->host = host;
    ports->self = self;
    ports->root = host->option_text(self, "sys_root");
    if (host->kind(self, &strobe_kind_nic, &ports->nic) ||
        host->kind(self, &strobe_kind_roce, &ports->roce)) {
        free(ports);
        return NULL;
    }
    ports->nic_track = strobe_sampler_track(host, self, "NIC", -1);
    ports->roce_track = strobe_sampler_track(host, self, "RoCE", -1);
    return ports;
}

void sys_ports_close(SysPorts *ports)
{
    for (uint32_t i = 0; i < ports->n; i++)
        if (ports->ports[i].name[0])
            close_files(ports, &ports->ports[i]);
    free(ports);
}
