/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <strobe/helpers/json-scanner.h>

#define FACTS_MAX 1024u
#define FACT_BYTES_MAX (1u << 20) /* no string of a capture is longer */
#define TOTAL_BYTES_MAX (16u << 20)
#define DEVICES_MAX 1024u

typedef struct Fact {
    char *key, *value;
    gsize length;
    gboolean is_json;
} Fact;

typedef struct Device {
    char *name;
    gint64 number;
} Device;

struct Facts {
    GArray *facts;   /* of Fact */
    GArray *devices; /* of Device */
    gsize bytes;
    gint64 rank;
    gboolean has_base; /* the file has its own baseTimeNanoseconds */
};

static void clear_fact(gpointer data)
{
    Fact *fact = data;

    g_free(fact->key);
    g_free(fact->value);
}

static void clear_device(gpointer data)
{
    g_free(((Device *)data)->name);
}

Facts *facts_new(void)
{
    Facts *facts = g_new0(Facts, 1);

    facts->facts = g_array_new(FALSE, TRUE, sizeof(Fact));
    g_array_set_clear_func(facts->facts, clear_fact);
    facts->devices = g_array_new(FALSE, TRUE, sizeof(Device));
    g_array_set_clear_func(facts->devices, clear_device);
    facts->rank = -1;
    return facts;
}

void facts_free(Facts *facts)
{
    if (!facts)
        return;
    g_array_unref(facts->facts);
    g_array_unref(facts->devices);
    g_free(facts);
}

/* ---- members that mean something here ---- */

/* A whole number from the value that comes next. */
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

/* The outermost "rank" of an object. */
static void take_rank(Facts *facts, const StrobeJsonValue *value)
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
                facts->rank = rank;
        }
    strobe_json_scanner_free(scanner);
}

/* An array of objects with "id" and "name". */
static void take_devices(Facts *facts, const StrobeJsonValue *value)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(value->text, value->length);
    Device device = {NULL, -1};
    const char *text;
    gsize length;
    int token;

    while ((token = strobe_json_scanner_next(scanner, &text, &length)) > 0) {
        guint32 depth = strobe_json_scanner_depth(scanner);

        if (token == STROBE_JSON_OBJECT_END && depth == 1 && facts->devices->len < DEVICES_MAX) {
            g_array_append_val(facts->devices, device);
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
        import_damage(import, member, "baseTimeNanoseconds is no moment that fits the events");
    } else if (!import->has_times) { /* what happened before it has a time then */
        import->base = base;
        import->host->time_base(import->self, 0);
    }
}

static void take_base(Import *import, const Event *member)
{
    gint64 base;

    import->facts->has_base = TRUE;
    set_base(import, member, value_to_int(&member->args, &base) ? base : -1);
}

/* VizTracer tells the base inside an object of its own. A member of the file goes before it. */
static void take_viztracer(Import *import, const Event *member)
{
    static const char key[] = "baseTimeNanoseconds";
    StrobeJsonScanner *scanner =
        strobe_json_scanner_new_bytes(member->args.text, member->args.length);
    const char *text;
    gsize length;
    int token;

    while (!import->facts->has_base &&
           (token = strobe_json_scanner_next(scanner, &text, &length)) > 0)
        if (token == STROBE_JSON_KEY && strobe_json_scanner_depth(scanner) == 1 &&
            length == strlen(key) && !memcmp(text, key, length))
            set_base(import, member, next_int(scanner, -1));
    strobe_json_scanner_free(scanner);
}

/* ---- all others ---- */

static void keep(Import *import, const Event *member)
{
    Facts *facts = import->facts;
    const StrobeJsonValue *value = &member->args;
    GString *text = import->text;
    Fact fact = {.is_json =
                     value->type != STROBE_JSON_STRING && value->type != STROBE_JSON_NON_FINITE};

    if (value->length > FACT_BYTES_MAX || facts->facts->len == FACTS_MAX ||
        facts->bytes + value->length > TOTAL_BYTES_MAX) {
        import_damage(import, member, "a member that is too long, or one too many, is left out");
        return;
    }
    g_string_truncate(text, 0);
    value_append(&member->name, text);
    fact.key = g_strndup(text->str, text->len);
    g_string_truncate(text, 0);
    value_append(value, text);
    fact.value = g_strndup(text->str, text->len);
    fact.length = text->len;
    facts->bytes += value->length + member->name.length;
    g_array_append_val(facts->facts, fact);
}

void facts_take(Import *import, const Event *member)
{
    /* What every writer says of its own file. */
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
        take_rank(import->facts, &member->args);
    else if (VALUE_IS(name, "deviceProperties"))
        take_devices(import->facts, &member->args);
    else if (VALUE_IS(name, "viztracer_metadata"))
        take_viztracer(import, member);
    keep(import, member);
}

static void emit_devices(Import *import)
{
    Facts *facts = import->facts;

    for (guint i = 0; i < facts->devices->len; i++) {
        const Device *device = &g_array_index(facts->devices, Device, i);
        StrobeStringId name = import_intern_text(import, device->name);
        struct strobe_device_info *fields =
            import_emit(import, SORT_DEVICE, 0, name, import->first, import->first);

        if (!fields)
            return;
        fields->device = (gint32)CLAMP(device->number, -1, G_MAXINT32);
        fields->rank = (gint32)facts->rank;
    }
}

void facts_finish(Import *import)
{
    Facts *facts = import->facts;

    if (facts->rank >= 0)
        import->host->fact_int(import->self, "rank", facts->rank);
    if (!import->has_times)
        return; /* without events it is no trace */
    for (guint i = 0; i < facts->facts->len; i++) {
        const Fact *fact = &g_array_index(facts->facts, Fact, i);
        StrobeStringId name = import_intern_text(import, fact->key);
        struct strobe_metadata *fields =
            import_emit(import, SORT_METADATA, 0, name, import->first, import->first);

        if (!fields)
            return;
        fields->value = import->host->intern(import->self, fact->value, fact->length);
        fields->is_json = fact->is_json != FALSE;
        if (!strcmp(fact->key, "host_name") && !fact->is_json)
            import->host->fact_text(import->self, "host", fact->value);
    }
    emit_devices(import);
}
