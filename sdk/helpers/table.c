/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/table.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/utf8.h>

/* The offset of a bound column is a field's index, or one of these values. */
enum {
    PLACE_NAME = 0x10000,
    PLACE_BEGIN,
    PLACE_END,
    PLACE_DURATION,
    PLACE_TRACK,
    PLACE_TRACK_NAME,
    PLACE_EXACT,
    PLACE_DEVICE,
    PLACE_INCOMPLETE,
    PLACE_NONE,
    PLACE_EXACT_FIELD = 0x20000, /* plus the index of the kind's field exact_us */
    PLACE_MISSING = -1           /* UINT32_MAX */
};

static const struct {
    const char *name;
    uint32_t place;
} sources[] = {
    {STROBE_COLUMN_NAME, PLACE_NAME},
    {STROBE_COLUMN_BEGIN, PLACE_BEGIN},
    {STROBE_COLUMN_END, PLACE_END},
    {STROBE_COLUMN_DURATION, PLACE_DURATION},
    {STROBE_COLUMN_TRACK, PLACE_TRACK},
    {STROBE_COLUMN_TRACK_NAME, PLACE_TRACK_NAME},
    {STROBE_COLUMN_INCOMPLETE, PLACE_INCOMPLETE},
    {STROBE_COLUMN_EXACT, PLACE_EXACT},
    {STROBE_COLUMN_DEVICE, PLACE_DEVICE},
    {STROBE_COLUMN_NONE, PLACE_NONE},
};

/* The value of a column in one record. */
typedef struct Value {
    enum { VALUE_ABSENT, VALUE_INT, VALUE_UINT, VALUE_DOUBLE, VALUE_TEXT, VALUE_STACK } type;
    union {
        int64_t i;
        uint64_t u;
        double f;
        StrobeText text;
        StrobeStackId stack;
    };
} Value;

static uint32_t find_field(const char *field, const StrobeKindView *kind)
{
    for (uint32_t i = 0; i < kind->n_fields; i++)
        if (!strcmp(field, kind->fields[i].name))
            return i;
    return UINT32_MAX;
}

static uint32_t find_place(const char *field, const StrobeKindView *kind)
{
    uint32_t place = UINT32_MAX, exact = UINT32_MAX;

    if (field[0] != '@')
        return find_field(field, kind);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (!strcmp(field, sources[i].name))
            place = sources[i].place;
    if (place == PLACE_EXACT)
        exact = find_field("exact_us", kind);
    if (exact != UINT32_MAX && kind->fields[exact].type == STROBE_FIELD_F64)
        place = PLACE_EXACT_FIELD + exact;
    return place;
}

void strobe_table_bind(const StrobeTable *table, const StrobeKindView *kind, uint32_t *offsets)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        offsets[i] = find_place(table->columns[i].field, kind);
}

uint32_t strobe_table_generic(const StrobeKindView *kind, StrobeColumn *columns)
{
    uint32_t n = 0;

    columns[n++] = (StrobeColumn){"Name", STROBE_COLUMN_NAME, STROBE_CELL_TEXT};
    columns[n++] = (StrobeColumn){"Begin(us)", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED};
    if (kind->shape == STROBE_SHAPE_SPAN)
        columns[n++] = (StrobeColumn){"Duration(us)", STROBE_COLUMN_DURATION, STROBE_CELL_US_REPR};
    columns[n++] = (StrobeColumn){"Track", STROBE_COLUMN_TRACK, STROBE_CELL_AUTO};
    for (uint32_t i = 0; i < kind->n_fields && n < STROBE_TABLE_COLUMNS_MAX; i++)
        columns[n++] = (StrobeColumn){kind->fields[i].name, kind->fields[i].name, STROBE_CELL_AUTO};
    if (kind->derived && n < STROBE_TABLE_COLUMNS_MAX)
        columns[n++] = (StrobeColumn){"Incomplete", STROBE_COLUMN_INCOMPLETE, STROBE_CELL_AUTO};
    return n;
}

static Value int_value(int64_t value)
{
    return (Value){.type = value == STROBE_ABSENT_I64 ? VALUE_ABSENT : VALUE_INT, .i = value};
}

static Value uint_value(uint64_t value)
{
    return (Value){.type = value == STROBE_ABSENT_U64 ? VALUE_ABSENT : VALUE_UINT, .u = value};
}

static Value text_value(const StrobeConsumerHost *host, StrobeInstance *self, StrobeStringId id)
{
    Value value = {.type = VALUE_ABSENT};

    if (id) {
        value.type = VALUE_TEXT;
        value.text = host->string(self, id);
    }
    return value;
}

static Value track_value(const StrobeConsumerHost *host, StrobeInstance *self, StrobeTrackId id)
{
    const StrobeTrackView *track = id ? host->track(self, id) : NULL;

    return track ? uint_value(track->number) : (Value){.type = VALUE_ABSENT};
}

static Value device_value(const StrobeConsumerHost *host, StrobeInstance *self, StrobeTrackId id)
{
    const StrobeTrackView *track = id ? host->track(self, id) : NULL;

    return track ? int_value(track->device) : (Value){.type = VALUE_ABSENT};
}

static Value track_name_value(const StrobeConsumerHost *host, StrobeInstance *self,
                              StrobeTrackId id)
{
    const StrobeTrackView *track = host->track(self, id);
    Value value = {.type = VALUE_ABSENT};

    if (track && track->name[0]) {
        value.type = VALUE_TEXT;
        value.text = (StrobeText){track->name, strlen(track->name)};
    }
    return value;
}

static Value field_value(const StrobeConsumerHost *host, StrobeInstance *self,
                         const StrobeFieldView *field, const StrobeView *record)
{
    uint32_t offset = field->offset;
    uint32_t u32;
    double f64;

    switch (field->type) {
    case STROBE_FIELD_U8:
    case STROBE_FIELD_BOOL:
        return uint_value(strobe_view_u8(record, offset));
    case STROBE_FIELD_U32:
        u32 = strobe_view_u32(record, offset);
        return uint_value(u32 == STROBE_ABSENT_U32 ? STROBE_ABSENT_U64 : u32);
    case STROBE_FIELD_I32:
        u32 = strobe_view_u32(record, offset);
        return int_value((int32_t)u32 == STROBE_ABSENT_I32 ? STROBE_ABSENT_I64 : (int32_t)u32);
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        return uint_value(strobe_view_u64(record, offset));
    case STROBE_FIELD_I64:
        return int_value(strobe_view_i64(record, offset));
    case STROBE_FIELD_F64:
        f64 = strobe_view_f64(record, offset);
        return (Value){.type = isnan(f64) ? VALUE_ABSENT : VALUE_DOUBLE, .f = f64};
    case STROBE_FIELD_STRING:
        return text_value(host, self, strobe_view_u32(record, offset));
    case STROBE_FIELD_STACK:
        u32 = strobe_view_u32(record, offset);
        return (Value){.type = u32 ? VALUE_STACK : VALUE_ABSENT, .stack = u32};
    case STROBE_FIELD_TRACK:
        return track_value(host, self, strobe_view_u32(record, offset));
    default:
        return (Value){.type = VALUE_ABSENT};
    }
}

static Value duration_us(const StrobeView *record)
{
    return (Value){.type = VALUE_DOUBLE, .f = (double)(record->end_ns - record->begin_ns) / 1000.0};
}

/* Returns the value of STROBE_COLUMN_EXACT: the duration in microseconds with all digits of the
 * source. */
static Value exact_value(uint32_t index, const StrobeView *record)
{
    double exact = strobe_view_f64(record, record->kind->fields[index].offset);

    return isnan(exact) ? duration_us(record) : (Value){.type = VALUE_DOUBLE, .f = exact};
}

static Value value_at(const StrobeConsumerHost *host, StrobeInstance *self, uint32_t place,
                      const StrobeView *record)
{
    switch (place) {
    case PLACE_NAME:
        return text_value(host, self, record->name);
    case PLACE_BEGIN:
        return int_value(record->begin_ns);
    case PLACE_END:
        return int_value(record->end_ns);
    case PLACE_DURATION:
        return int_value(record->end_ns - record->begin_ns);
    case PLACE_TRACK:
        return track_value(host, self, record->track);
    case PLACE_TRACK_NAME:
        return track_name_value(host, self, record->track);
    case PLACE_DEVICE:
        return device_value(host, self, record->track);
    case PLACE_EXACT:
        return duration_us(record);
    case PLACE_INCOMPLETE:
        if (!record->kind->derived)
            return (Value){.type = VALUE_ABSENT};
        return uint_value((record->flags & STROBE_VIEW_INCOMPLETE) != 0);
    default:
        if (place < record->kind->n_fields)
            return field_value(host, self, &record->kind->fields[place], record);
        if (place >= PLACE_EXACT_FIELD && place - PLACE_EXACT_FIELD < record->kind->n_fields)
            return exact_value(place - PLACE_EXACT_FIELD, record);
        return (Value){.type = VALUE_ABSENT};
    }
}

/* Reserves `more` bytes and a NUL after the cell's content. */
static int reserve_bytes(StrobeCell *cell, size_t more)
{
    size_t need = cell->length + more + 1;
    size_t size = cell->size ? cell->size : 64;
    char *bytes;

    if (need <= cell->size)
        return 0;
    while (size < need)
        size *= 2;
    bytes = realloc(cell->bytes, size);
    if (!bytes)
        return -1;
    cell->bytes = bytes;
    cell->size = size;
    return 0;
}

/* Appends text with invalid UTF-8 replaced; with `list`, adds CR LF after each ';'. */
static int append_text(StrobeCell *cell, const char *bytes, size_t length, bool list)
{
    /* The worst case: every byte becomes three. */
    if (reserve_bytes(cell, 3 * length))
        return -1;
    for (size_t i = 0; i < length;) {
        int size = bytes[i] ? strobe_utf8_next(bytes + i, length - i) : -1;

        if (size < 0) {
            memcpy(cell->bytes + cell->length, STROBE_UTF8_REPLACEMENT, 3);
            cell->length += 3;
            i += (size_t)-size;
            continue;
        }
        memcpy(cell->bytes + cell->length, bytes + i, (size_t)size);
        cell->length += (size_t)size;
        if (list && bytes[i] == ';') {
            memcpy(cell->bytes + cell->length, "\r\n", 2);
            cell->length += 2;
        }
        i += (size_t)size;
    }
    cell->bytes[cell->length] = '\0';
    return 0;
}

/* Appends a frame and a ';'. A ';' or '\\' inside the frame is escaped with a '\\', except in a
 * list, whose format is that of another tool and has no escapes. */
static int append_frame(StrobeCell *cell, StrobeText text, bool list)
{
    size_t done = 0;

    for (size_t i = 0; i < text.length && !list; i++) {
        if (text.bytes[i] != ';' && text.bytes[i] != '\\')
            continue;
        if (append_text(cell, text.bytes + done, i - done, false) ||
            append_text(cell, "\\", 1, false))
            return -1;
        done = i;
    }
    return append_text(cell, text.bytes + done, text.length - done, list);
}

static int append_stack(const StrobeConsumerHost *host, StrobeInstance *self, StrobeStackId id,
                        StrobeCell *cell, bool list)
{
    const StrobeStringId *frames = NULL;
    size_t n = host->stack_frames(self, id, &frames);

    for (size_t i = 0; i < n; i++) {
        StrobeText text = host->string(self, frames[i]);

        if (i && append_text(cell, ";", 1, list))
            return -1;
        if (append_frame(cell, text, list))
            return -1;
    }
    return 0;
}

static int64_t as_ns(const Value *value)
{
    switch (value->type) {
    case VALUE_INT:
        return value->i;
    case VALUE_UINT:
        return value->u > INT64_MAX ? INT64_MAX : (int64_t)value->u;
    case VALUE_DOUBLE:
        return fabs(value->f) < 9e18 ? (int64_t)llround(value->f) : INT64_MAX;
    default:
        return 0;
    }
}

static double as_double(const Value *value)
{
    switch (value->type) {
    case VALUE_INT:
        return (double)value->i;
    case VALUE_UINT:
        return (double)value->u;
    default:
        return value->f;
    }
}

static size_t format_mark(char *out, double value)
{
    if (value == 0)
        return 0;
    out[0] = '*';
    return 1;
}

/* Writes two decimals, with a point in every locale. */
static size_t format_fixed2(char *out, double value)
{
    double size = fabs(value);
    uint64_t hundredths;
    size_t length = 0;

    if (!(size < 1e15))
        return strobe_format_double(out, value);
    hundredths = (uint64_t)(size * 100 + 0.5);
    if (value < 0 && hundredths)
        out[length++] = '-';
    length += strobe_format_uint(out + length, hundredths / 100);
    out[length++] = '.';
    out[length++] = (char)('0' + hundredths / 10 % 10);
    out[length++] = (char)('0' + hundredths % 10);
    return length;
}

static size_t format_auto(char *out, const Value *value)
{
    switch (value->type) {
    case VALUE_INT:
        return strobe_format_int(out, value->i);
    case VALUE_UINT:
        return strobe_format_uint(out, value->u);
    default:
        return strobe_format_double(out, value->f);
    }
}

static size_t format_device(char *out, int64_t device)
{
    if (device < 0) {
        memcpy(out, "CPU", 4);
        return 3;
    }
    memcpy(out, "NPU:", 4);
    return 4 + strobe_format_int(out + 4, device);
}

/* Writes a number in one of the formats from STROBE_CELL_FIXED3 on. */
static size_t format_form(char *out, uint32_t form, const Value *value)
{
    double number = as_double(value);

    switch (form) {
    case STROBE_CELL_FIXED3:
        return strobe_format_fixed(out, number, 3);
    case STROBE_CELL_FIXED6:
        return strobe_format_fixed(out, number, 6);
    case STROBE_CELL_ROUND3:
        return strobe_format_trimmed(out, number, 3, 1);
    case STROBE_CELL_TRIM3:
        return strobe_format_trimmed(out, number, 3, 0);
    case STROBE_CELL_TRIM6:
        return strobe_format_trimmed(out, number, 6, 0);
    case STROBE_CELL_US_TRIM:
        return strobe_format_trimmed(out, number / 1000, 3, 0);
    case STROBE_CELL_US_FIXED6:
        return strobe_format_fixed(out, number / 1000, 6);
    case STROBE_CELL_KB:
        return strobe_format_double(out, number / 1024);
    case STROBE_CELL_MB:
        return strobe_format_double(out, number / 1048576);
    case STROBE_CELL_MB_FIXED3:
        return strobe_format_fixed(out, number / 1048576, 3);
    case STROBE_CELL_DEVICE:
        return format_device(out, as_ns(value));
    default:
        return format_auto(out, value);
    }
}

static size_t format_number(char *out, uint32_t format, const Value *value)
{
    size_t length;

    switch (format) {
    case STROBE_CELL_REPR:
        return strobe_format_double(out, as_double(value));
    case STROBE_CELL_US_REPR:
        /* A double of ns need not be an integer. */
        if (value->type == VALUE_DOUBLE)
            return strobe_format_double(out, value->f / 1000.0);
        return strobe_format_us_repr(out, as_ns(value));
    case STROBE_CELL_US_FIXED:
        return strobe_format_us_fixed(out, as_ns(value));
    case STROBE_CELL_US_TAB:
        length = strobe_format_us_fixed(out, as_ns(value));
        out[length++] = '\t';
        return length;
    case STROBE_CELL_INT:
        if (value->type == VALUE_DOUBLE)
            return strobe_format_int(out, as_ns(value));
        return format_auto(out, value);
    case STROBE_CELL_FIXED2:
        return format_fixed2(out, as_double(value));
    case STROBE_CELL_MARK:
        return format_mark(out, as_double(value));
    default:
        return format_form(out, format, value);
    }
}

int strobe_table_cell(const StrobeConsumerHost *host, StrobeInstance *self,
                      const StrobeColumn *column, uint32_t offset, const StrobeView *record,
                      StrobeCell *cell)
{
    bool list = column->cell == STROBE_CELL_LIST;
    Value value;

    cell->length = 0;
    cell->is_number = cell->is_empty = 0;
    if (reserve_bytes(cell, STROBE_NUMBER_MAX))
        return -1;
    cell->bytes[0] = '\0';
    if (column->cell == STROBE_CELL_ZERO)
        value = (Value){.type = VALUE_UINT, .u = 0};
    else
        value = value_at(host, self, offset, record);
    switch (value.type) {
    case VALUE_ABSENT:
        cell->is_empty = 1;
        return column->absent ? append_text(cell, column->absent, strlen(column->absent), false)
                              : 0;
    case VALUE_TEXT:
        return append_text(cell, value.text.bytes, value.text.length, list);
    case VALUE_STACK:
        return append_stack(host, self, value.stack, cell, list);
    default:
        cell->length = format_number(cell->bytes, column->cell, &value);
        cell->bytes[cell->length] = '\0';
        cell->is_number = column->cell != STROBE_CELL_MARK;
        cell->is_empty = cell->length == 0;
        return 0;
    }
}

int strobe_table_number(const StrobeConsumerHost *host, StrobeInstance *self,
                        const StrobeColumn *column, uint32_t offset, const StrobeView *record,
                        char *out)
{
    Value value = {.type = VALUE_UINT};

    if (column->cell == STROBE_CELL_MARK)
        return -1;
    if (column->cell != STROBE_CELL_ZERO)
        value = value_at(host, self, offset, record);
    if (value.type == VALUE_ABSENT)
        return 0;
    if (value.type >= VALUE_TEXT)
        return -1;
    return (int)format_number(out, column->cell, &value);
}

int strobe_table_double(const StrobeConsumerHost *host, StrobeInstance *self,
                        const StrobeColumn *column, uint32_t offset, const StrobeView *record,
                        double *number)
{
    Value value = {.type = VALUE_UINT};

    if (column->cell != STROBE_CELL_ZERO)
        value = value_at(host, self, offset, record);
    if (value.type == VALUE_ABSENT || value.type >= VALUE_TEXT)
        return 0;
    *number = as_double(&value);
    return 1;
}

void strobe_cell_clear(StrobeCell *cell)
{
    free(cell->bytes);
    *cell = (StrobeCell){0};
}

static int compare_text(StrobeText a, StrobeText b)
{
    size_t common = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.bytes, b.bytes, common);

    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_stacks(const StrobeConsumerHost *host, StrobeInstance *self, StrobeStackId a,
                          StrobeStackId b)
{
    const StrobeStringId *frames_a = NULL, *frames_b = NULL;
    size_t n_a = host->stack_frames(self, a, &frames_a);
    size_t n_b = host->stack_frames(self, b, &frames_b);

    for (size_t i = 0; i < n_a && i < n_b; i++) {
        int order = compare_text(host->string(self, frames_a[i]), host->string(self, frames_b[i]));

        if (order)
            return order;
    }
    return (n_a > n_b) - (n_a < n_b);
}

static int compare_numbers(const Value *a, const Value *b)
{
    if (a->type == VALUE_INT && b->type == VALUE_INT)
        return (a->i > b->i) - (a->i < b->i);
    if (a->type == VALUE_UINT && b->type == VALUE_UINT)
        return (a->u > b->u) - (a->u < b->u);
    double x = as_double(a), y = as_double(b);

    return (x > y) - (x < y);
}

int strobe_table_compare(const StrobeConsumerHost *host, StrobeInstance *self,
                         const StrobeColumn *column, uint32_t offset_a, const StrobeView *a,
                         uint32_t offset_b, const StrobeView *b)
{
    Value x, y;

    if (column->cell == STROBE_CELL_ZERO)
        return 0;
    x = value_at(host, self, offset_a, a);
    y = value_at(host, self, offset_b, b);
    if (x.type == VALUE_ABSENT || y.type == VALUE_ABSENT)
        return (x.type != VALUE_ABSENT) - (y.type != VALUE_ABSENT);
    if (x.type == VALUE_TEXT && y.type == VALUE_TEXT)
        return compare_text(x.text, y.text);
    if (x.type == VALUE_STACK && y.type == VALUE_STACK)
        return compare_stacks(host, self, x.stack, y.stack);
    if (x.type >= VALUE_TEXT || y.type >= VALUE_TEXT)
        return (x.type > y.type) - (x.type < y.type);
    return compare_numbers(&x, &y);
}
