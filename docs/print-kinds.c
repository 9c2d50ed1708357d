/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the standard kinds as JSON, for docs/generate. */
#include <stdio.h>

#include <strobe/helpers/json-writer.h>
#include <strobe/kinds.h>

static const char *shape_name(uint32_t shape)
{
    static const char *const names[] = {"", "span", "instant", "counter", "memory", "link"};
    return names[shape];
}

static const char *type_name(uint32_t type)
{
    static const char *const names[] = {"",    "u8",   "u32",    "i32",   "u64",   "i64",
                                        "f64", "bool", "string", "stack", "track", "link"};
    return names[type];
}

static int write_out(void *user, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, user) == length ? 0 : -1;
}

static void add_text(StrobeJsonWriter *json, const char *key, const char *text)
{
    strobe_json_key(json, key);
    strobe_json_string(json, text);
}

static void add_field(StrobeJsonWriter *json, const StrobeKind *kind, uint32_t index)
{
    const StrobeField *field = &kind->fields[index];
    uint32_t size = strobe_field_size(field->type);

    strobe_json_begin_object(json);
    add_text(json, "name", field->name);
    add_text(json, "type", type_name(field->type));
    add_text(json, "unit", field->unit);
    add_text(json, "summary", field->summary);
    strobe_json_key(json, "offset");
    strobe_json_uint(json, strobe_kind_offset(kind, index));
    strobe_json_key(json, "size");
    strobe_json_uint(json, size);
    strobe_json_end_object(json);
}

/* The table has the groups one after the other: kinds of the core and of any program, of devices,
 * derived kinds. */
static const char *group_of(const StrobeKind *kind, const char *group)
{
    if (kind == &strobe_kind_api_call)
        return "device";
    return kind == &strobe_kind_operator_detail ? "derived" : group;
}

int main(void)
{
    const char *group = "program";

    static StrobeJsonWriter json;

    strobe_json_init(&json, write_out, stdout, STROBE_JSON_INDENTED);
    strobe_json_begin_array(&json);
    for (const StrobeKind *const *kind = strobe_standard_kinds; *kind; kind++) {
        group = group_of(*kind, group);
        strobe_json_begin_object(&json);
        add_text(&json, "name", (*kind)->name);
        add_text(&json, "group", group);
        add_text(&json, "shape", shape_name((*kind)->shape));
        add_text(&json, "summary", (*kind)->summary);
        strobe_json_key(&json, "fields");
        strobe_json_begin_array(&json);
        for (uint32_t i = 0; i < (*kind)->n_fields; i++)
            add_field(&json, *kind, i);
        strobe_json_end_array(&json);
        strobe_json_end_object(&json);
    }
    strobe_json_end_array(&json);
    return strobe_json_flush(&json) || fflush(stdout) ? 1 : 0;
}
