/* SPDX-License-Identifier: Apache-2.0 */
/* Converts events to records. */
#include "trace-import.h"

#include <math.h>
#include <strobe/helpers/cell-number.h>

/* ---- record types ---- */

static gint offset_of(const StrobeKind *kind, const char *field)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field))
            return (gint)strobe_kind_offset(kind, i);
    return -1;
}

static guint32 type_of(const StrobeKind *kind, const char *field)
{
    for (guint32 i = 0; i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field))
            return kind->fields[i].type;
    return 0;
}

static void make_sort(RecordType *record_type, const SortRow *row)
{
    const KinetoEvents *events = kineto_events_of(row->standard->name);
    guint32 n = row->standard->n_fields;

    record_type->fields = g_new0(StrobeField, n + row->n_fields + 1);
    memcpy(record_type->fields, row->standard->fields, n * sizeof *record_type->fields);
    if (row->n_fields)
        memcpy(record_type->fields + n, row->fields, row->n_fields * sizeof *record_type->fields);
    record_type->kind = *row->standard;
    record_type->kind.fields = record_type->fields;
    record_type->kind.n_fields = n + row->n_fields;
    record_type->n_slots = events ? events->n_args : 0;
    record_type->slots = g_new0(ArgSlot, record_type->n_slots + 1);
    for (guint32 i = 0; i < record_type->n_slots; i++) {
        ArgSlot *slot = &record_type->slots[i];

        slot->row = &events->args[i];
        slot->key_length = (guint32)strlen(slot->row->key);
        if (!slot->row->field)
            continue;
        slot->offset = (guint32)offset_of(&record_type->kind, slot->row->field);
        slot->type = type_of(&record_type->kind, slot->row->field);
    }
    record_type->n_bytes = strobe_kind_offset(&record_type->kind, record_type->kind.n_fields);
    record_type->absent = kind_absent_fields(&record_type->kind);
    record_type->exact = offset_of(&record_type->kind, "exact_us");
    record_type->arguments = offset_of(&record_type->kind, "chrome_trace.arguments");
}

void import_init(Import *import, const StrobeImporterHost *host, StrobeInstance *self,
                 const char *path)
{
    memset(import, 0, sizeof *import);
    import->host = host;
    import->self = self;
    import->part = g_path_get_basename(path);
    import->text = g_string_new(NULL);
    import->memos = g_new0(Memo, MEMOS);
    for (guint i = 0; i < N_RECORD_TYPES; i++)
        make_sort(&import->record_types[i], &sort_rows[i]);
}

void import_clear(Import *import)
{
    g_free(import->memos);
    for (guint i = 0; i < N_RECORD_TYPES; i++) {
        g_free(import->record_types[i].fields);
        g_free(import->record_types[i].slots);
        g_free(import->record_types[i].absent);
    }
    g_string_free(import->text, TRUE);
    g_free(import->part);
}

void *import_field(const RecordType *record_type, const char *name, void *fields)
{
    gint offset = offset_of(&record_type->kind, name);

    g_assert(offset >= 0);
    return (char *)fields + offset;
}

gboolean import_declare(Import *import, guint type_number)
{
    RecordType *record_type = &import->record_types[type_number];

    if (G_UNLIKELY(!record_type->id) &&
        import->host->kind(import->self, &record_type->kind, &record_type->id))
        import->is_failed = TRUE;
    return record_type->id != 0;
}

void *import_emit(Import *import, guint type_number, StrobeTrackId track, StrobeStringId name,
                  gint64 begin, gint64 end)
{
    void *fields;

    if (!import_declare(import, type_number))
        return NULL;
    fields = import->host->emit(import->self, import->record_types[type_number].id, track, name,
                                begin, end);
    import->is_full |= !fields;
    return fields;
}

void import_damage(Import *import, const Event *event, const char *reason)
{
    g_autofree char *place =
        g_strdup_printf("%s, offset %" G_GUINT64_FORMAT, import->part, event->offset);

    import->host->damage(import->self, place, reason);
}

/* ---- texts ---- */

StrobeStringId import_intern(Import *import, const StrobeJsonValue *value)
{
    if (value->length == 0)
        return 0;
    if (G_LIKELY(!value->has_escapes))
        return import->host->intern(import->self, value->text, value->length);
    g_string_truncate(import->text, 0);
    value_append(value, import->text);
    return import->host->intern(import->self, import->text->str, import->text->len);
}

StrobeStringId import_intern_text(Import *import, const char *text)
{
    return text && *text ? import->host->intern(import->self, text, strlen(text)) : 0;
}

/* Appends the key and the value of an argument, both unchanged. A value that is not JSON (NaN)
 * becomes a text. */
static void append_argument(GString *out, const EventArg *arg)
{
    const gboolean is_text =
        arg->value.type == STROBE_JSON_STRING || arg->value.type == STROBE_JSON_NON_FINITE;

    g_string_append(out, out->len ? ", \"" : "{\"");
    g_string_append_len(out, arg->key.text, (gssize)arg->key.length);
    g_string_append(out, "\": ");
    if (is_text)
        g_string_append_c(out, '"');
    if (G_UNLIKELY(arg->value.has_escapes && !is_text))
        value_append(&arg->value, out);
    else
        g_string_append_len(out, arg->value.text, (gssize)arg->value.length);
    if (is_text)
        g_string_append_c(out, '"');
}

static StrobeStringId intern_arguments(Import *import, GString *text)
{
    if (!text->len)
        return 0;
    g_string_append_c(text, '}');
    return import->host->intern(import->self, text->str, text->len);
}

static GString *all_arguments(Import *import, const Event *event)
{
    g_string_truncate(import->text, 0);
    for (guint i = 0; i < event->n_args; i++)
        append_argument(import->text, &event->arg[i]);
    return import->text;
}

char *import_arguments(Import *import, const Event *event)
{
    GString *text = all_arguments(import, event);

    return text->len ? g_strndup(text->str, text->len) : NULL;
}

StrobeStringId import_intern_arguments(Import *import, const Event *event)
{
    return intern_arguments(import, all_arguments(import, event));
}

/* ---- forms of arguments ---- */

static const char *append_without_blanks(GString *out, const char *p, const char *end)
{
    for (; p < end; p++)
        if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t')
            g_string_append_c(out, *p);
    return end;
}

static gboolean is_numeric(const char *p, const char *end)
{
    static const guint8 good[256] = {
        ['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1,  ['4'] = 1,  ['5'] = 1, ['6'] = 1, ['7'] = 1,
        ['8'] = 1, ['9'] = 1, ['-'] = 1, ['+'] = 1,  ['.'] = 1,  ['e'] = 1, ['E'] = 1, [','] = 1,
        ['['] = 1, [']'] = 1, [' '] = 1, ['\t'] = 1, ['\r'] = 1, ['\n'] = 1};

    for (; p < end; p++)
        if (!good[(guchar)*p])
            return FALSE;
    return TRUE;
}

/* Returns the end of the array that begins at `p`, which contains only numbers and arrays. */
static const char *array_end(const char *p, const char *end)
{
    gint depth = 0;

    for (; p < end; p++) {
        depth += *p == '[';
        depth -= *p == ']';
        if (depth == 0)
            return p + 1;
    }
    return end;
}

/* Advances to the next value of an array, or to `end`, where its closing bracket is. */
static const char *skip_separators(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t' || *p == ','))
        p++;
    return p;
}

/* Converts [[2, 3], [], [[1], [2]]] to "2,3;;[[1],[2]]": one entry for each input. A list of
 * tensors keeps its brackets. */
static gboolean make_shapes(const StrobeJsonValue *value, GString *out)
{
    const char *p = value->text + 1, *end = value->text + value->length - 1;
    gboolean is_first = TRUE;

    if (value->type != STROBE_JSON_ARRAY || !is_numeric(p, end))
        return FALSE;
    for (p = skip_separators(p, end); p < end; p = skip_separators(p, end)) {
        const char *stop = array_end(p, end);

        if (*p != '[')
            return FALSE;
        if (!is_first)
            g_string_append_c(out, ';');
        is_first = FALSE;
        if (memchr(p + 1, '[', (gsize)(stop - p - 1)))
            append_without_blanks(out, p, stop);
        else
            append_without_blanks(out, p + 1, stop - 1);
        p = stop;
    }
    return !is_first;
}

static gboolean append_types(StrobeJsonScanner *scanner, GString *out)
{
    gboolean is_first = TRUE;
    StrobeJsonValue type;
    int token;

    strobe_json_scanner_next_raw(scanner, &type); /* skips the bracket */
    while ((token = strobe_json_scanner_next_raw(scanner, &type)) == STROBE_JSON_STRING) {
        if (memchr(type.text, ';', type.length))
            return FALSE;
        if (!is_first)
            g_string_append_c(out, ';');
        is_first = FALSE;
        value_append(&type, out);
    }
    return token == STROBE_JSON_ARRAY_END && !is_first;
}

/* Converts ["a", "b"] to "a;b". */
static gboolean make_types(const StrobeJsonValue *value, GString *out)
{
    StrobeJsonScanner *scanner;
    gboolean is_good;

    if (value->type != STROBE_JSON_ARRAY)
        return FALSE;
    scanner = strobe_json_scanner_new_bytes(value->text, value->length);
    is_good = append_types(scanner, out);
    strobe_json_scanner_free(scanner);
    return is_good;
}

static gboolean make_dimension(const StrobeJsonValue *value, GString *out)
{
    if (value->type != STROBE_JSON_ARRAY || value->length < 3 ||
        !is_numeric(value->text + 1, value->text + value->length - 1) ||
        memchr(value->text + 1, '[', value->length - 1))
        return FALSE;
    append_without_blanks(out, value->text + 1, value->text + value->length - 1);
    return TRUE;
}

static StrobeStackId make_stack(Import *import, const StrobeJsonValue *value)
{
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(StrobeStringId));
    g_autofree char *text = NULL;

    g_string_truncate(import->text, 0);
    value_append(value, import->text);
    text = g_strndup(import->text->str, import->text->len);
    for (char *frame = text; frame && frames->len < STACK_FRAMES_MAX;) {
        char *next = strpbrk(frame, ";\n");
        StrobeStringId id;

        if (next)
            *next++ = 0;
        g_strstrip(frame);
        id = import_intern_text(import, frame);
        if (id)
            g_array_append_val(frames, id);
        frame = next;
    }
    return import->host->stack(import->self, (const void *)frames->data, frames->len);
}

/* Returns the cache entry for a list; NULL: the value is not cached. Lists of shapes and types
 * repeat, so the texts of recent lists are cached. */
static Memo *memo_of(Import *import, guint8 form, const StrobeJsonValue *value)
{
    guint64 hash = form, part;
    Memo *memo;

    if (value->length > MEMO_BYTES || value->type != STROBE_JSON_ARRAY)
        return NULL;
    for (guint32 i = 0; i + 8 <= value->length; i += 8) {
        memcpy(&part, value->text + i, 8);
        hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    }
    memo = &import->memos[(hash >> 32 ^ value->length) % MEMOS];
    return memo;
}

static gboolean is_remembered(const Memo *memo, guint8 form, const StrobeJsonValue *value)
{
    return memo->id && memo->form == form && memo->length == value->length &&
           !memcmp(memo->text, value->text, value->length);
}

/* Makes the text for a value of this form. Returns 0 if the value does not have the form. */
static StrobeStringId make_new_text(Import *import, guint8 form, const StrobeJsonValue *value)
{
    GString *out = import->text;
    gboolean is_good;

    g_string_truncate(out, 0);
    switch (form) {
    case KINETO_SHAPES:
        is_good = make_shapes(value, out);
        break;
    case KINETO_TYPES:
        is_good = make_types(value, out);
        break;
    case KINETO_DIMENSION:
        is_good = make_dimension(value, out);
        break;
    case KINETO_STACK:
        return value->type == STROBE_JSON_STRING ? make_stack(import, value) : 0;
    case KINETO_JSON:
        is_good = value->type == STROBE_JSON_ARRAY || value->type == STROBE_JSON_OBJECT;
        value_append(value, out);
        break;
    default: /* KINETO_TEXT; the id of an empty text is 0, like that of a missing text */
        return value->type == STROBE_JSON_STRING ? import_intern(import, value) : 0;
    }
    /* an empty text is valid: it means the shapes of a single input without dimensions */
    return is_good ? import->host->intern(import->self, out->str, out->len) : 0;
}

static StrobeStringId make_text(Import *import, guint8 form, const StrobeJsonValue *value)
{
    Memo *memo = memo_of(import, form, value);

    if (!memo)
        return make_new_text(import, form, value);
    if (!is_remembered(memo, form, value)) {
        memo->id = make_new_text(import, form, value);
        memo->form = form;
        memo->length = (guint8)value->length;
        memcpy(memo->text, value->text, value->length);
    }
    return memo->id;
}

/* Returns whether the value is not a whole number. Such a value is stored unchanged among the
 * arguments. */
static gboolean has_fraction(const StrobeJsonValue *value)
{
    double real;

    for (guint32 i = 0; i < value->length; i++)
        if (value->text[i] == '.' || value->text[i] == 'e' || value->text[i] == 'E')
            return !value_to_double(value, &real) || real != floor(real);
    return FALSE;
}

static gboolean store_number(const ArgSlot *slot, const StrobeJsonValue *value, void *at)
{
    StrobeCellValue cell = {.type = STROBE_CELL_WHOLE};
    guint64 number;

    if (value->type != STROBE_JSON_NUMBER)
        return FALSE;
    if (slot->type != STROBE_FIELD_F64 && has_fraction(value))
        return FALSE;
    if (slot->type == STROBE_FIELD_F64) {
        cell.type = STROBE_CELL_REAL;
        if (!value_to_double(value, &cell.real))
            return FALSE;
    } else if (slot->type == STROBE_FIELD_U64 || slot->type == STROBE_FIELD_LINK) {
        if (!value_to_uint(value, &number) || number == STROBE_ABSENT_U64)
            return FALSE;
        memcpy(at, &number, sizeof number);
        return TRUE;
    } else if (!value_to_int(value, &cell.whole)) {
        return FALSE;
    }
    return strobe_cell_store(&cell, slot->type, at) == 0;
}

static gboolean fill_slot(Import *import, const ArgSlot *slot, const StrobeJsonValue *value,
                          char *fields)
{
    StrobeStringId id;

    switch (slot->row->form) {
    case KINETO_NUMBER:
    case KINETO_SEQUENCE:
    case KINETO_FORWARD:
        return store_number(slot, value, fields + slot->offset);
    case KINETO_PARENT: /* null means that there is no parent, for which finish_span writes 0 */
        return VALUE_IS(value, "null") || store_number(slot, value, fields + slot->offset);
    case KINETO_DEVICE:
    case KINETO_STREAM:
        return value->type == STROBE_JSON_NUMBER;
    default:
        break;
    }
    id = make_text(import, slot->row->form, value);
    if (id)
        memcpy(fields + slot->offset, &id, sizeof id);
    return id != 0;
}

/* Returns the slot of a key; NULL: there is none. Arguments mostly come in the order of the slots,
 * so the search begins after the slot that was found last. */
static const ArgSlot *find_slot(const RecordType *record_type, const StrobeJsonValue *key,
                                guint *next)
{
    for (guint n = 0, i = *next; n < record_type->n_slots; n++) {
        const ArgSlot *slot = &record_type->slots[i];

        i = i + 1 < record_type->n_slots ? i + 1 : 0;
        if (slot->key_length != key->length || memcmp(slot->row->key, key->text, key->length) != 0)
            continue;
        *next = i;
        return slot;
    }
    return NULL;
}

void import_fill(Import *import, guint type_number, const Event *event, void *fields)
{
    const RecordType *record_type = &import->record_types[type_number];
    guint64 kept[(EVENT_ARGS_MAX + 63) / 64] = {0};
    gboolean has_kept = FALSE;
    StrobeStringId id;
    guint next = 0;

    for (guint i = 0; i < event->n_args; i++) {
        const ArgSlot *slot = find_slot(record_type, &event->arg[i].key, &next);

        if (slot && fill_slot(import, slot, &event->arg[i].value, fields))
            continue;
        kept[i / 64] |= (guint64)1 << (i % 64);
        has_kept = TRUE;
    }
    if (!has_kept || record_type->arguments < 0)
        return;
    g_string_truncate(import->text, 0);
    for (guint i = 0; i < event->n_args; i++)
        if (kept[i / 64] >> (i % 64) & 1)
            append_argument(import->text, &event->arg[i]);
    id = intern_arguments(import, import->text);
    memcpy((char *)fields + record_type->arguments, &id, sizeof id);
}
