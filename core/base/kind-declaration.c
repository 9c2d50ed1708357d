/* SPDX-License-Identifier: Apache-2.0 */
#include "kind-declaration.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 128u
#define SUMMARY_MAX_BYTES 1024u

static int is_name(const char *name, size_t max)
{
    size_t n = name ? strnlen(name, max + 1) : 0;

    if (n == 0 || n > max)
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!((name[i] >= 'a' && name[i] <= 'z') || (name[i] >= '0' && name[i] <= '9') ||
              name[i] == '_' || name[i] == '.'))
            return 0;
    return 1;
}

int strobe_kind_check(const StrobeKind *kind, char *error, size_t size)
{
    if (kind->struct_size < sizeof *kind || !is_name(kind->name, NAME_MAX_BYTES))
        return snprintf(error, size, "a kind's name must be 1 to %u of a-z 0-9 _ .",
                        NAME_MAX_BYTES),
               0;
    if (kind->shape < STROBE_SHAPE_SPAN || kind->shape > STROBE_SHAPE_LINK)
        return snprintf(error, size, "kind \"%s\": unknown shape %u", kind->name, kind->shape), 0;
    if (kind->n_fields > STROBE_KIND_FIELDS_MAX || (kind->n_fields && !kind->fields))
        return snprintf(error, size, "kind \"%s\": %u fields, at most %u are allowed", kind->name,
                        kind->n_fields, STROBE_KIND_FIELDS_MAX),
               0;
    for (uint32_t i = 0; i < kind->n_fields; i++) {
        if (!is_name(kind->fields[i].name, NAME_MAX_BYTES))
            return snprintf(error, size, "kind \"%s\": field %u has a bad name", kind->name, i), 0;
        if (strobe_field_size(kind->fields[i].type) == 0)
            return snprintf(error, size, "kind \"%s\": field \"%s\" has unknown type %u",
                            kind->name, kind->fields[i].name, kind->fields[i].type),
                   0;
    }
    return 1;
}

/* Are the fields 0..n-1 equal? Writes the first difference to `error`. */
static int fields_agree(const StrobeKind *a, const StrobeKind *b, uint32_t n, char *error,
                        size_t size)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(a->fields[i].name, b->fields[i].name) || a->fields[i].type != b->fields[i].type)
            return snprintf(error, size,
                            "kind \"%s\" is declared differently elsewhere: field %u is \"%s\" "
                            "(type %u) there and \"%s\" (type %u) here",
                            a->name, i, b->fields[i].name, b->fields[i].type, a->fields[i].name,
                            a->fields[i].type),
                   0;
    return 1;
}

int strobe_kind_is_extension(const StrobeKind *kind, const StrobeKind *old, char *error,
                             size_t size)
{
    if (kind->shape != old->shape)
        return snprintf(error, size, "kind \"%s\" is declared with another shape elsewhere",
                        kind->name),
               0;
    uint32_t common = kind->n_fields < old->n_fields ? kind->n_fields : old->n_fields;
    while (common && (strchr(kind->fields[common - 1].name, '.') ||
                      strchr(old->fields[common - 1].name, '.')))
        common--;
    if (!fields_agree(kind, old, common, error, size))
        return 0;
    for (uint32_t i = common; i < kind->n_fields; i++)
        if (!strchr(kind->fields[i].name, '.'))
            return snprintf(error, size,
                            "kind \"%s\" has no field \"%s\": a field that a plugin "
                            "adds is named \"plugin.field\"",
                            kind->name, kind->fields[i].name),
                   0;
    for (uint32_t i = common; i < old->n_fields; i++)
        if (!strchr(old->fields[i].name, '.'))
            return snprintf(error, size, "kind \"%s\" lacks the field \"%s\"", kind->name,
                            old->fields[i].name),
                   0;
    return 1;
}

int strobe_kind_is_same(const StrobeKind *a, const StrobeKind *b)
{
    char scratch[256];
    return a == b || (a->shape == b->shape && a->n_fields == b->n_fields &&
                      fields_agree(a, b, a->n_fields, scratch, sizeof scratch));
}

static size_t put_text(char *out, size_t at, const char *text, size_t max)
{
    size_t n = text ? strnlen(text, max) : 0;

    memcpy(out + at, text ? text : "", n);
    out[at + n] = 0;
    return at + n + 1;
}

static size_t text_bytes(const char *text, size_t max)
{
    return (text ? strnlen(text, max) : 0) + 1;
}

size_t strobe_kind_stored_bytes(const StrobeKind *kind)
{
    size_t bytes = sizeof(struct strobe_stored_kind) + text_bytes(kind->name, NAME_MAX_BYTES) +
                   text_bytes(kind->summary, SUMMARY_MAX_BYTES);

    for (uint32_t i = 0; i < kind->n_fields; i++)
        bytes += 1 + text_bytes(kind->fields[i].name, NAME_MAX_BYTES) +
                 text_bytes(kind->fields[i].unit, NAME_MAX_BYTES) +
                 text_bytes(kind->fields[i].summary, SUMMARY_MAX_BYTES);
    return (bytes + 7) & ~(size_t)7;
}

void strobe_kind_put(char *base, const StrobeKind *kind, uint32_t id)
{
    struct strobe_stored_kind *head = (void *)base;
    size_t at = sizeof *head;

    at = put_text(base, at, kind->name, NAME_MAX_BYTES);
    at = put_text(base, at, kind->summary, SUMMARY_MAX_BYTES);
    for (uint32_t i = 0; i < kind->n_fields; i++) {
        base[at++] = (char)kind->fields[i].type;
        at = put_text(base, at, kind->fields[i].name, NAME_MAX_BYTES);
        at = put_text(base, at, kind->fields[i].unit, NAME_MAX_BYTES);
        at = put_text(base, at, kind->fields[i].summary, SUMMARY_MAX_BYTES);
    }
    while (at % 8)
        base[at++] = 0;
    head->bytes = (uint32_t)at;
    head->id = id;
    head->shape = kind->shape;
    head->n_fields = kind->n_fields;
}
