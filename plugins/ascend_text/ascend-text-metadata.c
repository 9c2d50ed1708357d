/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-text-metadata.h"

#include <string.h>

#include "json-walk.h"
#include "trace-event.h"

#define METADATA_MAX 1000u

static const char *base_name(const char *path, char **whole)
{
    g_autofree char *full = g_canonicalize_filename(path, NULL);

    *whole = g_path_get_basename(full);
    return *whole;
}

/* Reads the name of the folder, {worker}_{pid}_{time}_ascend_pt. Strobe writes "import" as the
 * worker if the host is unknown. */
static void take_folder(Metadata *metadata, const char *path)
{
    g_autofree char *name = NULL;
    g_autoptr(GRegex) form =
        g_regex_new("^(.+)_([0-9]+)_(?:[0-9]{14}|[0-9]{17})_ascend_pt$", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    g_autofree char *worker = NULL, *pid = NULL;

    if (!g_regex_match(form, base_name(path, &name), 0, &match))
        return;
    worker = g_match_info_fetch(match, 1);
    pid = g_match_info_fetch(match, 2);
    g_ascii_string_to_signed(pid, 10, 0, G_MAXUINT32, &metadata->named_pid, NULL);
    if (strcmp(worker, "import"))
        metadata->import->host->metadata_text(metadata->import->self, "host", worker);
}

void metadata_init(Metadata *metadata, Import *import, const char *path)
{
    *metadata = (Metadata){.import = import, .level = LEVEL_UNKNOWN};
    metadata->start_monotonic = metadata->end_monotonic = metadata->end_realtime =
        STROBE_ABSENT_I64;
    metadata->given = g_ptr_array_new_with_free_func(g_free);
    take_folder(metadata, path);
}

void metadata_clear(Metadata *metadata)
{
    g_ptr_array_unref(metadata->given);
}

/* ---- profiler_info ---- */

static gboolean is_at(const JsonPlace *place, const char *first, const char *second)
{
    return place->n == (second ? 2u : 1u) && !strcmp(place->keys[0], first) &&
           (!second || !strcmp(place->keys[1], second));
}

static void take_level(Metadata *metadata, const char *text)
{
    static const char *const words[] = {"Level_none", "Level0", "Level1", "Level2"};

    for (gint i = 0; i < (gint)G_N_ELEMENTS(words); i++)
        if (!strcmp(text, words[i]))
            metadata->level = i - 1;
}

static void take_number(gint64 *number, const char *text)
{
    g_ascii_string_to_signed(text, 10, 0, G_MAXINT64, number, NULL);
}

static void take_experimental(Metadata *metadata, const JsonPlace *place, const char *text)
{
    if (place->n < 3 || strcmp(place->keys[1], "experimental_config"))
        return;
    if (!strcmp(place->keys[2], "_profiler_level"))
        take_level(metadata, text);
    else if (!strcmp(place->keys[2], "_mstx")) /* the first generation does not have this key */
        metadata->generation = 2;
}

static void take_info(void *user, const JsonPlace *place, int token, const char *text, gsize length)
{
    Metadata *metadata = user;
    const Import *import = metadata->import;
    gint64 rank = -1;

    if (place->n && !strcmp(place->keys[0], "config")) {
        take_experimental(metadata, place, text);
    } else if (is_at(place, "start_info", "start_monotonic")) {
        take_number(&metadata->start_monotonic, text);
    } else if (is_at(place, "end_info", "MonotonicTimeEnd")) {
        take_number(&metadata->end_monotonic, text);
    } else if (is_at(place, "end_info", "collectionTimeEnd")) {
        take_number(&metadata->end_realtime, text);
    } else if (is_at(place, "torch_npu_version", NULL)) {
        import->host->metadata_text(import->self, "source_version", text);
    } else if (is_at(place, "cann_version", NULL)) {
        import->host->metadata_text(import->self, "cann_version", text);
    } else if (is_at(place, "rank_id", NULL)) { /* the value may be a number or a text */
        take_number(&rank, text);
        metadata->import->rank = rank <= G_MAXINT32 ? (gint)rank : -1;
    }
    (void)token;
    (void)length;
}

/* Sets the rank from a name like profiler_info_3.json, if the file does not contain the rank. */
static void take_rank_of_name(Metadata *metadata, const char *name)
{
    const char *number = name + strlen("profiler_info_");
    guint64 rank;
    g_autofree char *digits = NULL;

    if (metadata->import->rank >= 0 || !g_str_has_prefix(name, "profiler_info_"))
        return;
    digits = g_strndup(number, strspn(number, "0123456789"));
    if (g_ascii_string_to_unsigned(digits, 10, 0, G_MAXINT32, &rank, NULL))
        metadata->import->rank = (gint)rank;
}

/* ---- profiler_metadata ---- */

static const char *take_metadata(Metadata *metadata, StrobeJsonScanner *scanner)
{
    g_autoptr(GString) value = g_string_new(NULL);
    g_autofree StrobeJsonWriter *json = g_new(StrobeJsonWriter, 1);
    const char *text = "";
    gsize length = 0;
    int token = strobe_json_scanner_next(scanner, NULL, NULL);

    while (token > 0) {
        g_autofree char *key = NULL;

        token = strobe_json_scanner_next(scanner, &text, &length);
        if (token != STROBE_JSON_KEY)
            break;
        key = g_strndup(text, length);
        token = strobe_json_scanner_next(scanner, &text, &length);
        g_string_truncate(value, 0);
        if (token > 0)
            token = json_copy_value(scanner, token, text, length, json, value);
        if (token <= 0 || metadata->given->len >= 2 * METADATA_MAX)
            break;
        g_ptr_array_add(metadata->given, g_steal_pointer(&key));
        g_ptr_array_add(metadata->given, g_strndup(value->str, value->len));
    }
    return token == STROBE_JSON_OBJECT_END ? NULL : "more of a JSON object";
}

void metadata_take(Metadata *metadata, const char *name, const char *bytes, gsize n)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(bytes, n);
    const JsonWalker walker = {.value = take_info, .user = metadata};
    gboolean is_info = g_strstr_len(bytes, (gssize)n, "\"start_info\"") != NULL ||
                       g_strstr_len(bytes, (gssize)n, "\"common_config\"") != NULL;
    const char *expected = is_info ? json_walk(scanner, &walker) : take_metadata(metadata, scanner);

    if (expected) {
        g_autofree char *reason = g_strdup_printf("expected %s", expected);

        import_damage(metadata->import, name, "offset", strobe_json_scanner_offset(scanner),
                      reason);
    }
    if (is_info)
        take_rank_of_name(metadata, name);
    strobe_json_scanner_free(scanner);
}

void metadata_finish(Metadata *metadata)
{
    gint64 offset;

    if (metadata->start_monotonic == STROBE_ABSENT_I64 ||
        metadata->end_monotonic == STROBE_ABSENT_I64 || metadata->end_realtime == STROBE_ABSENT_I64)
        return;
    if (__builtin_sub_overflow(metadata->end_realtime, metadata->end_monotonic, &offset) ||
        __builtin_add_overflow(metadata->start_monotonic, offset, &metadata->import->begin_ns) ||
        metadata->import->begin_ns < 0)
        metadata->import->begin_ns = 0; /* the session's begin is unknown */
}

/* ---- records ---- */

static gboolean is_json(const char *text)
{
    return *text == '{' || *text == '[' || *text == '"';
}

static void emit_metadata(Metadata *metadata)
{
    Import *import = metadata->import;
    gint64 at = import_instant(import);

    for (guint i = 0; i + 1 < metadata->given->len; i += 2) {
        const char *value = g_ptr_array_index(metadata->given, i + 1);
        struct strobe_metadata *fields = text_import_emit(
            import, &strobe_kind_metadata, import_process(import),
            text_import_intern(import, g_ptr_array_index(metadata->given, i)), at, at);

        if (!fields)
            return;
        fields->value = text_import_intern(import, value);
        fields->is_json = is_json(value);
    }
}

static void emit_device(Metadata *metadata)
{
    Import *import = metadata->import;
    gint64 at = import_instant(import);
    struct strobe_device_info *fields;

    if (import->device < 0)
        return;
    fields =
        text_import_emit(import, &strobe_kind_device_info,
                         text_import_counter(import, import->device, "device_info"), 0, at, at);
    if (!fields)
        return;
    fields->device = import->device;
    fields->rank = import->rank;
}

void metadata_tell(Metadata *metadata)
{
    Import *import = metadata->import;
    const StrobeImporterHost *host = import->host;
    gint generation = import->generation ? import->generation : metadata->generation;
    gint level = metadata->level != LEVEL_UNKNOWN ? metadata->level
                 : import->level != LEVEL_UNKNOWN ? import->level
                                                  : 0;

    emit_metadata(metadata);
    emit_device(metadata);
    if (import->pid)
        host->metadata_int(import->self, "pid", import->pid);
    if (import->rank >= 0)
        host->metadata_int(import->self, "rank", import->rank);
    if (import->begin_ns)
        host->metadata_int(import->self, "session_begin_ns", import->begin_ns);
    if (metadata->end_realtime != STROBE_ABSENT_I64)
        host->metadata_int(import->self, "session_end_ns", metadata->end_realtime);
    host->metadata_int(import->self, "generation", generation ? generation : 1);
    host->metadata_int(import->self, "level", level);
    host->metadata_int(import->self, "device", import->device);
}
