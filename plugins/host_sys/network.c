/* SPDX-License-Identifier: Apache-2.0 */
/* The item "network": traffic of each network interface, from /proc/net/dev. */
#include "network.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>

#define INTERFACES_MAX 512
#define SPEED_NS 1000000000u /* minimum time between two readings of an interface's speed */

enum {
    RX_BYTES,
    RX_PACKETS,
    RX_ERRORS,
    RX_DROPPED,
    TX_BYTES,
    TX_PACKETS,
    TX_ERRORS,
    TX_DROPPED,
    N_COUNTS
};

typedef struct Interface {
    char name[32];
    uint64_t at, round, speed_at;
    double speed; /* B/s; NaN: unknown */
    uint64_t counts[N_COUNTS];
} Interface;

/* Sums: over the interfaces whose speed is known, and over all interfaces. */
typedef struct Total {
    double rate, known_rate, known_speed;
    int n;
} Total;

typedef struct HostNetwork {
    HostContext *context;
    int file;
    int has_loopback;
    StrobeKindId kind, usage_kind;
    StrobeTrackId track;
    int has_failed;
    uint64_t round, at;
    uint32_t n;
    Interface interfaces[INTERFACES_MAX];
} HostNetwork;

static Interface *find_interface(HostNetwork *network, const char *name)
{
    Interface *interface = NULL;

    for (uint32_t i = 0; i < network->n; i++) {
        if (!strcmp(network->interfaces[i].name, name))
            return &network->interfaces[i];
        if (!interface && network->interfaces[i].round + 1 < network->round)
            /* reuses the entry of an interface that no longer exists */
            interface = &network->interfaces[i];
    }
    if (network->n < INTERFACES_MAX)
        interface = &network->interfaces[network->n++];
    if (!interface)
        return NULL;
    memset(interface, 0, sizeof *interface);
    snprintf(interface->name, sizeof interface->name, "%s", name);
    return interface;
}

/* Reads the speed of an interface. If it has none, the file contains "-1" or cannot be read. */
static void read_speed(HostNetwork *network, Interface *interface, uint64_t now)
{
    char name[128], text[32];
    const char *at = text;
    uint64_t megabits;

    if (interface->speed_at && now - interface->speed_at < SPEED_NS)
        return;
    interface->speed_at = now;
    interface->speed = STROBE_ABSENT_F64;
    snprintf(name, sizeof name, "class/net/%s/speed", interface->name);
    if (strobe_sys_read_path(network->context->sys_root, name, text, sizeof text) > 0 &&
        strobe_sys_number(&at, &megabits) == 0 && megabits > 0 && megabits < UINT32_MAX)
        interface->speed = (double)megabits * 125000.0;
}

static void record_interface(HostNetwork *network, StrobeWriter *writer, const Interface *last,
                             const uint64_t counts[N_COUNTS], uint64_t now, Total *total)
{
    const StrobeHost *host = network->context->host;
    uint64_t interval = now - last->at, grown[N_COUNTS];

    for (int i = 0; i < N_COUNTS; i++)
        grown[i] = counts[i] - last->counts[i];
    double rx_rate = host_rate(grown[RX_BYTES], interval);
    double tx_rate = host_rate(grown[TX_BYTES], interval);
    total->n++;
    total->rate += rx_rate + tx_rate;
    if (last->speed > 0) {
        total->known_rate += rx_rate + tx_rate;
        total->known_speed += last->speed;
    }
    StrobeStringId name = host_name(network->context, writer, last->name);
    struct strobe_host_net *record =
        host->reserve(writer, network->kind, network->track, name, host->now(), 0);
    if (!record)
        return;
    *record = (struct strobe_host_net){
        .rx_rate = rx_rate,
        .tx_rate = tx_rate,
        .rx_bytes = grown[RX_BYTES],
        .tx_bytes = grown[TX_BYTES],
        .rx_packets = grown[RX_PACKETS],
        .tx_packets = grown[TX_PACKETS],
        .rx_errors = grown[RX_ERRORS],
        .tx_errors = grown[TX_ERRORS],
        .rx_dropped = grown[RX_DROPPED],
        .tx_dropped = grown[TX_DROPPED],
        .speed = last->speed,
        .usage = last->speed > 0 ? (rx_rate + tx_rate) * 100.0 / last->speed : STROBE_ABSENT_F64,
        .interval = interval,
    };
    host->commit(writer);
}

/* Returns whether a difference from the last counts is valid. It is invalid if the interface was
 * removed in between, or if a count has become smaller (after a reset, or in an old driver with 32
 * bits). */
static int is_continued(const HostNetwork *network, const Interface *interface,
                        const uint64_t counts[N_COUNTS])
{
    if (!interface->at || interface->round + 1 != network->round)
        return 0;
    for (int i = 0; i < N_COUNTS; i++)
        if (counts[i] < interface->counts[i])
            return 0;
    return 1;
}

/* Reads "name: bytes packets errs drop fifo frame compressed multicast", and eight numbers for
 * sending. */
static void take_line(HostNetwork *network, StrobeWriter *writer, const char *line, uint64_t now,
                      Total *total)
{
    const char *colon = strchr(line, ':');
    uint64_t counts[N_COUNTS];
    char name[32];

    line += strspn(line, " ");
    if (!colon || colon <= line || memchr(line, '\n', (size_t)(colon - line)) ||
        (size_t)(colon - line) >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(colon - line), line);
    if (!network->has_loopback && !strcmp(name, "lo"))
        return;
    const char *at = colon + 1;
    for (int i = 0; i < N_COUNTS; i++)
        if ((i == TX_BYTES && strobe_sys_skip(&at, 4) != 0) ||
            strobe_sys_number(&at, &counts[i]) != 0)
            return;
    Interface *interface = find_interface(network, name);
    if (!interface)
        return;
    read_speed(network, interface, now);
    if (is_continued(network, interface, counts))
        record_interface(network, writer, interface, counts, now, total);
    interface->at = now;
    interface->round = network->round;
    memcpy(interface->counts, counts, sizeof counts);
}

/* Records the share that all interfaces with a known speed use. If no speed is known, the record
 * has the traffic of all interfaces, without a share. */
static void record_usage(HostNetwork *network, StrobeWriter *writer, const Total *total)
{
    const StrobeHost *host = network->context->host;
    StrobeStringId name = host_name(network->context, writer, "Network");
    struct strobe_usage *record =
        host->reserve(writer, network->usage_kind, network->track, name, host->now(), 0);
    int is_known = total->known_speed > 0;

    if (!record)
        return;
    record->usage = is_known ? total->known_rate * 100.0 / total->known_speed : STROBE_ABSENT_F64;
    record->speed = is_known ? total->known_rate : total->rate;
    record->read_rate = record->write_rate = STROBE_ABSENT_F64;
    record->processor = STROBE_ABSENT_U32;
    host->commit(writer);
}

static void network_sample(void *state, StrobeWriter *writer)
{
    HostNetwork *network = state;
    HostContext *context = network->context;
    Total total = {0};

    errno = 0;
    if (strobe_sys_read_lines(network->file, context->text, context->text_size) < 0) {
        host_report(context, &network->has_failed, "net/dev");
        return;
    }
    uint64_t now = host_clock(context);
    if (!now || now <= network->at)
        return;
    network->at = now;
    network->round++;
    for (const char *line = context->text; line; line = strobe_sys_next_line(line))
        take_line(network, writer, line, now, &total);
    if (total.n > 0)
        record_usage(network, writer, &total);
}

static void network_start(void *state)
{
    HostNetwork *network = state;

    /* so that the next sample computes no difference from earlier counts, which are too old */
    network->round += 2;
    network->at = 0;
}

static void network_close(void *state)
{
    HostNetwork *network = state;

    strobe_sys_close(&network->file);
    free(network);
}

static StrobeStatus network_open(HostContext *context, void **state)
{
    char name[64] = "net/dev";
    HostNetwork *network = calloc(1, sizeof *network);

    if (!network)
        return STROBE_ERROR_MEMORY;
    network->context = context;
    network->has_loopback = context->host->option_bool(context->self, "loopback");
    /* /proc/net shows the network of the process that opens it, so the program's folder is used */
    if (context->is_live)
        snprintf(name, sizeof name, "%d/net/dev", (int)context->pid);
    network->file = strobe_sys_open(context->proc_root, name);
    StrobeStatus status =
        network->file < 0
            ? host_unavailable(context, context->proc_root, name)
            : context->host->kind(context->self, &strobe_kind_host_net, &network->kind);
    if (status == STROBE_OK)
        status = context->host->kind(context->self, &strobe_kind_usage, &network->usage_kind);
    if (status != STROBE_OK) {
        network_close(network);
        return status;
    }
    network->track = host_counter_track(context, "Network Usage");
    *state = network;
    return STROBE_OK;
}

const HostItem host_item_network = {.name = "network",
                                    .open = network_open,
                                    .start = network_start,
                                    .sample = network_sample,
                                    .close = network_close};
