/* SPDX-License-Identifier: Apache-2.0 */
#include "device-record.h"

#include <math.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>

#define DOUBLE_WHOLE_MAX ((gint64)1 << 53) /* all integers up to it are exact as a double */
/* Maximum length of a text whose digits form an integer that a double holds. */
#define EXACT_LENGTH 15

gboolean device_is_database(const StrobeConsumerHost *host, StrobeInstance *self)
{
    return strstr(host->metadata_value(self, "source"), "\"ascend_db\"") ||
           strstr(host->metadata_value(self, "external"), "\"ascend_db\"");
}

double device_us(gint64 ns)
{
    if (ABS(ns) <= DOUBLE_WHOLE_MAX)
        return (double)ns / 1000.0; /* the nearest double; a sum of parts may differ */
    /* A time since the epoch has more digits than a double; its parts have not. */
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
    /* Both are exact, so their quotient is the double nearest to the text. */
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

GArray *device_copies_new(const StrobeKindView *from, const StrobeKind *to)
{
    GArray *copies = g_array_new(FALSE, FALSE, sizeof(DeviceCopy));

    for (guint32 i = 0; i < to->n_fields; i++) {
        const StrobeField *field = &to->fields[i];
        DeviceCopy copy = {.from = strobe_field_offset(from, field->name, field->type),
                           .to = strobe_kind_offset(to, i),
                           .size = strobe_field_size(field->type)};

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
    for (guint32 i = 0; i < kind->n_fields; i++)
        strobe_field_put_absent((char *)fields + strobe_kind_offset(kind, i), kind->fields[i].type);
}
