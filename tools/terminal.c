/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strobe/helpers/number.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "text-style.h"

#define COLUMN_GAP 2
#define INDENT 4                     /* indentation of the further lines of a row */
#define EXACT_MAX ((guint64)1 << 53) /* a double holds each integer up to this one exactly */

typedef struct Column {
    char *title;
    gboolean is_number;
    guint width_max;
} Column;

struct StrobeGrid {
    GArray *columns;  /* of Column */
    GPtrArray *cells; /* printable texts, row after row */
};

static void clear_column(gpointer data)
{
    g_free(((Column *)data)->title);
}

StrobeGrid *strobe_grid_new(void)
{
    StrobeGrid *grid = g_new0(StrobeGrid, 1);

    grid->columns = g_array_new(FALSE, FALSE, sizeof(Column));
    g_array_set_clear_func(grid->columns, clear_column);
    grid->cells = g_ptr_array_new_with_free_func(g_free);
    return grid;
}

void strobe_grid_free(StrobeGrid *grid)
{
    if (!grid)
        return;
    g_array_unref(grid->columns);
    g_ptr_array_unref(grid->cells);
    g_free(grid);
}

void strobe_grid_add_column(StrobeGrid *grid, const char *title, gboolean is_number,
                            guint width_max)
{
    Column column = {NULL, is_number, width_max};

    if (title)
        column.title = strobe_text_printable(title, strlen(title));
    g_array_append_val(grid->columns, column);
}

void strobe_grid_add(StrobeGrid *grid, const char *text)
{
    strobe_grid_add_bytes(grid, text ? text : "", text ? strlen(text) : 0);
}

void strobe_grid_add_bytes(StrobeGrid *grid, const char *bytes, gsize length)
{
    /* The limit is larger than the part of a cell that any terminal shows. */
    g_ptr_array_add(grid->cells, strobe_text_printable(bytes, MIN(length, 65536)));
}

void strobe_grid_printf(StrobeGrid *grid, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    strobe_grid_add(grid, text);
}

static guint character_width(gunichar character)
{
    return g_unichar_iszerowidth(character) ? 0 : g_unichar_iswide(character) ? 2 : 1;
}

/* Returns the number of terminal columns of the longest beginning of a text that has at most
 * `limit` columns. Sets *end (`end` may be NULL) to the end of that beginning. */
static guint measure_text(const char *text, guint limit, const char **end)
{
    guint width = 0;

    for (; *text; text = g_utf8_next_char(text)) {
        guint more = character_width(g_utf8_get_char(text));
        if (width + more > limit)
            break;
        width += more;
    }
    if (end)
        *end = text;
    return width;
}

/* Returns the width of column `index`: that of its title or its widest cell. Cells wider than the
 * column's limit count with the limit. */
static guint column_width(const StrobeGrid *grid, guint index)
{
    const Column *column = &g_array_index(grid->columns, Column, index);
    guint limit = column->width_max ? column->width_max : G_MAXUINT16;
    guint width = column->title ? measure_text(column->title, G_MAXUINT16, NULL) : 0;

    for (guint i = index; i < grid->cells->len; i += grid->columns->len)
        width = MAX(width, measure_text(g_ptr_array_index(grid->cells, i), limit, NULL));
    return width;
}

/* Appends a cell, padded or cut ("...") to the width of its column. */
static void append_cell(GString *line, const char *text, guint width, gboolean right,
                        gboolean is_last)
{
    const char *end;
    guint used = measure_text(text, width, &end);
    gboolean is_cut = *end != '\0';

    if (is_cut)
        used = measure_text(text, width > 3 ? width - 3 : 0, &end) + (width > 3 ? 3 : 0);
    if (right)
        g_string_append_printf(line, "%*s", (int)(width - used), "");
    g_string_append_len(line, text, end - text);
    if (is_cut && width > 3)
        g_string_append(line, "...");
    if (!right && !is_last)
        g_string_append_printf(line, "%*s", (int)(width - used), "");
}

/* The layout of a row in the lines of the output. */
typedef struct Layout {
    guint *widths;
    gboolean *breaks; /* for each column, whether its cell begins a new line */
    guint width;      /* width of the widest line */
} Layout;

static guint kept_width; /* width for all files; 0: each file has the width of its own terminal */

/* Returns the number of columns that a row may have: kept_width or, if it is 0, the width of the
 * file's terminal. Returns G_MAXUINT if the file is no terminal. */
static guint room_of(FILE *file)
{
    struct winsize size;

    if (kept_width)
        return kept_width;
    if (!isatty(fileno(file)) || ioctl(fileno(file), TIOCGWINSZ, &size) != 0 ||
        size.ws_col <= INDENT)
        return G_MAXUINT;
    return size.ws_col;
}

void strobe_grid_keep_width(FILE *file)
{
    kept_width = room_of(file);
}

/* Chooses the layout of rows in `room` columns. If a row is wider, whole cells move to the next
 * line. */
static void lay_out(const StrobeGrid *grid, guint room, Layout *layout)
{
    guint used = 0;

    layout->width = 0;
    for (guint i = 0; i < grid->columns->len; i++) {
        guint width = MIN(column_width(grid, i), room - INDENT);

        layout->widths[i] = width;
        layout->breaks[i] = i > 0 && used + COLUMN_GAP + width > room;
        used = i == 0 ? width : layout->breaks[i] ? INDENT + width : used + COLUMN_GAP + width;
        layout->width = MAX(layout->width, used);
    }
}

/* Prints a row. `texts` NULL: prints the heading, with its style on each line. */
static void print_row(const StrobeGrid *grid, FILE *file, const Layout *layout, char *const *texts)
{
    const char *begin = texts ? "" : strobe_style(STROBE_STYLE_HEAD);
    const char *end = texts ? "" : strobe_style(STROBE_STYLE_END);
    g_autoptr(GString) line = g_string_new(NULL);
    guint n = grid->columns->len;

    g_string_append(line, begin);
    for (guint i = 0; i < n; i++) {
        const Column *column = &g_array_index(grid->columns, Column, i);
        const char *text = texts ? texts[i] : column->title ? column->title : "";

        if (layout->breaks[i])
            g_string_append_printf(line, "%s\n%s%*s", end, begin, INDENT, "");
        else if (i > 0)
            g_string_append_printf(line, "%*s", COLUMN_GAP, "");
        append_cell(line, text, layout->widths[i], column->is_number,
                    i + 1 == n || layout->breaks[i + 1]);
    }
    g_string_append_printf(line, "%s\n", end);
    fwrite(line->str, 1, line->len, file);
}

void strobe_grid_print(const StrobeGrid *grid, FILE *file)
{
    guint n = grid->columns->len;

    if (n == 0)
        return;
    g_autofree guint *widths = g_new(guint, n);
    g_autofree gboolean *breaks = g_new(gboolean, n);
    Layout layout = {.widths = widths, .breaks = breaks};

    lay_out(grid, room_of(file), &layout);
    if (g_array_index(grid->columns, Column, 0).title) {
        g_autofree char *rule = g_strnfill(layout.width, '-');
        print_row(grid, file, &layout, NULL);
        fprintf(file, "%s\n", rule);
    }
    for (guint i = 0; i + n <= grid->cells->len; i += n)
        print_row(grid, file, &layout, (char *const *)&grid->cells->pdata[i]);
}

/* Returns the character that is printed for `character`. Replaces control characters, and also
 * format characters, because these can reorder the text around them. */
static gunichar shown_as(gunichar character)
{
    switch (g_unichar_type(character)) {
    case G_UNICODE_CONTROL:
        return character == '\n' || character == '\t' ? ' ' : '?';
    case G_UNICODE_FORMAT:
        return '?';
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
        return ' ';
    default:
        return character;
    }
}

char *strobe_text_printable(const char *bytes, gsize length)
{
    g_autofree char *valid = g_utf8_make_valid(bytes, (gssize)length);
    GString *text = g_string_sized_new(length);

    for (const char *at = valid; *at; at = g_utf8_next_char(at))
        g_string_append_unichar(text, shown_as(g_utf8_get_char(at)));
    return g_string_free(text, FALSE);
}

char *strobe_text_excerpt(const char *bytes, gsize length, gsize max)
{
    if (length <= max)
        return strobe_text_printable(bytes, length);
    while (max > 0 && ((guchar)bytes[max] & 0xc0) == 0x80)
        max--; /* the text is not cut within a character */
    g_autofree char *text = strobe_text_printable(bytes, max);
    return g_strconcat(text, "...", NULL);
}

char *strobe_text_duration(gint64 ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    double size = fabs((double)ns);

    for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
        double value = size / units[i].ns;
        if (value >= 1)
            return g_strdup_printf("%.*f %s",
                                   value < 10    ? 2
                                   : value < 100 ? 1
                                                 : 0,
                                   (double)ns / units[i].ns, units[i].name);
    }
    return g_strdup_printf("%" G_GINT64_FORMAT " ns", ns);
}

char *strobe_text_bytes(guint64 bytes)
{
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB"};
    double size = (double)bytes;
    gsize i = 0;

    while (size >= 1024 && i + 1 < G_N_ELEMENTS(names)) {
        size /= 1024;
        i++;
    }
    return i == 0 ? g_strdup_printf("%" G_GUINT64_FORMAT " B", bytes)
                  : g_strdup_printf("%.1f %s", size, names[i]);
}

char *strobe_text_time(gint64 ns)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(ns / G_GINT64_CONSTANT(1000000000));

    if (!time)
        return g_strdup_printf("%" G_GINT64_FORMAT " ns", ns);
    g_autofree char *seconds = g_date_time_format(time, "%Y-%m-%d %H:%M:%S");
    return g_strdup_printf("%s.%03d", seconds,
                           (int)(ns % G_GINT64_CONSTANT(1000000000) / G_GINT64_CONSTANT(1000000)));
}

static int write_stdout(void *user, const char *bytes, size_t length)
{
    return fwrite(bytes, 1, length, stdout) == length ? 0 : errno ? errno : EIO;
}

StrobeJsonWriter *strobe_json_open(void)
{
    StrobeJsonWriter *json = g_new0(StrobeJsonWriter, 1);

    strobe_json_init(json, write_stdout, NULL, STROBE_JSON_INDENTED | STROBE_JSON_SPACED);
    return json;
}

void strobe_json_close(StrobeJsonWriter *json)
{
    strobe_json_flush(json);
    putchar('\n');
    g_free(json);
}

/* Whether the text is an integer that a double cannot hold exactly. A number with a '.', an
 * exponent or letters is no integer. */
static gboolean is_beyond_double(const char *digits, gsize length)
{
    const gsize sign = length > 0 && digits[0] == '-';

    for (gsize i = sign; i < length; i++)
        if (!g_ascii_isdigit(digits[i]))
            return FALSE;
    return length - sign > 15 && g_ascii_strtoull(digits + sign, NULL, 10) > EXACT_MAX;
}

void strobe_json_exact(StrobeJsonWriter *json, const char *digits, gsize length)
{
    if (is_beyond_double(digits, length))
        strobe_json_text(json, digits, length);
    else
        strobe_json_raw(json, digits, length);
}

void strobe_json_exact_uint(StrobeJsonWriter *json, guint64 value)
{
    char digits[STROBE_NUMBER_MAX];

    strobe_json_exact(json, digits, strobe_format_uint(digits, value));
}
