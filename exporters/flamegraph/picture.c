/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include <string.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/utf8.h>

#include "picture-text.h"

#define WIDTH 1200.0
#define MARGIN 10.0
#define HEAD 50 /* height of the picture above the frames */
#define FRAME_HEIGHT 16
#define NARROWEST 0.1
#define PADDING 3.0
#define LETTER_WIDTH 7.0
#define NAME_MAX_BYTES 400

typedef struct Texts {
    FlameText text;
    void *user;
} Texts;

/* A frame of the current path. Its width is not known until a path without it comes. */
typedef struct OpenFrame {
    StrobeStringId name;
    gint64 begin; /* sum of the values of all paths before the frame */
} OpenFrame;

typedef struct Picture {
    Texts texts;
    const FlameUnit *unit;
    GString *out;
    GArray *open; /* elements of type OpenFrame */
    gint64 whole;
    guint depth; /* number of frames of the deepest path */
} Picture;

/* ---- order ---- */

static gint compare_texts(const Texts *texts, StrobeStringId a, StrobeStringId b)
{
    if (a == b)
        return 0;
    StrobeText x = texts->text(texts->user, a), y = texts->text(texts->user, b);
    gint order = memcmp(x.bytes, y.bytes, MIN(x.length, y.length));

    if (order)
        return order;
    if (x.length != y.length)
        return x.length < y.length ? -1 : 1;
    return a < b ? -1 : 1;
}

static gint compare_paths(gconstpointer a, gconstpointer b, gpointer user)
{
    const FlamePath *x = *(FlamePath *const *)a, *y = *(FlamePath *const *)b;

    for (guint i = 0; i < x->n_frames && i < y->n_frames; i++) {
        gint order = compare_texts(user, x->frames[i], y->frames[i]);
        if (order)
            return order;
    }
    return x->n_frames < y->n_frames ? -1 : x->n_frames > y->n_frames;
}

void flame_paths_sort(GPtrArray *paths, FlameText text, void *user)
{
    Texts texts = {text, user};

    g_ptr_array_sort_with_data(paths, compare_paths, &texts);
}

/* ---- drawing ---- */

static void append_escaped(GString *out, const char *bytes, gsize length)
{
    for (gsize i = 0; i < length;) {
        int size = strobe_utf8_next(bytes + i, length - i);
        guchar byte = (guchar)bytes[i];

        if (size < 0 || (byte < 0x20 && byte != '\t'))
            g_string_append(out, STROBE_UTF8_REPLACEMENT);
        else if (byte == '<')
            g_string_append(out, "&lt;");
        else if (byte == '>')
            g_string_append(out, "&gt;");
        else if (byte == '&')
            g_string_append(out, "&amp;");
        else
            g_string_append_len(out, bytes + i, size);
        i += (gsize)ABS(size);
    }
}

static void append_double(GString *out, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    g_string_append(out, g_ascii_formatd(text, sizeof text, "%.3f", value));
}

/* Appends the colour of a frame, which depends on the function's name: a cool colour for functions
 * of the kernel, a warm one for all others. */
static void append_colour(GString *out, StrobeText name)
{
    guint32 hash = 2166136261u;
    gboolean is_kernel = g_str_has_suffix(name.bytes, " (kernel)");

    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (guchar)name.bytes[i]) * 16777619u;
    if (is_kernel)
        g_string_append_printf(out, "rgb(%u,%u,%u)", 90 + hash % 40, 150 + (hash >> 8) % 60,
                               190 + (hash >> 16) % 50);
    else
        g_string_append_printf(out, "rgb(%u,%u,%u)", 205 + hash % 50, 60 + (hash >> 8) % 150,
                               (hash >> 16) % 60);
}

/* Writes the name into the frame, cut off if the frame is too narrow. */
static void append_label(Picture *picture, StrobeText name, double x, double width, guint y)
{
    gsize room = width > 2 * PADDING ? (gsize)((width - 2 * PADDING) / LETTER_WIDTH) : 0;

    g_string_append(picture->out, "<text x=\"");
    append_double(picture->out, x + PADDING);
    g_string_append_printf(picture->out, "\" y=\"%u\">", y + FRAME_HEIGHT - 4);
    if (room >= name.length)
        append_escaped(picture->out, name.bytes, name.length);
    else if (room >= 3) {
        append_escaped(picture->out, name.bytes, room - 2);
        g_string_append(picture->out, "..");
    }
    g_string_append(picture->out, "</text>");
}

/* Draws the open frame at depth `level`; its right end is `end`. */
static void draw_frame(Picture *picture, guint level, gint64 end)
{
    const OpenFrame *frame = &g_array_index(picture->open, OpenFrame, level);
    const double scale = (WIDTH - 2 * MARGIN) / (double)picture->whole;
    const double width = (double)(end - frame->begin) * scale;
    const guint y = HEAD + (picture->depth - 1 - level) * FRAME_HEIGHT;
    StrobeText name = picture->texts.text(picture->texts.user, frame->name);
    GString *out = picture->out;

    if (width < NARROWEST)
        return;
    name.length = MIN(name.length, NAME_MAX_BYTES);
    g_string_append(out, "<g class=\"f\"><title>");
    append_escaped(out, name.bytes, name.length);
    g_string_append(out, " (");
    append_double(out, (double)(end - frame->begin) / picture->unit->scale);
    g_string_append_printf(out, " %s, ", picture->unit->name);
    append_double(out, 100.0 * (double)(end - frame->begin) / (double)picture->whole);
    g_string_append(out, " %)</title><rect x=\"");
    append_double(out, MARGIN + (double)frame->begin * scale);
    g_string_append_printf(out, "\" y=\"%u\" width=\"", y);
    append_double(out, width);
    g_string_append_printf(out, "\" height=\"%d\" rx=\"2\" fill=\"", FRAME_HEIGHT - 1);
    append_colour(out, name);
    g_string_append(out, "\"/>");
    append_label(picture, name, MARGIN + (double)frame->begin * scale, width, y);
    g_string_append(out, "</g>\n");
}

static void close_frames(Picture *picture, guint level, gint64 end)
{
    while (picture->open->len > level) {
        draw_frame(picture, picture->open->len - 1, end);
        g_array_set_size(picture->open, picture->open->len - 1);
    }
}

/* Adds a path: draws the open frames that it does not contain, and opens its other frames. */
static void draw_path(Picture *picture, const FlamePath *path, gint64 begin)
{
    guint same = 0;

    while (same < path->n_frames && same < picture->open->len &&
           g_array_index(picture->open, OpenFrame, same).name == path->frames[same])
        same++;
    close_frames(picture, same, begin);
    for (guint i = same; i < path->n_frames; i++) {
        const OpenFrame frame = {path->frames[i], begin};
        g_array_append_val(picture->open, frame);
    }
}

static void begin_picture(Picture *picture, const char *title)
{
    guint height = HEAD + picture->depth * FRAME_HEIGHT + (guint)MARGIN;

    g_string_append_printf(picture->out,
                           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" "
                           "viewBox=\"0 0 %.0f %u\">\n",
                           WIDTH, height, WIDTH, height);
    g_string_append_len(picture->out, (const char *)page_head, sizeof page_head);
    g_string_append(picture->out, "<text x=\"600\" y=\"24\" text-anchor=\"middle\" "
                                  "font-weight=\"bold\">");
    append_escaped(picture->out, title, strlen(title));
    g_string_append(picture->out, "</text>\n");
}

GString *flame_picture(const GPtrArray *paths, const char *title, const FlameUnit *unit,
                       FlameText text, void *user)
{
    Picture picture = {.texts = {text, user}, .unit = unit, .out = g_string_new(NULL)};
    gint64 begin = 0;

    for (guint i = 0; i < paths->len; i++) {
        const FlamePath *path = g_ptr_array_index(paths, i);
        picture.whole += path->value;
        picture.depth = MAX(picture.depth, path->n_frames);
    }
    picture.open = g_array_new(FALSE, FALSE, sizeof(OpenFrame));
    begin_picture(&picture, title);
    for (guint i = 0; i < paths->len; i++) {
        const FlamePath *path = g_ptr_array_index(paths, i);
        draw_path(&picture, path, begin);
        begin += path->value;
    }
    close_frames(&picture, 0, begin);
    g_array_unref(picture.open);
    g_string_append_len(picture.out, (const char *)page_tail, sizeof page_tail);
    return picture.out;
}
