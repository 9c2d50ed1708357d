/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-metadata.h"

#include <strobe/helpers/json-scanner.h>

#define METADATA_MAX 1024u
#define METADATA_ENTRY_BYTES_MAX (1u << 20) /* maximum length of a string in a capture */
#define TOTAL_BYTES_MAX (16u << 20)
#define DEVICES_MAX 1024u

typedef struct MetadataEntry {
    char *key, *value;
    gsize length;
    gboolean is_json;
} MetadataEntry;

typedef struct Device {
    char *name;
    gint64 number;
} Device;

struct Metadata {
    GArray *metadata; /* elements of type MetadataEntry */
    GArray *devices;  /* elements of type Device */
    gsize bytes;
    gint64 rank;
    gboolean has_base; /* the file has a member baseTimeNanoseconds */
};

static void clear_metadata_entry(gpointer data)
{
    MetadataEntry *entry = data;

    g_free(entry->key);
    g_free(entry->value);
}

static void clear_device(gpointer data)
{
    g_free(((Device *)data)->name);
}

Metadata *metadata_new(void)
{
    Metadata *metadata = g_new0(Metadata, 1);

    metadata->metadata = g_array_new(FALSE, TRUE, sizeof(MetadataEntry));
    g_array_set_clear_func(metadata->metadata, clear_metadata_entry);
    metadata->devices = g_array_new(FALSE, TRUE, sizeof(Device));
    g_array_set_clear_func(metadata->devices, clear_device);
    metadata->rank = -1;
    return metadata;
}

void metadata_free(Metadata *metadata)
{
    if (!metadata)
        return;
    g_array_unref(metadata->metadata);
    g_array_unref(metadata->devices);
    g_free(metadata);
}

/* ---- members that the importer interprets ---- */

/* Reads the next value as a whole number; returns `otherwise` if it is not a whole number. */
static gint64 next_int(StrobeJsonScanner *scanner, gint64 otherwise)
{
    StrobeJsonValue number = {.type = STROBE_JSON_NUMBER};
    gsize length;
    gint64 value;

    if (strobe_json_scanner_next(scanner, &number.text, &length) != STROBE_JSON_NUMBER)
        return otherwise;
    number.length = (guint32)length;
    return value_to_int(&number, &value) ? value : otherwise;
}

/* Reads the object's "rank" at the outermost level. */
static void take_rank(Metadata *metadata, const StrobeJsonValue *value)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(value->text, value->length);
    const char *text;
    gsize length;
    int token;

    while ((token = strobe_json_scanner_next(scanner, &text, &length)) > 0)
        if (token == STROBE_JSON_KEY && strobe_json_scanner_depth(scanner) == 1 && length == 4 &&
            !memcmp(text, "rank", 4)) {
            gint64 rank = next_int(scanner, -1);

            if (rank >= 0 && rank <= G_MAXINT32)
                metadata->rank = rank;
        }
    strobe_json_scanner_free(scanner);
}

/* Reads an array of objects that have an "id" and a "name". */
static void take_devices(Metadata *metadata, const StrobeJsonValue *value)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(value->text, value->length);
    Device device = {NULL, -1};
    const char *text;
    gsize length;
    int token;

    while ((token = strobe_json_scanner_next(scanner, &text, &length)) > 0) {
        guint32 depth = strobe_json_scanner_depth(scanner);

        if (token == STROBE_JSON_OBJECT_END && depth == 1 && metadata->devices->len < DEVICES_MAX) {
            g_array_append_val(metadata->devices, device);
            device = (Device){NULL, -1};
        } else if (token == STROBE_JSON_KEY && depth == 2 && length == 2 &&
                   !memcmp(text, "id", 2)) {
            device.number = next_int(scanner, -1);
        } else if (token == STROBE_JSON_KEY && depth == 2 && length == 4 &&
                   !memcmp(text, "name", 4) &&
                   strobe_json_scanner_next(scanner, &text, &length) == STROBE_JSON_STRING) {
            g_free(device.name);
            device.name = g_strndup(text, length);
        }
    }
    g_free(device.name);
    strobe_json_scanner_free(scanner);
}

static void set_base(Import *import, const Event *member, gint64 base)
{
    if (base < 0 ||
        import->host->time_base(import->self, base - (import->has_times ? import->base : 0))) {
        import_damage(import, member, "baseTimeNanoseconds is not a time that fits the events");
        /* no event has come, so the importer itself adds the base; then events before the base also
         * get times */
    } else if (!import->has_times) {
        import->base = base;
        import->host->time_base(import->self, 0);
    }
}

static void take_base(Import *import, const Event *member)
{
    gint64 base;

    import->metadata->has_base = TRUE;
    set_base(import, member, value_to_int(&member->args, &base) ? base : -1);
}

/* Reads the base from VizTracer's own object, unless the file has a member with the base. */
static void take_viztracer(Import *import, const Event *member)
{
    static const char key[] = "baseTimeNanoseconds";
    StrobeJsonScanner *scanner =
        strobe_json_scanner_new_bytes(member->args.text, member->args.length);
    const char *text;
    gsize length;
    int token;

    while (!import->metadata->has_base &&
           (token = strobe_json_scanner_next(scanner, &text, &length)) > 0)
        if (token == STROBE_JSON_KEY && strobe_json_scanner_depth(scanner) == 1 &&
            length == strlen(key) && !memcmp(text, key, length))
            set_base(import, member, next_int(scanner, -1));
    strobe_json_scanner_free(scanner);
}

/* ---- all other members ---- */

static void keep_member(Import *import, const Event *member)
{
    Metadata *metadata = import->metadata;
    const StrobeJsonValue *value = &member->args;
    GString *text = import->text;
    MetadataEntry entry = {.is_json = value->type != STROBE_JSON_STRING &&
                                      value->type != STROBE_JSON_NON_FINITE};

    if (value->length > METADATA_ENTRY_BYTES_MAX || metadata->metadata->len == METADATA_MAX ||
        metadata->bytes + value->length > TOTAL_BYTES_MAX) {
        import_damage(import, member,
                      "a member is left out: it is too long, or there are too many members");
        return;
    }
    g_string_truncate(text, 0);
    value_append(&member->name, text);
    entry.key = g_strndup(text->str, text->len);
    g_string_truncate(text, 0);
    value_append(value, text);
    entry.value = g_strndup(text->str, text->len);
    entry.length = text->len;
    metadata->bytes += value->length + member->name.length;
    g_array_append_val(metadata->metadata, entry);
}

void metadata_take(Import *import, const Event *member)
{
    /* Members that describe the file itself. They are not imported, because every writer makes its
     * own. */
    static const char *const of_file[] = {"schemaVersion", "displayTimeUnit", "traceName"};
    const StrobeJsonValue *name = &member->name;

    for (guint i = 0; i < G_N_ELEMENTS(of_file); i++)
        if (value_equals(name, of_file[i], strlen(of_file[i])))
            return;
    if (VALUE_IS(name, "baseTimeNanoseconds")) {
        take_base(import, member);
        return;
    }
    if (VALUE_IS(name, "distributedInfo"))
        take_rank(import->metadata, &member->args);
    else if (VALUE_IS(name, "deviceProperties"))
        take_devices(import->metadata, &member->args);
    else if (VALUE_IS(name, "viztracer_metadata"))
        take_viztracer(import, member);
    keep_member(import, member);
}

static void emit_devices(Import *import)
{
    Metadata *metadata = import->metadata;

    for (guint i = 0; i < metadata->devices->len; i++) {
        const Device *device = &g_array_index(metadata->devices, Device, i);
        StrobeStringId name = import_intern_text(import, device->name);
        struct strobe_device_info *fields =
            import_emit(import, RECORD_DEVICE, 0, name, import->first, import->first);

        if (!fields)
            return;
        fields->device = (gint32)CLAMP(device->number, -1, G_MAXINT32);
        fields->rank = (gint32)metadata->rank;
    }
}

void metadata_finish(Import *import)
{
    Metadata *metadata = import->metadata;

    if (metadata->rank >= 0)
        import->host->metadata_int(import->self, "rank", metadata->rank);
    if (!import->has_times)
        return; /* a file without events is not a trace */
    for (guint i = 0; i < metadata->metadata->len; i++) {
        const MetadataEntry *entry = &g_array_index(metadata->metadata, MetadataEntry, i);
        StrobeStringId name = import_intern_text(import, entry->key);
        struct strobe_metadata *fields =
            import_emit(import, RECORD_METADATA, 0, name, import->first, import->first);

        if (!fields)
            return;
        fields->value = import->host->intern(import->self, entry->value, entry->length);
        fields->is_json = entry->is_json != FALSE;
        if (!strcmp(entry->key, "host_name") && !entry->is_json)
            import->host->metadata_text(import->self, "host", entry->value);
    }
    emit_devices(import);
}
