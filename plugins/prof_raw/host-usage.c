/* SPDX-License-Identifier: Apache-2.0 */
/* Reads host_mem.data, host_network.data and host_disk.data: the use of the host's memory, network
 * and disks. */
#include <string.h>

#include "prof_raw.h"

#define PAGE_KB 4 /* CANN's tool assumes this size on every machine */
#define DISK_INTERVAL_NS 20000000u
#define INTERFACES_MAX 1000u

static struct strobe_usage *emit_usage(Prof *prof, const char *group, const char *name,
                                       guint64 time)
{
    gint64 ns = prof_time(prof, time);

    return prof_emit(prof, &strobe_kind_usage, prof_counter(prof, group), name, ns, ns);
}

/* ---- memory ---- */

/* Reads lines "<ns> <content of /proc/<pid>/statm>". Makes n - 1 rows from n samples, as CANN's
 * tool does. A row has the time and the value of the later sample. */
void host_mem_import(Prof *prof, Slices *slices)
{
    char *line, *words[WORDS_MAX];
    gboolean has_last = FALSE;
    double total_kb = 0;

    if (!side_json_double(prof->info, "memoryTotal", &total_kb) || total_kb <= 0) {
        prof->host->damage(prof->self, prof->part,
                           "info.json has no memoryTotal: the share in use is not known");
        return;
    }
    while (!prof->is_full && (line = slices_line(slices))) {
        guint n = prof_words(line, words);
        struct strobe_usage *fields;
        guint64 time, pages;

        if (n == 0)
            continue;
        if (n < 3 || !prof_whole(words[0], &time) || !prof_whole(words[2], &pages)) {
            prof->n_strange++;
            continue;
        }
        fields = has_last ? emit_usage(prof, "Memory Usage", "Memory", time) : NULL;
        has_last = TRUE;
        if (fields)
            fields->usage = (double)pages * PAGE_KB / total_kb * 100;
    }
}

/* ---- network ---- */

typedef struct Interface {
    guint64 bytes, before;
    gboolean has_bytes, has_before;
    double capacity; /* B/s; 0: unknown */
} Interface;

typedef struct Network {
    Prof *prof;
    GHashTable *interfaces; /* by name */
    guint64 time, before;
    gboolean has_time, has_before, has_capacities;
} Network;

/* Reads the cards and their speeds, in Mb/s, from info.json. */
static void read_capacities(Network *n)
{
    for (guint i = 0; i < INTERFACES_MAX; i++) {
        g_autofree char *name = g_strdup_printf("netCard.%u.netCardName", i);
        g_autofree char *speed = g_strdup_printf("netCard.%u.speed", i);
        const char *text = side_json_text(n->prof->info, name);
        double mbits;
        Interface *card;

        if (!text)
            return;
        if (!side_json_double(n->prof->info, speed, &mbits) || mbits <= 0)
            continue;
        card = g_new0(Interface, 1);
        card->capacity = mbits * 125000;
        n->has_capacities = TRUE;
        g_hash_table_insert(n->interfaces, g_strdup(text), card);
    }
}

static void end_network(Network *n)
{
    double seconds = n->time > n->before ? (double)(n->time - n->before) / 1e9 : 0;
    double speed = 0, share = 0;
    struct strobe_usage *fields;
    GHashTableIter iter;
    gpointer value;
    guint known = 0;

    if (!n->has_time)
        return;
    g_hash_table_iter_init(&iter, n->interfaces);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        Interface *card = value;
        gboolean counts = card->has_bytes && card->has_before && card->bytes >= card->before &&
                          (card->capacity > 0 || !n->has_capacities) && seconds > 0;
        double rate = counts ? (double)(card->bytes - card->before) / seconds : 0;

        speed += rate;
        if (counts && card->capacity > 0) {
            share += rate / card->capacity;
            known++;
        }
        card->before = card->bytes;
        card->has_before = card->has_bytes;
        card->has_bytes = FALSE;
    }
    if (n->has_before && seconds > 0) {
        fields = emit_usage(n->prof, "Network Usage", "Network", n->time);
        if (fields)
            fields->speed = speed;
        if (fields && known)
            fields->usage = share / known * 100;
    } else if (n->has_before) {
        n->prof->n_dropped++;
    }
    n->before = n->time;
    n->has_before = TRUE;
}

/* Reads "eth0: <bytes>" and seven more numbers for receiving, then eight numbers for sending. */
static gboolean read_interface(Network *n, char *line)
{
    char *colon = strchr(line, ':'), *words[WORDS_MAX];
    guint64 received, sent;
    Interface *card;

    if (!colon || !n->has_time)
        return FALSE;
    *colon = 0;
    if (prof_words(colon + 1, words) < 9 || !prof_whole(words[0], &received) ||
        !prof_whole(words[8], &sent))
        return FALSE;
    g_strstrip(line);
    if (!strcmp(line, "lo"))
        return TRUE;
    card = g_hash_table_lookup(n->interfaces, line);
    if (!card && g_hash_table_size(n->interfaces) < INTERFACES_MAX) {
        card = g_new0(Interface, 1);
        g_hash_table_insert(n->interfaces, g_strdup(line), card);
    }
    if (!card)
        return FALSE;
    card->bytes = received + sent;
    card->has_bytes = TRUE;
    return TRUE;
}

void host_network_import(Prof *prof, Slices *slices)
{
    Network n = {.prof = prof};
    char *line;

    n.interfaces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    read_capacities(&n);
    while (!prof->is_full && (line = slices_line(slices))) {
        guint64 time;

        if (!*g_strchug(line))
            continue;
        if (g_str_has_prefix(line, "time ") &&
            prof_whole(g_strstrip(line + strlen("time ")), &time)) {
            end_network(&n);
            n.time = time;
            n.has_time = TRUE;
        } else if (!read_interface(&n, line)) {
            prof->n_strange++;
        }
    }
    end_network(&n);
    g_hash_table_unref(n.interfaces);
}

/* ---- disk ---- */

static gboolean read_rate(const char *number, const char *unit, double *rate)
{
    static const char units[] = "BKMGT";
    const char *found = *unit ? strchr(units, *unit) : NULL;

    if (!found || !prof_real(number, rate))
        return FALSE;
    for (; found > units; found--)
        *rate *= 1024;
    return TRUE;
}

/* Reads "tid prio user read unit write unit swap-in % io % command". */
static gboolean take_disk(Prof *prof, char *line, guint64 time)
{
    char *words[WORDS_MAX];
    guint n = prof_words(line, words);
    struct strobe_usage *fields;
    double read, write, io;

    if (n < 7 || !read_rate(words[3], words[4], &read) || !read_rate(words[5], words[6], &write))
        return FALSE;
    fields = emit_usage(prof, "Disk Usage", "Disk", time);
    if (!fields)
        return TRUE;
    fields->read_rate = read;
    fields->write_rate = write;
    if (n > 10 && words[8][0] == '%' && prof_real(words[9], &io) && words[10][0] == '%')
        fields->usage = io;
    return TRUE;
}

/* Reads "start_time <ns>", then the lines of iotop. Only the lines of processes begin with a
 * number. These lines have no times, so each gets a time that is 20 ms later than that of the line
 * before. */
void host_disk_import(Prof *prof, Slices *slices)
{
    guint64 start = 0, n = 0;
    char *line;

    while (!prof->is_full && (line = slices_line(slices))) {
        g_strchug(line);
        if (g_str_has_prefix(line, "start_time")) {
            if (!prof_whole(g_strstrip(line + strlen("start_time")), &start))
                prof->n_strange++;
        } else if (g_ascii_isdigit(*line)) {
            if (take_disk(prof, line, start + n * DISK_INTERVAL_NS))
                n++;
            else
                prof->n_strange++;
        }
    }
}
