/* SPDX-License-Identifier: Apache-2.0 */
/* Writes communication.json and communication_matrix.json from records of the kinds
 * communication_time, communication_bandwidth and communication_matrix. */
#include "comm-json.h"

#include <errno.h>
#include <glib.h>
#include <gzip-file.h>
#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/json-writer.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>
#include <strobe/kinds.h>

#include "comm-tree.h"

#define RECORDS_MAX 4194304u

typedef struct CommJson {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    GPtrArray *times, *matrix; /* trees by step, type and name */
    GHashTable *copies;        /* const StrobeKindView * -> StrobeFieldCopies */
    guint64 n_records, n_dropped;
    StrobeJsonWriter json;
} CommJson;

static const char *const type_names[COMM_TYPES] = {"p2p", "collective"};
static const char *const transports[] = {"RDMA", "HCCS", "PCIE", "SDMA", "SIO"};

static StrobeStatus comm_json_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                   void **state)
{
    CommJson *out = g_new0(CommJson, 1);

    out->host = host;
    out->self = self;
    out->times = comm_tree_new();
    out->matrix = comm_tree_new();
    out->copies = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    *state = out;
    return STROBE_OK;
}

static void comm_json_close(void *state)
{
    CommJson *out = state;

    g_ptr_array_unref(out->times);
    g_ptr_array_unref(out->matrix);
    g_hash_table_unref(out->copies);
    g_free(out);
}

/* ---- adding records ---- */

static void take_fields(CommJson *out, const StrobeView *record, const StrobeKind *kind,
                        void *fields)
{
    StrobeFieldCopies *copies = g_hash_table_lookup(out->copies, record->kind);

    if (!copies) {
        copies = g_new(StrobeFieldCopies, 1);
        strobe_field_copies_find(copies, record->kind, kind);
        g_hash_table_insert(out->copies, (gpointer)record->kind, copies);
    }
    strobe_fields_absent(kind, fields);
    strobe_field_copies_apply(copies, record, fields);
}

static const char *text_of(const CommJson *out, StrobeStringId id)
{
    return out->host->string(out->self, id).bytes;
}

static guint type_of(const CommJson *out, StrobeStringId id)
{
    return strcmp(text_of(out, id), type_names[COMM_P2P]) ? COMM_COLLECTIVE : COMM_P2P;
}

static void take_time(CommJson *out, const StrobeView *record)
{
    struct strobe_communication_time fields;
    CommEntry *entry;

    take_fields(out, record, &strobe_kind_communication_time, &fields);
    entry = comm_list_entry(comm_tree_list(out->times, fields.step, type_of(out, fields.type)),
                            text_of(out, record->name), fields.is_total);
    entry->time = fields;
    entry->has_time = TRUE;
}

static void take_bandwidth(CommJson *out, const StrobeView *record)
{
    struct strobe_communication_bandwidth fields;
    CommEntry *entry;

    take_fields(out, record, &strobe_kind_communication_bandwidth, &fields);
    entry = comm_list_entry(comm_tree_list(out->times, fields.step, type_of(out, fields.type)),
                            text_of(out, record->name), fields.is_total);
    g_array_append_val(entry->bandwidths, fields);
}

static void take_link(CommJson *out, const StrobeView *record)
{
    struct strobe_communication_matrix fields;
    CommEntry *entry;

    take_fields(out, record, &strobe_kind_communication_matrix, &fields);
    entry = comm_list_entry(comm_tree_list(out->matrix, fields.step, type_of(out, fields.type)),
                            text_of(out, record->name), FALSE);
    g_array_append_val(entry->links, fields);
}

static StrobeStatus comm_json_batch(void *state, const StrobeView *records, size_t n)
{
    CommJson *out = state;

    for (size_t i = 0; i < n; i++) {
        const char *kind = records[i].kind->name;

        if (out->n_records >= RECORDS_MAX) {
            out->n_dropped++;
            continue;
        }
        out->n_records++;
        if (!strcmp(kind, "communication_time"))
            take_time(out, &records[i]);
        else if (!strcmp(kind, "communication_bandwidth"))
            take_bandwidth(out, &records[i]);
        else if (!strcmp(kind, "communication_matrix"))
            take_link(out, &records[i]);
    }
    return STROBE_OK;
}

/* ---- writing JSON ---- */

static void put_number(CommJson *out, const char *key, double value)
{
    strobe_json_key(&out->json, key);
    if (isnan(value))
        strobe_json_int(&out->json, 0);
    else
        strobe_json_double(&out->json, value);
}

/* Writes part / (part + other); writes the integer 0 if both numbers are 0. */
static void put_ratio(CommJson *out, const char *key, double part, double other)
{
    double sum = part + other;

    put_number(out, key, sum != 0 ? strobe_round_decimals(part / sum, 4) : STROBE_ABSENT_F64);
}

static void put_time(CommJson *out, const struct strobe_communication_time *time)
{
    strobe_json_key(&out->json, "Communication Time Info");
    strobe_json_begin_object(&out->json);
    if (!time->is_total)
        put_number(out, "Start Timestamp(us)", time->start);
    put_number(out, "Elapse Time(ms)", time->elapse);
    put_number(out, "Transit Time(ms)", time->transit);
    put_number(out, "Wait Time(ms)", time->wait);
    put_number(out, "Synchronization Time(ms)", time->synchronization);
    put_number(out, "Idle Time(ms)", time->idle);
    put_ratio(out, "Wait Time Ratio", time->wait, time->transit);
    put_ratio(out, "Synchronization Time Ratio", time->synchronization, time->transit);
    strobe_json_end_object(&out->json);
}

/* Writes each size with its count and its time, for example {"2.064384": [12, 1.58], ...} */
static void put_sizes(CommJson *out, const CommEntry *entry, const char *transport)
{
    strobe_json_key(&out->json, "Size Distribution");
    strobe_json_begin_object(&out->json);
    for (guint i = 0; i < entry->bandwidths->len; i++) {
        const struct strobe_communication_bandwidth *row =
            &g_array_index(entry->bandwidths, struct strobe_communication_bandwidth, i);
        char key[STROBE_NUMBER_MAX];

        if (strcmp(text_of(out, row->transport), transport) || !row->package_count ||
            isnan(row->package_size))
            continue;
        strobe_format_double(key, row->package_size);
        strobe_json_key(&out->json, key);
        strobe_json_begin_array(&out->json);
        strobe_json_uint(&out->json, row->package_count);
        strobe_json_double(&out->json, row->package_time);
        strobe_json_end_array(&out->json);
    }
    strobe_json_end_object(&out->json);
}

static void put_transport(CommJson *out, const CommEntry *entry, const char *transport)
{
    struct strobe_communication_bandwidth row;

    strobe_fields_absent(&strobe_kind_communication_bandwidth, &row);
    for (guint i = entry->bandwidths->len; i > 0; i--) {
        const struct strobe_communication_bandwidth *next =
            &g_array_index(entry->bandwidths, struct strobe_communication_bandwidth, i - 1);

        if (!strcmp(text_of(out, next->transport), transport))
            row = *next;
    }
    strobe_json_key(&out->json, transport);
    strobe_json_begin_object(&out->json);
    if (entry->is_total) {
        put_number(out, "Transit Time(ms)", row.transit_time);
        put_number(out, "Transit Size(MB)", row.transit_size);
    } else {
        put_number(out, "Transit Size(MB)", row.transit_size);
        put_number(out, "Transit Time(ms)", row.transit_time);
        put_number(out, "Bandwidth(GB/s)", row.bandwidth);
        put_number(out, "Large Packet Ratio", row.large_ratio);
    }
    put_sizes(out, entry, transport);
    strobe_json_end_object(&out->json);
}

static void put_figures(CommJson *out, const CommEntry *entry)
{
    if (entry->has_time)
        put_time(out, &entry->time);
    strobe_json_key(&out->json, "Communication Bandwidth Info");
    strobe_json_begin_object(&out->json);
    for (guint i = 0; i < G_N_ELEMENTS(transports); i++)
        put_transport(out, entry, transports[i]);
    strobe_json_end_object(&out->json);
}

static void put_links(CommJson *out, const CommEntry *entry)
{
    for (guint i = 0; i < entry->links->len; i++) {
        const struct strobe_communication_matrix *row =
            &g_array_index(entry->links, struct strobe_communication_matrix, i);
        StrobeText name = out->host->string(out->self, row->op_name);
        g_autofree char *key =
            g_strdup_printf("%s-%s", text_of(out, row->source), text_of(out, row->target));

        strobe_json_key_text(&out->json, key, strlen(key));
        strobe_json_begin_object(&out->json);
        strobe_json_key(&out->json, "Transport Type");
        strobe_json_string(&out->json, text_of(out, row->transport));
        put_number(out, "Transit Size(MB)", row->transit_size);
        put_number(out, "Transit Time(ms)", row->transit_time);
        put_number(out, "Bandwidth(GB/s)", row->bandwidth);
        if (name.length) {
            strobe_json_key(&out->json, "Op Name");
            strobe_json_text(&out->json, name.bytes, name.length);
        }
        strobe_json_end_object(&out->json);
    }
}

static void put_entry(CommJson *out, const CommEntry *entry, gboolean is_matrix)
{
    strobe_json_key_text(&out->json, entry->name, strlen(entry->name));
    strobe_json_begin_object(&out->json);
    if (is_matrix)
        put_links(out, entry);
    else
        put_figures(out, entry);
    strobe_json_end_object(&out->json);
}

static void put_tree(CommJson *out, const GPtrArray *tree, gboolean is_matrix)
{
    strobe_json_begin_object(&out->json);
    for (guint i = 0; i < tree->len; i++) {
        const CommStep *step = g_ptr_array_index(tree, i);
        g_autofree char *key = step->number == STROBE_ABSENT_I64
                                   ? g_strdup("step")
                                   : g_strdup_printf("step%" G_GINT64_FORMAT, step->number);

        strobe_json_key(&out->json, key);
        strobe_json_begin_object(&out->json);
        for (guint type = 0; type < COMM_TYPES; type++) {
            const CommList *list = &step->lists[type];

            strobe_json_key(&out->json, type_names[type]);
            strobe_json_begin_object(&out->json);
            for (guint k = 0; k < list->entries->len; k++)
                put_entry(out, g_ptr_array_index(list->entries, k), is_matrix);
            if (list->total)
                put_entry(out, list->total, is_matrix);
            strobe_json_end_object(&out->json);
        }
        strobe_json_end_object(&out->json);
    }
    strobe_json_end_object(&out->json);
}

static StrobeStatus write_tree(CommJson *out, const char *name, const GPtrArray *tree,
                               gboolean is_matrix)
{
    const StrobeMetadata *metadata = out->host->metadata(out->self);
    StrobeSafeFile *file;
    int error;

    if (!tree->len)
        return STROBE_OK;
    file = gzip_file_create(metadata->directory, name, out->host->option_bool(out->self, "gzip"));
    error = file ? 0 : errno;
    if (!error) {
        strobe_json_init(&out->json, strobe_safe_file_write, file, STROBE_JSON_SPACED);
        put_tree(out, tree, is_matrix);
        error = strobe_json_flush(&out->json);
        if (error)
            strobe_safe_file_discard(file);
        else
            error = strobe_safe_file_finish(file);
    }
    if (!error)
        return STROBE_OK;
    return out->host->fail(out->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                           "Cannot write communication: file=\"%s\", folder=\"%s\": %s", name,
                           metadata->directory_path, g_strerror(error));
}

static StrobeStatus comm_json_end(void *state)
{
    CommJson *out = state;
    StrobeStatus status = STROBE_OK;

    if (out->n_dropped)
        out->host->log(out->self, STROBE_LOG_WARNING,
                       "%" G_GUINT64_FORMAT " communication records beyond the first %u are not "
                       "in the JSON files",
                       out->n_dropped, RECORDS_MAX);
    if (out->host->metadata(out->self)->level == 0)
        return STROBE_OK;
    status = write_tree(out, "communication.json", out->times, FALSE);
    if (!status)
        status = write_tree(out, "communication_matrix.json", out->matrix, TRUE);
    return status;
}

const StrobeConsumerOps comm_json_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = comm_json_open,
    .batch = comm_json_batch,
    .end = comm_json_end,
    .close = comm_json_close,
};
