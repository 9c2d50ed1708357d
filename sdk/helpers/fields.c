/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/fields.h>

#include <string.h>

uint32_t strobe_field_offset(const StrobeKindView *kind, const char *name, uint32_t type)
{
    for (uint32_t i = 0; i < kind->n_fields; i++)
        if (kind->fields[i].type == type && !strcmp(kind->fields[i].name, name))
            return kind->fields[i].offset;
    return STROBE_FIELD_MISSING;
}

const uint32_t *strobe_binder_offsets(StrobeBinder *binder, const StrobeKindView *kind)
{
    if (binder->kind == kind && binder->fields == kind->fields &&
        binder->n_fields == kind->n_fields)
        return binder->offsets;
    binder->kind = kind;
    binder->fields = kind->fields;
    binder->n_fields = kind->n_fields;
    for (uint32_t i = 0; i < binder->n_wanted && i < STROBE_BINDER_FIELDS_MAX; i++)
        binder->offsets[i] =
            strobe_field_offset(kind, binder->wanted[i].name, binder->wanted[i].type);
    return binder->offsets;
}

uint32_t strobe_kind_find(StrobeKindNames *names, const StrobeKindView *kind)
{
    const uint32_t slot = kind->id % (sizeof names->known / sizeof names->known[0]);
    uint32_t place = 0;

    while (place < names->n_names && strcmp(names->names[place], kind->name) != 0)
        place++;
    names->known[slot].kind = kind;
    names->known[slot].name = kind->name;
    names->known[slot].place = place;
    return place;
}

void strobe_fields_absent(const StrobeKind *kind, void *fields)
{
    for (uint32_t i = 0; i < kind->n_fields; i++)
        strobe_field_put_absent((char *)fields + strobe_kind_offset(kind, i), kind->fields[i].type);
}

void strobe_field_copies_find(StrobeFieldCopies *copies, const StrobeKindView *from,
                              const StrobeKind *to)
{
    copies->n = 0;
    for (uint32_t i = 0; i < to->n_fields && i < STROBE_KIND_FIELDS_MAX; i++) {
        const StrobeField *field = &to->fields[i];
        const uint32_t offset = strobe_field_offset(from, field->name, field->type);

        if (offset == STROBE_FIELD_MISSING)
            continue;
        copies->items[copies->n].from = offset;
        copies->items[copies->n].to = strobe_kind_offset(to, i);
        copies->items[copies->n++].size = strobe_field_size(field->type);
    }
}

void strobe_field_copies_apply(const StrobeFieldCopies *copies, const StrobeView *record,
                               void *fields)
{
    for (uint32_t i = 0; i < copies->n; i++)
        memcpy((char *)fields + copies->items[i].to,
               (const char *)record->fields + copies->items[i].from, copies->items[i].size);
}
