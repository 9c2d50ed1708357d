/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed for people: aligned tables, texts made safe; and JSON for others. */
#ifndef STROBE_TOOLS_TERMINAL_H
#define STROBE_TOOLS_TERMINAL_H

#include <stdio.h>

#include <glib.h>
#include <strobe/helpers/json-writer.h>

/* An aligned table. Texts are copied; whatever bytes they hold, nothing but printable characters
 * reaches the terminal. */
typedef struct StrobeGrid StrobeGrid;

StrobeGrid *strobe_grid_new(void);
void strobe_grid_free(StrobeGrid *grid);
/* `width_max` in terminal columns, 0: no limit. A title of NULL in every column: no head. */
void strobe_grid_add_column(StrobeGrid *grid, const char *title, gboolean is_number,
                            guint width_max);
/* Cells fill row after row. */
void strobe_grid_add(StrobeGrid *grid, const char *text);
void strobe_grid_add_bytes(StrobeGrid *grid, const char *bytes, gsize length);
void strobe_grid_printf(StrobeGrid *grid, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* In a terminal that is narrower than the table, a row takes several lines. */
void strobe_grid_print(const StrobeGrid *grid, FILE *file);
/* From now on every table is as wide as this file's terminal: what is printed goes there by a
 * pager. */
void strobe_grid_keep_width(FILE *file);

/* Text as it may be shown: valid UTF-8, one line, no control characters. Free it. */
char *strobe_text_printable(const char *bytes, gsize length);
/* The same, and what is beyond `max` bytes is left out ("..."). Free it. */
char *strobe_text_excerpt(const char *bytes, gsize length, gsize max);

/* ns as people read it: "312 ns", "1.50 ms", "12.3 s"; bytes: "640 B", "12.5 MB". Free it. */
char *strobe_text_duration(gint64 ns);
char *strobe_text_bytes(guint64 bytes);
/* ns since the epoch as local time with milliseconds. Free it. */
char *strobe_text_time(gint64 ns);

/* A JSON writer on stdout, indented; flush and free with strobe_json_close. */
StrobeJsonWriter *strobe_json_open(void);
void strobe_json_close(StrobeJsonWriter *json);

/* A number as the text has it. An integer beyond 2^53, which most readers of JSON round, is written
 * as text. */
void strobe_json_exact(StrobeJsonWriter *json, const char *digits, gsize length);
void strobe_json_exact_uint(StrobeJsonWriter *json, guint64 value);

#endif
