/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump-capture CAPTURE: prints every record as a line: kind, begin, end, group, process, thread,
 * name, then "field=value" for each field that is not absent, separated by tabs. The backslash, and
 * bytes that are not printable ASCII, are printed as \xNN.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include "reader.h"

static void put_text(GString *out, StrobeText text)
{
    for (gsize i = 0; i < text.length; i++) {
        guchar byte = (guchar)text.bytes[i];

        if (byte >= 32 && byte < 127 && byte != '\\')
            g_string_append_c(out, (char)byte);
        else
            g_string_append_printf(out, "\\x%02x", byte);
    }
}

static void put_stack(GString *out, const StrobeReader *reader, guint32 id)
{
    const StrobeStringId *frames;
    gsize n = strobe_reader_stack(reader, id, &frames);

    for (gsize i = 0; i < n; i++) {
        if (i)
            g_string_append_c(out, ';');
        put_text(out, strobe_reader_string(reader, frames[i]));
    }
}

static gint64 read_word(const void *at, guint32 size)
{
    gint64 value = 0;

    memcpy(&value, at, size); /* little-endian, like captures */
    return size == 4 ? (gint32)value : value;
}

/* Appends the value of the field at `at`. FALSE: the field is absent. */
static gboolean put_value(GString *out, const StrobeReader *reader, const StrobeFieldView *field,
                          const void *at)
{
    guint32 size = strobe_field_size(field->type);
    gint64 value = read_word(at, size);
    double real;

    switch (field->type) {
    case STROBE_FIELD_STRING:
        put_text(out, strobe_reader_string(reader, (guint32)value));
        return value != 0;
    case STROBE_FIELD_STACK:
        put_stack(out, reader, (guint32)value);
        return value != 0;
    case STROBE_FIELD_F64:
        memcpy(&real, at, sizeof real);
        g_string_append_printf(out, "%.17g", real);
        return real == real;
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        g_string_append_printf(out, "%" G_GUINT64_FORMAT, (guint64)value);
        return (guint64)value != STROBE_ABSENT_U64;
    case STROBE_FIELD_U32:
        g_string_append_printf(out, "%u", (guint32)value);
        return (guint32)value != STROBE_ABSENT_U32;
    default:
        g_string_append_printf(out, "%" G_GINT64_FORMAT, value);
        return value != (field->type == STROBE_FIELD_I64 ? STROBE_ABSENT_I64 : STROBE_ABSENT_I32);
    }
}

static void put_record(GString *out, const StrobeReader *reader, const StrobeView *view)
{
    const StrobeTrackView *track = strobe_reader_track(reader, view->track);

    g_string_printf(out,
                    "%s\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT "\t%s\t%" G_GUINT64_FORMAT
                    "\t%" G_GUINT64_FORMAT "\t",
                    view->kind->name, view->begin_ns, view->end_ns, track ? track->group : "",
                    track ? track->pid : 0, track ? track->number : 0);
    put_text(out, strobe_reader_string(reader, view->name));
    for (guint i = 0; i < view->kind->n_fields; i++) {
        const StrobeFieldView *field = &view->kind->fields[i];
        gsize before = out->len;

        g_string_append_printf(out, "\t%s=", field->name);
        if (!put_value(out, reader, field, (const char *)view->fields + field->offset))
            g_string_truncate(out, before);
    }
    g_string_append_c(out, '\n');
    fwrite(out->str, 1, out->len, stdout);
}

int main(int argc, char **argv)
{
    static StrobeView views[1024];
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    StrobeReader *reader = argc == 2 ? strobe_reader_open(argv[1], &error) : NULL;
    gsize n;

    if (reader)
        strobe_reader_keep_strings(reader);
    while (reader && (n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++)
            put_record(out, reader, &views[i]);
    strobe_reader_free(reader);
    if (reader && !error)
        return 0;
    fprintf(stderr, "dump-capture: %s\n", error ? error->message : "name a capture");
    return 1;
}
