/* SPDX-License-Identifier: Apache-2.0 */
/* Writes output for people (aligned tables and safe texts) and JSON for programs. */
#ifndef STROBE_TOOLS_TERMINAL_H
#define STROBE_TOOLS_TERMINAL_H

#include <stdio.h>

#include <glib.h>
#include <strobe/helpers/json-writer.h>

/* An aligned table. Texts are copied, and may contain any bytes: only printable characters are
 * written. */
typedef struct StrobeGrid StrobeGrid;

StrobeGrid *strobe_grid_new(void);
void strobe_grid_free(StrobeGrid *grid);
/* Adds a column. `width_max` is in columns of the terminal, 0: no limit. If all titles are NULL,
 * there is no heading. */
void strobe_grid_add_column(StrobeGrid *grid, const char *title, gboolean is_number,
                            guint width_max);
/* Adds the next cell of the current row; after the last column the next row begins. */
void strobe_grid_add(StrobeGrid *grid, const char *text);
void strobe_grid_add_bytes(StrobeGrid *grid, const char *bytes, gsize length);
void strobe_grid_printf(StrobeGrid *grid, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Prints the table. If the terminal is narrower than the table, a row takes several lines. */
void strobe_grid_print(const StrobeGrid *grid, FILE *file);
/* From now on every table has the width of the terminal of `file`, because a pager writes the
 * tables to that terminal. */
void strobe_grid_keep_width(FILE *file);

/* Returns a printable form of a text: valid UTF-8, one line, no control characters. Free it. */
char *strobe_text_printable(const char *bytes, gsize length);
/* Returns the printable form of `length` bytes. If these are more than `max`, uses only the first
 * `max` and appends "...". Free it. */
char *strobe_text_excerpt(const char *bytes, gsize length, gsize max);

/* strobe_text_duration returns a number of ns in readable form, for example "1.50 ms";
 * strobe_text_bytes does so for a number of bytes, for example "12.5 MB". Free the text. */
char *strobe_text_duration(gint64 ns);
char *strobe_text_bytes(guint64 bytes);
/* Returns ns since the epoch as local time with milliseconds. Free it. */
char *strobe_text_time(gint64 ns);

/* Returns a JSON writer on stdout with indentation. strobe_json_close flushes and frees it. */
StrobeJsonWriter *strobe_json_open(void);
void strobe_json_close(StrobeJsonWriter *json);

/* Writes a number with the digits of the text. An integer above 2^53, which most JSON readers would
 * round, is written as a text. */
void strobe_json_exact(StrobeJsonWriter *json, const char *digits, gsize length);
void strobe_json_exact_uint(StrobeJsonWriter *json, guint64 value);

#endif
