/* SPDX-License-Identifier: Apache-2.0 */
/* Writes numbers of device events in the forms of the trace. */
#include <math.h>

#include "device-kinds.h"

static double as_double(guint32 type, const StrobeView *record, guint32 offset)
{
    switch (type) {
    case STROBE_FIELD_F64:
        return strobe_view_f64(record, offset);
    case STROBE_FIELD_I32:
        return (gint32)strobe_view_u32(record, offset);
    case STROBE_FIELD_U32:
        return strobe_view_u32(record, offset);
    case STROBE_FIELD_I64:
        return (double)strobe_view_i64(record, offset);
    case STROBE_FIELD_U8:
    case STROBE_FIELD_BOOL:
        return strobe_view_u8(record, offset);
    default:
        return (double)strobe_view_u64(record, offset);
    }
}

/* Writes a number without decimals if it is whole. Integers of 64 bits stay exact. */
static char *put_whole(char *at, guint32 type, const StrobeView *record, guint32 offset)
{
    double value;

    switch (type) {
    case STROBE_FIELD_U8:
    case STROBE_FIELD_BOOL:
        return put_uint(at, strobe_view_u8(record, offset));
    case STROBE_FIELD_U32:
        return put_uint(at, strobe_view_u32(record, offset));
    case STROBE_FIELD_I32:
        return put_int(at, (gint32)strobe_view_u32(record, offset));
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        return put_uint(at, strobe_view_u64(record, offset));
    case STROBE_FIELD_I64:
        return put_int(at, strobe_view_i64(record, offset));
    default:
        value = as_double(type, record, offset);
        if (fabs(value) < 9007199254740992.0 && value == trunc(value))
            return put_int(at, (gint64)value);
        return at + strobe_format_double(at, value);
    }
}

/* Writes a share that the record has as a percentage. Several doubles give this percentage; writes
 * the one with the fewest digits, which is the original value. */
static char *put_share(char *at, double percent)
{
    const double share = percent / 100;
    const double near[] = {share, nextafter(share, -INFINITY), nextafter(share, INFINITY)};
    char best[STROBE_NUMBER_MAX], text[STROBE_NUMBER_MAX];
    gsize length = strobe_format_double(best, share);

    for (guint i = 1; i < G_N_ELEMENTS(near); i++) {
        gsize n = near[i] * 100 == percent ? strobe_format_double(text, near[i]) : length;

        if (n < length) {
            memcpy(best, text, n);
            length = n;
        }
    }
    memcpy(at, best, length);
    return at + length;
}

static char *put_real(char *at, guint8 form, double value)
{
    switch (form) {
    case ASCEND_ARG_FLOAT:
        return at + strobe_format_double(at, value);
    case ASCEND_ARG_KB:
        return at + strobe_format_double(at, value / 1024);
    case ASCEND_ARG_MB:
        return at + strobe_format_double(at, value / 1048576);
    case ASCEND_ARG_US:
        return at + strobe_format_double(at, value / 1000);
    case ASCEND_ARG_WHOLE_MB:
        value /= 1048576;
        return fabs(value) < 9007199254740992.0 ? put_int(at, (gint64)value)
                                                : at + strobe_format_double(at, value);
    case ASCEND_ARG_PERCENT:
        return put_share(at, value);
    default:
        if (value != 0)
            return PUT_LITERAL(at, "\"yes\"");
        return PUT_LITERAL(at, "\"no\"");
    }
}

char *put_form(char *at, guint8 form, guint32 type, const StrobeView *record, guint32 offset)
{
    switch (form) {
    case ASCEND_ARG_FLOAT:
    case ASCEND_ARG_KB:
    case ASCEND_ARG_MB:
    case ASCEND_ARG_US:
    case ASCEND_ARG_WHOLE_MB:
    case ASCEND_ARG_PERCENT:
    case ASCEND_ARG_YES_NO:
        return put_real(at, form, as_double(type, record, offset));
    case ASCEND_ARG_TEXT:
    case ASCEND_ARG_INT_TEXT:
        *at++ = '"';
        at = put_whole(at, type, record, offset);
        *at++ = '"';
        return at;
    default:
        return put_whole(at, type, record, offset);
    }
}
