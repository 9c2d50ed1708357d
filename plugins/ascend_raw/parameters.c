/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.param_tensor_info: tensors of modules and optimizers. */
#include "framework-files.h"

#define PARAM_BYTES 8u

enum { FIELD_MODULE = 1, FIELD_OPTIMIZER };

typedef struct Parameters {
    Raw *raw;
    guint64 key, n, n_strange;
    StrobeTrackId track;
    StrobeStringId module, optimizer, state;
} Parameters;

/* Sets `part` to the part of `text` up to the character `mark`, or up to the end, and `text` to the
 * rest. Returns FALSE if there is no such character. */
static gboolean take_part(TlvText *text, char mark, TlvText *part)
{
    const char *end = text->length ? memchr(text->bytes, mark, text->length) : NULL;

    *part = *text;
    if (!end) {
        *text = (TlvText){text->bytes + text->length, 0};
        return FALSE;
    }
    part->length = (gsize)(end - text->bytes);
    text->bytes = end + 1;
    text->length -= part->length + 1;
    return TRUE;
}

static void emit_parameter(Parameters *p, StrobeStringId role, const TlvText *name,
                           const TlvText *tensor, const TlvText *gradient)
{
    Raw *raw = p->raw;
    struct raw_parameter *fields =
        raw_emit(raw, RAW_PARAMETER, p->track,
                 name ? text_cache_string(raw->texts, name->bytes, name->length) : 0, raw->begin_ns,
                 raw->begin_ns);

    if (!fields)
        return;
    fields->key = p->key;
    fields->role = role;
    fields->tensor = text_cache_string(raw->texts, tensor->bytes, tensor->length);
    if (gradient && gradient->length)
        fields->gradient = text_cache_string(raw->texts, gradient->bytes, gradient->length);
    p->n++;
}

/* Parses entries "name)metadata)gradient", joined by '}'. */
static void take_module(Parameters *p, TlvText text)
{
    TlvText entry, name, tensor, gradient;

    while (text.length && !p->raw->is_full) {
        take_part(&text, '}', &entry);
        if (!take_part(&entry, ')', &name) || !take_part(&entry, ')', &tensor)) {
            p->n_strange++;
            continue;
        }
        take_part(&entry, ')', &gradient);
        emit_parameter(p, p->module, &name, &tensor, &gradient);
    }
}

/* Parses entries joined by '}': "metadata)gradient)", then "name>metadata]" for each state. */
static void take_optimizer(Parameters *p, TlvText text)
{
    TlvText entry, tensor, gradient, state, name;

    while (text.length && !p->raw->is_full) {
        take_part(&text, '}', &entry);
        if (!take_part(&entry, ')', &tensor) || !take_part(&entry, ')', &gradient)) {
            p->n_strange++;
            continue;
        }
        emit_parameter(p, p->optimizer, NULL, &tensor, &gradient);
        while (entry.length && !p->raw->is_full) {
            take_part(&entry, ']', &state);
            if (take_part(&state, '>', &name))
                emit_parameter(p, p->state, &name, &state, NULL);
            else
                p->n_strange++;
        }
    }
}

/* Returns the field's text. Returns an empty text if the field's text is not UTF-8, so that there
 * are no entries. */
static TlvText text_of(Parameters *p, const TlvRecord *record, guint field)
{
    const TlvText *text = &record->fields[field];

    if (!(record->present & 1u << field))
        return (TlvText){"", 0};
    if (text_is_utf8(text->bytes, text->length))
        return *text;
    text_cache_string(p->raw->texts, text->bytes, text->length); /* counts the invalid text */
    return (TlvText){"", 0};
}

void parameters_import(Raw *raw)
{
    const RawFile *file = &raw->files.files[RAW_PARAM_TENSOR];
    Parameters p = {.raw = raw};
    TlvReader reader;
    TlvRecord record;

    if (!file->name)
        return;
    p.track = raw_process_track(raw);
    p.module = raw_intern(raw, "module");
    p.optimizer = raw_intern(raw, "optimizer");
    p.state = raw_intern(raw, "state");
    tlv_init(&reader, file->fd, PARAM_BYTES);
    while (!raw->is_full && tlv_next(&reader, &record)) {
        p.key = raw_u64(record.fixed);
        take_module(&p, text_of(&p, &record, FIELD_MODULE));
        take_optimizer(&p, text_of(&p, &record, FIELD_OPTIMIZER));
    }
    if (p.n_strange)
        raw_damage(raw, file->name, "%" G_GUINT64_FORMAT " entries do not have the expected form",
                   p.n_strange);
    raw_tell_tlv(raw, file, &reader);
    tlv_clear(&reader);
}
