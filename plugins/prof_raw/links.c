/* SPDX-License-Identifier: Apache-2.0 */
/* Reads hccs.data, pcie.data, nic.data and roce.data: the traffic on a device's links. */
#include <string.h>

#include "prof_raw.h"

#define MEBI 1048576.0

/* ---- HCCS ---- */

typedef struct HccsSample {
    guint64 time, tx, rx;
} HccsSample;

/* Reads "timestamp: tx rx", in bytes since the start. */
static gboolean read_hccs(char *line, HccsSample *sample)
{
    char *words[WORDS_MAX];

    return prof_words(line, words) >= 3 && prof_whole(words[0], &sample->time) &&
           prof_whole(words[1], &sample->tx) && prof_whole(words[2], &sample->rx);
}

static void take_hccs(Prof *prof, const HccsSample *last, const HccsSample *now)
{
    double seconds = (double)(now->time - last->time) / 1e9;
    struct strobe_hccs *fields;
    gint64 time = prof_time(prof, now->time);

    if (now->time <= last->time || now->tx < last->tx || now->rx < last->rx) {
        prof->n_dropped++;
        return;
    }
    fields = prof_emit(prof, &strobe_kind_hccs, prof_counter(prof, "HCCS"), "", time, time);
    if (!fields)
        return;
    fields->tx = (double)(now->tx - last->tx) / seconds;
    fields->rx = (double)(now->rx - last->rx) / seconds;
    fields->device = prof->device;
}

/* Makes a record for each sample but the first. The time of a sample is its end, so the first
 * sample only gives the begin of the second one. */
void hccs_import(Prof *prof, Slices *slices)
{
    HccsSample last = {0}, now;
    gboolean has_last = FALSE;
    char *line;

    while (!prof->is_full && (line = slices_line(slices))) {
        if (!read_hccs(line, &now)) {
            prof->n_strange++;
            continue;
        }
        if (has_last)
            take_hccs(prof, &last, &now);
        last = now;
        has_last = TRUE;
    }
}

/* ---- PCIe ---- */

#define PCIE_BYTES 96u
#define PCIE_VALUES 21u
/* index of the first of three latencies, in ns; all other values are in B/us */
#define PCIE_LATENCY 9u

static guint32 u32_at(const char *at)
{
    guint32 value;

    memcpy(&value, at, sizeof value);
    return GUINT32_FROM_LE(value);
}

static guint64 u64_at(const char *at)
{
    guint64 value;

    memcpy(&value, at, sizeof value);
    return GUINT64_FROM_LE(value);
}

void pcie_import(Prof *prof, Slices *slices)
{
    const char *at;

    while (!prof->is_full && (at = slices_record(slices, PCIE_BYTES))) {
        gint64 time = prof_time(prof, u64_at(at));
        struct strobe_pcie *fields;
        double values[PCIE_VALUES];

        if (u32_at(at + 12) > u32_at(at + 16)) { /* the minimum exceeds the maximum */
            prof->n_dropped++;
            continue;
        }
        for (guint i = 0; i < PCIE_VALUES; i++) {
            gboolean is_latency = i >= PCIE_LATENCY && i < PCIE_LATENCY + 3;

            values[i] = u32_at(at + 12 + 4 * i) * (is_latency ? 1.0 : 1e6);
        }
        fields = prof_emit(prof, &strobe_kind_pcie, prof_counter(prof, "PCIe"), "", time, time);
        if (!fields)
            return;
        memcpy(&fields->tx_post_min, values, sizeof values);
        fields->device = prof->device;
    }
}

/* ---- ports ---- */

/* Columns of a line: "timestamp: bandwidth rxPacket/s rxByte/s rxPackets rxBytes rxErrors
 * rxDropped", the last six columns for tx, and "port [type]". The first line may be a heading. */
enum { PORT_TIME, PORT_BANDWIDTH, PORT_RX, PORT_TX = PORT_RX + 6, PORT_NUMBER = PORT_TX + 6 };

typedef struct Direction {
    double packet_rate, byte_rate;
    guint64 packets, bytes, errors, dropped;
} Direction;

static gboolean read_direction(char **words, Direction *d)
{
    return prof_real(words[0], &d->packet_rate) && prof_real(words[1], &d->byte_rate) &&
           prof_whole(words[2], &d->packets) && prof_whole(words[3], &d->bytes) &&
           prof_whole(words[4], &d->errors) && prof_whole(words[5], &d->dropped);
}

static void fill_port(struct strobe_port *fields, const Direction *rx, const Direction *tx)
{
    fields->rx_packet_rate = rx->packet_rate;
    fields->rx_byte_rate = rx->byte_rate;
    fields->rx_packets = rx->packets;
    fields->rx_bytes = rx->bytes;
    fields->rx_errors = rx->errors;
    fields->rx_dropped = rx->dropped;
    fields->tx_packet_rate = tx->packet_rate;
    fields->tx_byte_rate = tx->byte_rate;
    fields->tx_packets = tx->packets;
    fields->tx_bytes = tx->bytes;
    fields->tx_errors = tx->errors;
    fields->tx_dropped = tx->dropped;
}

static gboolean take_port(Prof *prof, const StrobeKind *kind, const char *group, char *line)
{
    char *words[WORDS_MAX];
    guint n = prof_words(line, words);
    struct strobe_port *fields;
    guint64 time, port = 0;
    Direction rx, tx;
    double bandwidth;

    if (n < PORT_NUMBER || !prof_whole(words[PORT_TIME], &time) ||
        !prof_real(words[PORT_BANDWIDTH], &bandwidth) || !read_direction(words + PORT_RX, &rx) ||
        !read_direction(words + PORT_TX, &tx) ||
        (n > PORT_NUMBER && (!prof_whole(words[PORT_NUMBER], &port) || port >= G_MAXUINT32)))
        return FALSE;
    gint64 ns = prof_time(prof, time);
    fields = prof_emit(prof, kind, prof_counter(prof, group), "", ns, ns);
    if (!fields)
        return TRUE;
    fields->bandwidth = bandwidth * MEBI;
    fill_port(fields, &rx, &tx);
    fields->port = (guint32)port;
    fields->device = prof->device;
    return TRUE;
}

static void import_ports(Prof *prof, Slices *slices, const StrobeKind *kind, const char *group)
{
    gboolean is_first = TRUE;
    char *line;

    while (!prof->is_full && (line = slices_line(slices))) {
        gboolean is_heading = is_first && !g_ascii_isdigit(*g_strchug(line));

        if (*line && !is_heading && !take_port(prof, kind, group, line))
            prof->n_strange++;
        is_first = FALSE;
    }
}

void nic_import(Prof *prof, Slices *slices)
{
    import_ports(prof, slices, &strobe_kind_nic, "NIC");
}

void roce_import(Prof *prof, Slices *slices)
{
    import_ports(prof, slices, &strobe_kind_roce, "RoCE");
}
