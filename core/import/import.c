/* SPDX-License-Identifier: Apache-2.0 */
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include <sys/stat.h>
#include <unistd.h>
#include "component-call.h"
#include "error.h"
#include "import-capture.h"
#include "import-copy.h"
#include "import-directory.h"
#include "import-source.h"
#include "instance.h"
#include "json-text.h"
#include "log.h"
#include "memory-limit.h"
#include "memory-shares.h"
#include "recover.h"

#define ITEMS_MAX 1000u
#define FILE_BYTES_MAX (1u << 20)
#define FILES_MAX 64u
#define DROPPED "nothing of it could be read"
#define LINK_IDS_FIRST ((guint64)1 << 62) /* higher than the ids in sources */

/* One run of an importer; contains the importer's instance. */
struct run {
    StrobeInstance instance;
    const StrobeImportWish *wish;
    StrobeImportRequest request;
    StrobeStorage *storage;
    StrobeImport *import;
    StrobeImportCapture *capture;
    GHashTable *items; /* "part\1name" to StrobeImportItem, for the items of all lists */
    GHashTable *files; /* name to GBytes */
    guint64 next_link;
    GError *failure;
};

static struct run *run_of(StrobeInstance *self)
{
    return self->owner;
}

static void free_item(gpointer data)
{
    StrobeImportItem *item = data;

    g_free(item->part);
    g_free(item->name);
    g_free(item);
}

static void host_damage(StrobeInstance *self, const char *place, const char *reason);

/* ---- host table ---- */

static const StrobeImportRequest *host_request(StrobeInstance *self)
{
    return &run_of(self)->request;
}

static StrobeStatus host_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id)
{
    char error[256];

    *id = strobe_import_capture_kind(run_of(self)->capture, kind, error, sizeof error);
    if (*id)
        return STROBE_OK;
    return strobe_instance_fail(self, STROBE_ERROR_ARGUMENT, __FILE__, __LINE__, "%s", error);
}

static StrobeTrackId host_track(StrobeInstance *self, const StrobeTrack *track, uint64_t pid)
{
    return strobe_import_capture_track(run_of(self)->capture, track, pid);
}

static StrobeStatus host_retrack(StrobeInstance *self, StrobeTrackId id, const StrobeTrack *track,
                                 uint64_t pid)
{
    if (strobe_import_capture_retrack(run_of(self)->capture, id, track, pid))
        return STROBE_OK;
    return strobe_instance_fail(self, STROBE_ERROR_ARGUMENT, __FILE__, __LINE__,
                                "There is no track %u", id);
}

static StrobeStatus host_time_base(StrobeInstance *self, int64_t base_ns)
{
    return strobe_import_capture_time_base(run_of(self)->capture, base_ns) ? STROBE_OK
                                                                           : STROBE_ERROR_ARGUMENT;
}

static StrobeStringId host_intern(StrobeInstance *self, const char *bytes, size_t length)
{
    return strobe_import_capture_intern(run_of(self)->capture, bytes, length, FALSE);
}

static StrobeStackId host_stack(StrobeInstance *self, const StrobeStringId *frames, size_t n)
{
    if (n == 0)
        return 0;
    return strobe_import_capture_intern(run_of(self)->capture, (const char *)frames,
                                        n * sizeof *frames, TRUE);
}

static void *host_emit(StrobeInstance *self, StrobeKindId kind, StrobeTrackId track,
                       StrobeStringId name, int64_t begin_ns, int64_t end_ns)
{
    struct run *run = run_of(self);

    if (run->failure)
        return NULL;
    return strobe_import_capture_add(run->capture, kind, track, name, begin_ns, end_ns,
                                     &run->failure);
}

static uint64_t host_link_ids(StrobeInstance *self, uint32_t n)
{
    struct run *run = run_of(self);
    guint64 first = run->next_link;

    run->next_link += n;
    return first;
}

static void host_metadata_text(StrobeInstance *self, const char *key, const char *value)
{
    g_autofree char *valid = g_utf8_make_valid(value, -1);

    json_object_set_string_member(run_of(self)->import->metadata, key, valid);
}

/* Clocks that are farther apart do not belong to the same host and time. */
#define SHIFT_MAX_NS 10000000000

/* Computes the shift of the source's times: the source and the recorder each have an offset to
 * CLOCK_MONOTONIC_RAW, and the shift is the difference. */
static void join_clocks(struct run *run, gint64 raw_offset)
{
    const StrobeImportJoin *join = run->wish->join;
    gint64 shift;

    if (!join || !join->has_raw_offset ||
        __builtin_sub_overflow(join->raw_offset, raw_offset, &shift))
        return;
    if (shift > SHIFT_MAX_NS || shift < -SHIFT_MAX_NS) {
        host_damage(&run->instance, "clocks",
                    "those of the source and of the recorder are over 10 s apart: the times of the "
                    "source stay unchanged");
        return;
    }
    run->import->shift_ns = shift;
    strobe_import_capture_shift(run->capture, shift);
}

static void host_metadata_int(StrobeInstance *self, const char *key, int64_t value)
{
    if (!strcmp(key, "raw_clock_offset_ns"))
        join_clocks(run_of(self), value);
    json_object_set_int_member(run_of(self)->import->metadata, key, value);
}

static gboolean is_harmless(const char *name)
{
    static const char good[] = G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-";

    return *name && *name != '.' && strlen(name) < 200 && strspn(name, good) == strlen(name);
}

static StrobeStatus host_file(StrobeInstance *self, const char *name, const char *bytes,
                              size_t length)
{
    struct run *run = run_of(self);

    if (!is_harmless(name) || length > FILE_BYTES_MAX || g_hash_table_size(run->files) == FILES_MAX)
        return strobe_instance_fail(
            self, STROBE_ERROR_ARGUMENT, __FILE__, __LINE__,
            "The file \"%.200s\" of %zu bytes cannot be added to the result", name, length);
    g_hash_table_replace(run->files, g_strdup(name), g_bytes_new(bytes, length));
    return STROBE_OK;
}

/* Adds an item to the list, or increases the count of the item with the same part and name. */
static void add_item(struct run *run, GPtrArray *list, const char *part, const char *name,
                     guint64 n)
{
    g_autofree char *key = g_strdup_printf("%p\1%s\1%s", (void *)list, part, name ? name : "");
    StrobeImportItem *item = g_hash_table_lookup(run->items, key);

    if (!item && list->len < ITEMS_MAX) {
        item = g_new0(StrobeImportItem, 1);
        item->part = g_utf8_make_valid(part, -1);
        item->name = name ? g_utf8_make_valid(name, -1) : NULL;
        g_ptr_array_add(list, item);
        g_hash_table_insert(run->items, g_steal_pointer(&key), item);
    }
    if (item)
        item->n += n;
}

static void host_found(StrobeInstance *self, const char *part, uint64_t rows)
{
    add_item(run_of(self), run_of(self)->import->found, part, NULL, rows);
}

static void host_unknown(StrobeInstance *self, const char *part, const char *name, uint64_t rows)
{
    add_item(run_of(self), run_of(self)->import->unknown, part, name, rows);
}

static void host_damage(StrobeInstance *self, const char *place, const char *reason)
{
    run_of(self)->import->n_damage++;
    add_item(run_of(self), run_of(self)->import->damage, place, reason, 1);
}

/* Approximate share of the time for reading a source; the rest is for writing the capture. */
#define READ_SHARE 0.8

static void host_progress(StrobeInstance *self, uint64_t done, uint64_t total)
{
    const struct run *run = run_of(self);
    const StrobeImportWish *wish = run->wish;

    if (wish->progress && total)
        wish->progress(wish->progress_user, READ_SHARE * (double)done / (double)total,
                       strobe_import_capture_n_records(run->capture, 0));
}

static StrobeStorage *host_storage(StrobeInstance *self)
{
    return run_of(self)->storage;
}

static void tell_copy(void *user, const char *part, const char *reason)
{
    host_damage(user, part, reason);
}

/* If the recorded program was killed, adds the last records, which are still in its pool, to the
 * capture, as is done for the capture of a result directory. */
static void recover_file(StrobeInstance *self, const char *part, int32_t descriptor)
{
    g_autofree char *held = g_strdup_printf("/proc/self/fd/%d", descriptor);
    g_autoptr(GError) error = NULL;
    gboolean is_live = FALSE;

    if (!strobe_recover(held, &is_live, &error)) {
        g_autoptr(GString) reason = g_string_new(error->message);

        /* the message already begins with the part's name */
        g_string_replace(reason, held, "it", 0);
        host_damage(self, part, reason->str);
    } else if (is_live) {
        host_damage(self, part, "its program still runs: the records written so far are read");
    }
}

static StrobeStatus host_capture(StrobeInstance *self, const char *part, int32_t descriptor,
                                 uint64_t *n)
{
    struct run *run = run_of(self);
    const StrobeCopyWish wish = {.part = part, .damage = tell_copy, .user = self};
    g_autoptr(GError) error = NULL;
    guint64 copied = 0;

    recover_file(self, part, descriptor);
    if (!strobe_import_copy(run->capture, descriptor, &wish, &copied, &error))
        return strobe_instance_fail(self, STROBE_ERROR_INPUT, __FILE__, __LINE__, "%s",
                                    error->message);
    if (n)
        *n = copied;
    return STROBE_OK;
}

static const StrobeImporterHost importer_host = {
    .struct_size = sizeof(StrobeImporterHost),
    .abi_minor = STROBE_ABI_MINOR,
    .request = host_request,
    .kind = host_kind,
    .track = host_track,
    .intern = host_intern,
    .stack = host_stack,
    .emit = host_emit,
    .link_ids = host_link_ids,
    .metadata_text = host_metadata_text,
    .metadata_int = host_metadata_int,
    .file = host_file,
    .found = host_found,
    .unknown = host_unknown,
    .damage = host_damage,
    .progress = host_progress,
    .storage = host_storage,
    .option_bool = strobe_instance_option_bool,
    .option_int = strobe_instance_option_int,
    .option_double = strobe_instance_option_double,
    .option_text = strobe_instance_option_text,
    .log = strobe_instance_log,
    .fail = strobe_instance_fail,
    .retrack = host_retrack,
    .time_base = host_time_base,
    .capture = host_capture,
};

static void log_line(StrobeInstance *self, gint32 level, const char *text)
{
    strobe_log(level, "%s: %s", self->component->name, text);
}

/* ---- a run ---- */

static StrobeImport *new_import(const char *format)
{
    StrobeImport *import = g_new0(StrobeImport, 1);

    import->format = g_strdup(format);
    import->kinds = g_ptr_array_new_with_free_func(free_item);
    import->found = g_ptr_array_new_with_free_func(free_item);
    import->unknown = g_ptr_array_new_with_free_func(free_item);
    import->damage = g_ptr_array_new_with_free_func(free_item);
    import->metadata = json_object_new();
    return import;
}

void strobe_import_free(StrobeImport *import)
{
    if (!import)
        return;
    g_free(import->result.directory);
    g_free(import->result.capture);
    g_free(import->result.source);
    g_free(import->format);
    g_ptr_array_unref(import->kinds);
    g_ptr_array_unref(import->found);
    g_ptr_array_unref(import->unknown);
    g_ptr_array_unref(import->damage);
    json_object_unref(import->metadata);
    g_free(import);
}

static gboolean call_importer(struct run *run, const StrobeImportSource *source, GError **error)
{
    const StrobeImporterOps *ops = source->importer->ops;
    g_autofree guchar *head = g_malloc(STROBE_SOURCE_HEAD);
    StrobeSource opened;
    StrobeStatus status;

    if (!strobe_source_open(&opened, source->path, head, error))
        return FALSE;
    strobe_component_call_begin(source->importer, "import");
    status = ops->import(&importer_host, &run->instance, &opened);
    strobe_component_call_end();
    strobe_source_close(&opened);
    if (run->failure) {
        g_propagate_error(error, g_steal_pointer(&run->failure));
        return FALSE;
    }
    if (status == STROBE_OK)
        return TRUE;
    strobe_instance_set_error(&run->instance, "import", status, error);
    return FALSE;
}

static gint64 damage_time(const struct run *run)
{
    const StrobeImportJoin *join = run->wish->join;

    return join ? join->begin_ns : strobe_import_capture_begin(run->capture);
}

static void add_diagnostic(struct run *run, StrobeKindId kind, StrobeStringId name,
                           const char *text, guint32 level)
{
    struct strobe_diagnostic *fields =
        strobe_import_capture_add(run->capture, kind, 0, name, damage_time(run), 0, &run->failure);

    if (!fields)
        return;
    fields->text = strobe_import_capture_intern(run->capture, text, strlen(text), FALSE);
    fields->level = level;
}

/* Is the place in this part of the source? A place is, for example, "l2_cache.csv, row 4" or "table
 * TASK". */
static gboolean is_in_part(const char *place, const char *part)
{
    const gsize length = strlen(part);

    if (g_str_has_prefix(place, "table "))
        place += strlen("table ");
    return g_str_has_prefix(place, part) && (place[length] == '\0' || place[length] == ',');
}

/* Lists the damaged parts of the source that gave no row. */
static void list_dropped(struct run *run)
{
    const GPtrArray *found = run->import->found, *damage = run->import->damage;
    const guint n_damage = damage->len;

    for (guint i = 0; i < found->len; i++) {
        const StrobeImportItem *part = g_ptr_array_index(found, i);
        gboolean is_damaged = FALSE;

        for (guint k = 0; part->n == 0 && !is_damaged && k < n_damage; k++)
            is_damaged =
                is_in_part(((StrobeImportItem *)g_ptr_array_index(damage, k))->part, part->part);
        if (is_damaged)
            host_damage(&run->instance, part->part, DROPPED);
    }
}

/* Stores diagnostics about damage in the capture, so that every export reports the damage. */
static void store_damage(struct run *run, const StrobeComponent *importer)
{
    StrobeImport *import = run->import;
    guint64 n_refused = strobe_import_capture_n_refused(run->capture);
    guint64 n_bent = strobe_import_capture_n_bent(run->capture);
    char scratch[256];

    if (n_refused)
        host_damage(&run->instance, "tables of strings and tracks", "too many, or over 1 MiB");
    list_dropped(run);
    if (n_bent)
        host_damage(&run->instance, "times", "out of range, or an end before its begin");
    if (import->n_damage == 0)
        return;
    StrobeKindId kind =
        strobe_import_capture_kind(run->capture, &strobe_kind_diagnostic, scratch, sizeof scratch);
    StrobeStringId name =
        strobe_import_capture_intern(run->capture, importer->name, strlen(importer->name), FALSE);
    for (guint i = 0; i < import->damage->len; i++) {
        const StrobeImportItem *item = g_ptr_array_index(import->damage, i);
        g_autofree char *text = g_strdup_printf("%s: %s", item->part, item->name);

        add_diagnostic(run, kind, name, text,
                       strcmp(item->name, DROPPED) ? STROBE_LOG_WARNING : STROBE_LOG_ERROR);
    }
}

static void list_kinds(struct run *run)
{
    const StrobeKind *kind;

    for (StrobeKindId id = 1; id <= strobe_import_capture_n_kinds(run->capture); id++) {
        guint64 n = strobe_import_capture_n_records(run->capture, id);

        kind = strobe_import_capture_kind_at(run->capture, id);
        if (n && kind)
            add_item(run, run->import->kinds, kind->name, NULL, n);
    }
    run->import->n_records = strobe_import_capture_n_records(run->capture, 0);
    run->import->begin_ns =
        strobe_import_capture_begin(run->capture) + strobe_import_capture_base(run->capture);
}

static JsonArray *item_texts(const GPtrArray *items)
{
    JsonArray *out = json_array_new();

    for (guint i = 0; i < items->len; i++) {
        const StrobeImportItem *item = g_ptr_array_index(items, i);
        g_autofree char *text = g_strdup_printf("%s: %s", item->part, item->name);

        json_array_add_string_element(out, text);
    }
    return out;
}

static char *run_metadata_text(struct run *run, const StrobeComponent *importer)
{
    JsonObject *metadata = run->import->metadata;
    JsonObject *source = json_object_new();

    if (!json_object_has_member(metadata, "rank"))
        json_object_set_int_member(metadata, "rank", -1);
    json_object_set_string_member(metadata, "strobe_version", strobe_version());
    json_object_set_int_member(metadata, "start_realtime_ns", run->import->begin_ns);
    json_object_set_string_member(source, "importer", importer->name);
    json_object_set_string_member(source, "format", run->import->format);
    json_object_set_array_member(source, "unknown", item_texts(run->import->unknown));
    json_object_set_object_member(metadata, "source", source);
    return strobe_json_object_to_text(metadata, 0);
}

static gboolean make_result(struct run *run, const StrobeImportSource *source, GError **error)
{
    StrobeImport *import = run->import;
    g_autofree char *metadata = NULL;

    store_damage(run, source->importer);
    list_kinds(run);
    if (import->n_records == 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_INPUT,
                    "%s: nothing in it could be read as %s", source->path, import->format);
        return FALSE;
    }
    metadata = run_metadata_text(run, source->importer);
    return strobe_import_directory_make(import, source->path, run->wish, run->files, run->capture,
                                        metadata, error);
}

static void prepare_run(struct run *run)
{
    run->items = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    run->files = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free,
                                       (GDestroyNotify)(void *)g_bytes_unref);
    run->next_link = LINK_IDS_FIRST;
    run->request = (StrobeImportRequest){.struct_size = sizeof run->request,
                                         .stored_derived = run->wish->stored_derived != FALSE};
    run->storage = strobe_storage_new(run->wish->parent);
}

static void clear_run(struct run *run)
{
    g_hash_table_unref(run->items);
    g_hash_table_unref(run->files);
    strobe_storage_free(run->storage);
    g_clear_error(&run->failure);
}

static gboolean run_source(struct run *run, const StrobeImportSource *source, GError **error)
{
    gboolean good;

    /* The record sorter gets a part of the memory; texts and tables need the rest. */
    run->capture = strobe_import_capture_new(run->wish->parent, strobe_memory_limit() / 8);
    if (run->wish->is_temporary)
        strobe_import_capture_set_temporary(run->capture);
    prepare_run(run);
    good = call_importer(run, source, error) && make_result(run, source, error);
    strobe_import_capture_free(run->capture);
    clear_run(run);
    return good;
}

static gboolean run_joined(struct run *run, const StrobeImportSource *source, GError **error)
{
    gboolean good;

    run->capture = run->wish->join->capture;
    prepare_run(run);
    good = call_importer(run, source, error);
    strobe_import_capture_shift(run->capture, 0);
    if (good) {
        store_damage(run, source->importer);
        list_kinds(run);
    }
    clear_run(run);
    return good;
}

StrobeImport *strobe_import_run(const StrobeImportSource *source, const StrobeImportWish *wish,
                                GError **error)
{
    struct run run = {.wish = wish};
    gboolean good;

    if (!strobe_instance_init(&run.instance, source->importer, wish->options, log_line, &run,
                              error))
        return NULL;
    run.import = new_import(source->format);
    good = wish->join ? run_joined(&run, source, error) : run_source(&run, source, error);
    strobe_instance_clear(&run.instance);
    if (!good)
        g_clear_pointer(&run.import, strobe_import_free);
    return run.import;
}

StrobeStatus strobe_import_call_prepare(const StrobeComponent *importer,
                                        const StrobeConfigComponent *options,
                                        const StrobeSource *source, int logs, GError **error)
{
    const StrobeImporterOps *ops = importer->ops;
    const StrobeImportWish wish = {.parent = source->path};
    struct run run = {.wish = &wish};
    StrobeStatus status;

    if (!strobe_instance_init(&run.instance, importer, options, log_line, &run, error))
        return STROBE_ERROR_ARGUMENT;
    strobe_component_call_begin(importer, "prepare");
    status = ops->prepare(&importer_host, &run.instance, source, logs);
    strobe_component_call_end();
    if (status != STROBE_OK)
        strobe_instance_set_error(&run.instance, "prepare", status, error);
    strobe_instance_clear(&run.instance);
    return status;
}
