/* SPDX-License-Identifier: Apache-2.0 */
#include "device-record.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>

#define EXACT_LENGTH 15 /* of a text whose digits are a whole number that a double holds */

gboolean device_is_database(const StrobeConsumerHost *host, StrobeInstance *self)
{
    return strstr(host->fact(self, "source"), "\"ascend_db\"") ||
           strstr(host->fact(self, "foreign"), "\"ascend_db\"");
}

double device_us(gint64 ns)
{
    /* A time since the epoch has more digits than a double: the parts have not. */
    return (double)(ns / 1000) + (double)(ns % 1000) / 1000.0;
}

double device_round(double value, int decimals)
{
    static const double units[] = {1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    char text[STROBE_NUMBER_MAX];
    guint64 digits = 0;
    gsize length;

    if (!isfinite(value) || fabs(value) > 1e15)
        return value;
    length = strobe_format_fixed(text, value, decimals);
    if (length > EXACT_LENGTH)
        return g_ascii_strtod(text, NULL);
    /* Both are exact, and so their quotient is the double nearest to the text. */
    for (const char *at = text; *at; at++)
        if (g_ascii_isdigit(*at))
            digits = digits * 10 + (guint64)(*at - '0');
    return copysign((double)digits / units[decimals], value);
}

double device_exact_us(const StrobeView *record, guint32 offset)
{
    double exact = offset == STROBE_FIELD_MISSING ? NAN : strobe_view_f64(record, offset);

    return isnan(exact) ? device_us(record->end_ns - record->begin_ns) : exact;
}

static guint32 size_of(guint32 type)
{
    switch (type) {
    case STROBE_FIELD_BOOL:
    case STROBE_FIELD_U8:
        return 1;
    case STROBE_FIELD_I32:
    case STROBE_FIELD_U32:
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
    case STROBE_FIELD_TRACK:
        return 4;
    default:
        return 8;
    }
}

GArray *device_copies_new(const StrobeKindView *from, const StrobeKind *to)
{
    GArray *copies = g_array_new(FALSE, FALSE, sizeof(DeviceCopy));

    for (guint32 i = 0; i < to->n_fields; i++) {
        const StrobeField *field = &to->fields[i];
        DeviceCopy copy = {.from = strobe_field_offset(from, field->name, field->type),
                           .to = strobe_kind_offset(to, i),
                           .size = size_of(field->type)};

        if (copy.from != STROBE_FIELD_MISSING)
            g_array_append_val(copies, copy);
    }
    return copies;
}

void device_copies_apply(const GArray *copies, const StrobeView *record, void *fields)
{
    for (guint i = 0; i < copies->len; i++) {
        const DeviceCopy *copy = &g_array_index(copies, DeviceCopy, i);

        memcpy((char *)fields + copy->to, (const char *)record->fields + copy->from, copy->size);
    }
}

void device_fields_absent(const StrobeKind *kind, void *fields)
{
    const gint64 i64 = STROBE_ABSENT_I64;
    const guint64 u64 = STROBE_ABSENT_U64;
    const gint32 i32 = STROBE_ABSENT_I32;
    const guint32 u32 = STROBE_ABSENT_U32;
    const double f64 = STROBE_ABSENT_F64;

    for (guint32 i = 0; i < kind->n_fields; i++) {
        char *at = (char *)fields + strobe_kind_offset(kind, i);

        switch (kind->fields[i].type) {
        case STROBE_FIELD_I64:
            memcpy(at, &i64, sizeof i64);
            break;
        case STROBE_FIELD_U64:
        case STROBE_FIELD_LINK:
            memcpy(at, &u64, sizeof u64);
            break;
        case STROBE_FIELD_I32:
            memcpy(at, &i32, sizeof i32);
            break;
        case STROBE_FIELD_U32:
            memcpy(at, &u32, sizeof u32);
            break;
        case STROBE_FIELD_F64:
            memcpy(at, &f64, sizeof f64);
            break;
        default:
            memset(at, 0, size_of(kind->fields[i].type));
        }
    }
}
