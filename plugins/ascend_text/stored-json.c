/* SPDX-License-Identifier: Apache-2.0 */
#include "stored-json.h"

#include <string.h>

#include "json-walk.h"

#define TIME_INFO "Communication Time Info"
#define BANDWIDTH_INFO "Communication Bandwidth Info"
#define TOTAL "Total Op Info"
#define SIZES "Size Distribution"

/* The depth of each type of key in the file. */
enum { STEP, TYPE, OPERATION, PART, TRANSPORT, SIZE_KEY, SIZE };

enum { START, ELAPSE, TRANSIT, WAIT, SYNCHRONIZATION, IDLE, TIMES };
enum { TRANSIT_SIZE, TRANSIT_TIME, BANDWIDTH, LARGE_RATIO, BANDWIDTHS };

static const char *const time_keys[TIMES] = {"Start Timestamp(us)",      "Elapse Time(ms)",
                                             "Transit Time(ms)",         "Wait Time(ms)",
                                             "Synchronization Time(ms)", "Idle Time(ms)"};
static const char *const bandwidth_keys[BANDWIDTHS] = {"Transit Size(MB)", "Transit Time(ms)",
                                                       "Bandwidth(GB/s)", "Large Packet Ratio"};

typedef struct Packets {
    double megabytes, count, ms;
} Packets;

typedef struct Stored {
    Import *import;
    const char *name;
    guint64 n_records;
    /* numbers of the object that is being read; STROBE_ABSENT_F64 if missing */
    double numbers[TIMES];
    /* the object has a number that is not "0"; "0" means that there is no value */
    gboolean is_any;
    char *transport, *op_name; /* transport and operation of a link */
    GArray *packets;           /* elements of type Packets */
} Stored;

static void clear_values(Stored *s)
{
    for (guint i = 0; i < TIMES; i++)
        s->numbers[i] = STROBE_ABSENT_F64;
    s->is_any = FALSE;
    g_clear_pointer(&s->transport, g_free);
    g_clear_pointer(&s->op_name, g_free);
    g_array_set_size(s->packets, 0);
}

/* ---- records ---- */

static void *emit_record(Stored *s, const StrobeKind *kind, const char *name)
{
    Import *import = s->import;
    gint64 at = import_instant(import);

    s->n_records++;
    return text_import_emit(import, kind, text_import_counter(import, import->device, kind->name),
                            text_import_intern(import, name), at, at);
}

/* Returns the number of the step; for example, 50 for "step50". Returns STROBE_ABSENT_I64 for
 * "step". */
static gint64 step_of(const JsonPlace *place)
{
    gint64 step = STROBE_ABSENT_I64;

    if (g_str_has_prefix(place->keys[STEP], "step"))
        g_ascii_string_to_signed(place->keys[STEP] + 4, 10, 0, G_MAXINT64, &step, NULL);
    return step;
}

static StrobeStringId group_of(const Stored *s, const JsonPlace *place)
{
    const char *at = strrchr(place->keys[OPERATION], '@');

    return at ? text_import_intern(s->import, at + 1) : 0;
}

static void emit_time(Stored *s, const JsonPlace *place)
{
    struct strobe_communication_time *fields =
        emit_record(s, &strobe_kind_communication_time, place->keys[OPERATION]);

    if (!fields)
        return;
    fields->step = step_of(place);
    fields->group = group_of(s, place);
    fields->type = text_import_intern(s->import, place->keys[TYPE]);
    fields->start = s->numbers[START];
    fields->elapse = s->numbers[ELAPSE];
    fields->transit = s->numbers[TRANSIT];
    fields->wait = s->numbers[WAIT];
    fields->synchronization = s->numbers[SYNCHRONIZATION];
    fields->idle = s->numbers[IDLE];
    fields->is_total = !strcmp(place->keys[OPERATION], TOTAL);
    fields->device = s->import->device;
}

/* Emits a record of a transport. `packets` NULL: the transport is a sum of other transports, which
 * has no packets. */
static void emit_bandwidth(Stored *s, const JsonPlace *place, const Packets *packets)
{
    struct strobe_communication_bandwidth *fields =
        emit_record(s, &strobe_kind_communication_bandwidth, place->keys[OPERATION]);

    if (!fields)
        return;
    fields->step = step_of(place);
    fields->group = group_of(s, place);
    fields->type = text_import_intern(s->import, place->keys[TYPE]);
    fields->transport = text_import_intern(s->import, place->keys[TRANSPORT]);
    fields->transit_size = s->numbers[TRANSIT_SIZE];
    fields->transit_time = s->numbers[TRANSIT_TIME];
    fields->bandwidth = s->numbers[BANDWIDTH];
    fields->large_ratio = s->numbers[LARGE_RATIO];
    fields->package_size = packets ? packets->megabytes : STROBE_ABSENT_F64;
    fields->package_count = packets && packets->count > 0 ? (guint64)packets->count : 0;
    fields->package_time = packets ? packets->ms : 0;
    fields->is_total = !strcmp(place->keys[OPERATION], TOTAL);
    fields->device = s->import->device;
}

static void emit_link(Stored *s, const JsonPlace *place)
{
    g_auto(GStrv) ends = g_strsplit(place->keys[PART], "-", 2);
    struct strobe_communication_matrix *fields =
        emit_record(s, &strobe_kind_communication_matrix, place->keys[OPERATION]);

    if (!fields)
        return;
    fields->step = step_of(place);
    fields->group = group_of(s, place);
    fields->type = text_import_intern(s->import, place->keys[TYPE]);
    fields->source = text_import_intern(s->import, ends[0] ? ends[0] : "");
    fields->target = text_import_intern(s->import, ends[0] && ends[1] ? ends[1] : "");
    fields->transport = s->transport ? text_import_intern(s->import, s->transport) : 0;
    fields->transit_size = s->numbers[TRANSIT_SIZE];
    fields->transit_time = s->numbers[TRANSIT_TIME];
    fields->bandwidth = s->numbers[BANDWIDTH];
    fields->op_name = s->op_name ? text_import_intern(s->import, s->op_name) : 0;
    fields->device = s->import->device;
}

static void leave_object(void *user, const JsonPlace *place)
{
    Stored *s = user;

    if (place->n == PART + 1 && !strcmp(place->keys[PART], TIME_INFO)) {
        emit_time(s, place);
    } else if (place->n == TRANSPORT + 1 && !strcmp(place->keys[PART], BANDWIDTH_INFO)) {
        for (guint i = 0; i < s->packets->len; i++)
            emit_bandwidth(s, place, &g_array_index(s->packets, Packets, i));
        if (!s->packets->len && s->is_any)
            emit_bandwidth(s, place, NULL);
    } else if (place->n == PART + 1 && strcmp(place->keys[PART], BANDWIDTH_INFO)) {
        emit_link(s, place);
    } else {
        return;
    }
    clear_values(s);
}

/* ---- values ---- */

static void take_number(Stored *s, const char *const *keys, guint n, const char *key,
                        const char *text)
{
    for (guint i = 0; i < n; i++)
        if (!strcmp(key, keys[i])) {
            s->numbers[i] = g_ascii_strtod(text, NULL);
            s->is_any |= strcmp(text, "0") != 0;
        }
    if (!strcmp(key, bandwidth_keys[LARGE_RATIO]) && !strcmp(text, "0"))
        s->numbers[LARGE_RATIO] = STROBE_ABSENT_F64;
}

/* Reads a value of an entry "<MB>": [count, ms]. */
static void take_packets(Stored *s, const JsonPlace *place, const char *text)
{
    Packets packets = {.megabytes = g_ascii_strtod(place->keys[SIZE], NULL)};

    if (!strcmp(place->keys[SIZE + 1], "0")) {
        packets.count = g_ascii_strtod(text, NULL);
        g_array_append_val(s->packets, packets);
    } else if (s->packets->len) {
        g_array_index(s->packets, Packets, s->packets->len - 1).ms = g_ascii_strtod(text, NULL);
    }
}

static void replace_text(char **kept, const char *text)
{
    g_free(*kept);
    *kept = g_strdup(text);
}

static void take_value(void *user, const JsonPlace *place, int token, const char *text,
                       gsize length)
{
    Stored *s = user;
    const char *key = place->n ? place->keys[place->n - 1] : "";

    if (place->n == SIZE + 2 && !strcmp(place->keys[SIZE_KEY], SIZES))
        take_packets(s, place, text);
    else if (place->n == TRANSPORT + 2 && !strcmp(place->keys[PART], BANDWIDTH_INFO))
        take_number(s, bandwidth_keys, BANDWIDTHS, key, text);
    else if (place->n == PART + 2 && !strcmp(place->keys[PART], TIME_INFO))
        take_number(s, time_keys, TIMES, key, text);
    else if (place->n == PART + 2 && !strcmp(key, "Transport Type"))
        replace_text(&s->transport, text);
    else if (place->n == PART + 2 && !strcmp(key, "Op Name"))
        replace_text(&s->op_name, text);
    else if (place->n == PART + 2)
        take_number(s, bandwidth_keys, BANDWIDTHS, key, text);
    (void)token;
    (void)length;
}

void stored_json_import(Import *import, int descriptor, const char *name)
{
    Stored s = {.import = import, .name = name};
    const JsonWalker walker = {.value = take_value, .leave = leave_object, .user = &s};
    StrobeJsonScanner *scanner = strobe_json_scanner_new(descriptor);
    const char *expected;

    s.packets = g_array_new(FALSE, FALSE, sizeof(Packets));
    clear_values(&s);
    expected = json_walk(scanner, &walker);
    if (expected) {
        g_autofree char *reason = g_strdup_printf("expected %s", expected);

        import_damage(import, name, "offset", strobe_json_scanner_offset(scanner), reason);
    }
    import->host->found(import->self, name, s.n_records);
    clear_values(&s);
    g_array_unref(s.packets);
    strobe_json_scanner_free(scanner);
}
