/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the fields that a consumer knows by name. The kind may have other fields, and any plugin
 * may have declared it. A missing field, or one of another type, reads as the fallback. Only one
 * thread at a time may use a binder. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_FIELDS_H
#define STROBE_HELPERS_FIELDS_H

#include <strobe/exporter.h>
#include <strobe/kinds.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_BINDER_FIELDS_MAX 16
#define STROBE_FIELD_MISSING UINT32_MAX

typedef struct StrobeWantedField {
    const char *name;
    uint32_t type; /* STROBE_FIELD_* */
} StrobeWantedField;

/* The wanted fields, and their offsets in the kind of the last call of strobe_binder_offsets. The
 * caller must initialise wanted and n_wanted, and set the other members to 0. */
typedef struct StrobeBinder {
    const StrobeWantedField *wanted;
    uint32_t n_wanted; /* at most STROBE_BINDER_FIELDS_MAX */
    uint32_t n_fields; /* number of fields of the bound kind */
    const StrobeKindView *kind;
    const StrobeFieldView *fields;
    uint32_t offsets[STROBE_BINDER_FIELDS_MAX];
} StrobeBinder;

/* Returns the offset of the field with this name and type; STROBE_FIELD_MISSING if the kind has no
 * such field. */
uint32_t strobe_field_offset(const StrobeKindView *kind, const char *name, uint32_t type);

/* Returns the offsets of the wanted fields in `kind`, in the order of `wanted`. Valid until the
 * next call. */
const uint32_t *strobe_binder_offsets(StrobeBinder *binder, const StrobeKindView *kind);

/* Makes every field absent. A pass needs this function because the fields that
 * StrobeConsumerHost.emit returns are zero. */
void strobe_fields_absent(const StrobeKind *kind, void *fields);

/* The fields that two kinds have in common (with the same name and type), with their offsets in a
 * record of each kind. */
typedef struct StrobeFieldCopies {
    uint32_t n;
    struct {
        uint32_t from, to, size;
    } items[STROBE_KIND_FIELDS_MAX];
} StrobeFieldCopies;

void strobe_field_copies_find(StrobeFieldCopies *copies, const StrobeKindView *from,
                              const StrobeKind *to);
/* Copies these fields from `record` to `fields`; leaves all other fields of `fields` unchanged. */
void strobe_field_copies_apply(const StrobeFieldCopies *copies, const StrobeView *record,
                               void *fields);

/* Returns the number of bytes of the fields of a record of this kind, rounded up to a multiple of
 * 8. */
static inline size_t strobe_view_field_bytes(const StrobeKindView *kind)
{
    size_t n = 0;

    for (uint32_t i = 0; i < kind->n_fields; i++) {
        const size_t end = kind->fields[i].offset + strobe_field_size(kind->fields[i].type);

        n = n > end ? n : end;
    }
    return (n + 7) / 8 * 8;
}

/* A list of names, and for up to 16 kinds the place of the kind's name in the list. The caller must
 * initialise names and n_names, and set the other members to 0. */
typedef struct StrobeKindNames {
    const char *const *names;
    uint32_t n_names; /* strobe_kind_place() returns this number for a kind whose name is not in the
                         list */
    struct {
        const StrobeKindView *kind;
        const char *name;
        uint32_t place;
    } known[16];
} StrobeKindNames;

/* Does what strobe_kind_place() does for a kind that it does not remember yet: compares the kind's
 * name with each name in `names`. */
uint32_t strobe_kind_find(StrobeKindNames *names, const StrobeKindView *kind);

/* Returns the index of the kind's name in `names`; n_names if the name is not in the list. */
static inline uint32_t strobe_kind_place(StrobeKindNames *names, const StrobeKindView *kind)
{
    const uint32_t slot = kind->id % (sizeof names->known / sizeof names->known[0]);

    if (names->known[slot].kind == kind && names->known[slot].name == kind->name)
        return names->known[slot].place;
    return strobe_kind_find(names, kind);
}

static inline int64_t strobe_field_i64(const StrobeView *view, uint32_t offset, int64_t fallback)
{
    return offset == STROBE_FIELD_MISSING ? fallback : strobe_view_i64(view, offset);
}

static inline uint64_t strobe_field_u64(const StrobeView *view, uint32_t offset, uint64_t fallback)
{
    return offset == STROBE_FIELD_MISSING ? fallback : strobe_view_u64(view, offset);
}

static inline uint32_t strobe_field_u32(const StrobeView *view, uint32_t offset, uint32_t fallback)
{
    return offset == STROBE_FIELD_MISSING ? fallback : strobe_view_u32(view, offset);
}

static inline int32_t strobe_field_i32(const StrobeView *view, uint32_t offset, int32_t fallback)
{
    return (int32_t)strobe_field_u32(view, offset, (uint32_t)fallback);
}

static inline double strobe_field_f64(const StrobeView *view, uint32_t offset, double fallback)
{
    return offset == STROBE_FIELD_MISSING ? fallback : strobe_view_f64(view, offset);
}

static inline uint8_t strobe_field_u8(const StrobeView *view, uint32_t offset, uint8_t fallback)
{
    return offset == STROBE_FIELD_MISSING ? fallback : strobe_view_u8(view, offset);
}

#if defined(__cplusplus)
}
#endif

#endif
