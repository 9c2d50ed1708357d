/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sums of calls by name (acl_statistic), to a table for each device and model, or for
 * each captured inference. The memory grows with the number of names and threads. */
#include <errno.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#include "svp_summary.h"

static const char *const titles[] = {
    "Process ID", "Thread ID", "Type",    "Name", "Total Time Ratio(%)", "Total Time(us)", "Count",
    "Avg(us)",    "Max(us)",   "Min(us)", NULL};

typedef struct Key {
    guint64 pid, tid;
    guint32 device, model, iter;
    StrobeStringId mode, name;
    guint32 reserved;
} Key;

typedef struct Interface {
    Key key;
    const char *mode, *name; /* texts of the host */
    guint64 n, total, most, least;
} Interface;

static guint hash_key(gconstpointer key)
{
    return (guint)strobe_hash_bytes(strobe_hash_key(), key, sizeof(Key));
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(Key)) == 0;
}

/* Returns the number of the last capture of the model that began before the call ended. */
static guint32 iter_of(const Summary *summary, const SvpCall *call)
{
    guint32 iter = 1;

    for (guint i = 0; summary->is_per_iter && i < svp_rows_n_captures(summary->rows); i++) {
        const SvpCapture *capture = svp_rows_capture(summary->rows, i);

        if (capture->is_reported && capture->device == call->device &&
            capture->model == call->model && capture->begin_ns < call->end_ns)
            iter = MAX(iter, capture->number);
    }
    return iter;
}

static void take_call(const Summary *summary, GHashTable *interfaces, const SvpCall *call)
{
    const Key key = {.pid = call->pid,
                     .tid = call->tid,
                     .device = call->device,
                     .model = call->model,
                     .iter = iter_of(summary, call),
                     .mode = call->mode,
                     .name = call->name};
    Interface *interface = g_hash_table_lookup(interfaces, &key);
    const guint64 time = (guint64)(call->end_ns - call->begin_ns);

    if (!interface) {
        interface = g_new0(Interface, 1);
        interface->key = key;
        interface->mode = summary->host->string(summary->self, call->mode).bytes;
        interface->name = summary->host->string(summary->self, call->name).bytes;
        interface->least = G_MAXUINT64;
        g_hash_table_insert(interfaces, &interface->key, interface);
    }
    interface->n++;
    interface->total += time;
    interface->most = MAX(interface->most, time);
    interface->least = MIN(interface->least, time);
}

static int compare_numbers(guint64 a, guint64 b)
{
    return a < b ? -1 : a > b;
}

/* Compares two interfaces by their file. Returns 0 if the interfaces belong to the same file. */
static int compare_files(const Interface *one, const Interface *other)
{
    int order = compare_numbers(one->key.device, other->key.device);

    if (!order)
        order = compare_numbers(one->key.model, other->key.model);
    return order ? order : compare_numbers(one->key.iter, other->key.iter);
}

/* Compares interfaces by file, then by time (the longest first), then by name. */
static int compare_interfaces(gconstpointer a, gconstpointer b)
{
    const Interface *one = *(Interface *const *)a, *other = *(Interface *const *)b;
    int order = compare_files(one, other);

    if (!order)
        order = compare_numbers(other->total, one->total);
    if (!order)
        order = strcmp(one->name, other->name);
    if (!order)
        order = strcmp(one->mode, other->mode);
    if (!order)
        order = compare_numbers(one->key.pid, other->key.pid);
    return order ? order : compare_numbers(one->key.tid, other->key.tid);
}

static void put_us(SummaryFile *file, guint64 ns)
{
    char text[SVP_NUMBER_MAX];

    svp_format_us(text, ns);
    summary_file_number(file, text);
}

static void put_whole(SummaryFile *file, guint64 value)
{
    char text[SVP_NUMBER_MAX];

    svp_format_whole(text, value);
    summary_file_number(file, text);
}

static void put_interface(SummaryFile *file, const Interface *interface, guint64 whole)
{
    char ratio[SVP_NUMBER_MAX];

    put_whole(file, interface->key.pid);
    put_whole(file, interface->key.tid);
    summary_file_text(file, interface->mode, strlen(interface->mode));
    summary_file_text(file, interface->name, strlen(interface->name));
    svp_format_ratio(ratio, interface->total, whole, 100, 3);
    summary_file_number(file, ratio);
    put_us(file, interface->total);
    summary_file_uint(file, interface->n);
    put_us(file, svp_divide(interface->total, interface->n));
    put_us(file, interface->most);
    put_us(file, interface->least);
}

/* Writes the rows from index `from` to before `to` to one file. */
static int write_file(const Summary *summary, const GPtrArray *rows, guint from, guint to)
{
    const Key *key = &((const Interface *)g_ptr_array_index(rows, from))->key;
    g_autofree char *name =
        g_strdup_printf("acl_statistic_%u_%u_%u", key->device, key->model, key->iter);
    SummaryFile *file = summary_begin(summary, name, titles);
    guint64 whole = 0;

    if (!file)
        return errno;
    for (guint i = from; i < to; i++)
        whole += ((const Interface *)g_ptr_array_index(rows, i))->total;
    for (guint i = from; i < to; i++)
        put_interface(file, g_ptr_array_index(rows, i), whole);
    return summary_file_finish(file);
}

int call_summary_write(Summary *summary)
{
    g_autoptr(GHashTable) interfaces = g_hash_table_new_full(hash_key, equal_keys, NULL, g_free);
    const SvpCall *call;
    GHashTableIter each;
    gpointer interface;
    int error;

    while ((call = svp_rows_next_call(summary->rows)))
        take_call(summary, interfaces, call);
    error = svp_rows_error(summary->rows);
    g_autoptr(GPtrArray) rows = g_ptr_array_new();
    g_hash_table_iter_init(&each, interfaces);
    while (g_hash_table_iter_next(&each, NULL, &interface))
        g_ptr_array_add(rows, interface);
    g_ptr_array_sort(rows, compare_interfaces);
    for (guint from = 0, to; !error && from < rows->len; from = to) {
        for (to = from + 1; to < rows->len; to++)
            if (compare_files(g_ptr_array_index(rows, from), g_ptr_array_index(rows, to)))
                break;
        error = write_file(summary, rows, from, to);
    }
    return error;
}
