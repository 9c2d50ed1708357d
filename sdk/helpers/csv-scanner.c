/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/csv-scanner.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (64u << 10)

struct StrobeCsvScanner {
    int descriptor;
    char *buffer;
    size_t at, used;
    uint64_t base; /* offset of the buffer in the file */
    int io_error;

    char *text; /* texts of the row's cells, each followed by a NUL */
    size_t length, room;
    StrobeCsvCell *cells; /* while the row is read, `bytes` is an offset in `text` */
    size_t n, cells_room;
    uint64_t row, place;
    const char *error;
};

StrobeCsvScanner *strobe_csv_scanner_new(int descriptor)
{
    StrobeCsvScanner *s = calloc(1, sizeof *s);
    off_t at = lseek(descriptor, 0, SEEK_CUR);

    if (!s)
        return NULL;
    s->descriptor = descriptor;
    s->base = at > 0 ? (uint64_t)at : 0;
    s->buffer = malloc(BUFFER_BYTES);
    if (s->buffer)
        return s;
    free(s);
    return NULL;
}

void strobe_csv_scanner_free(StrobeCsvScanner *s)
{
    if (!s)
        return;
    free(s->buffer);
    free(s->text);
    free(s->cells);
    free(s);
}

/* Returns the current byte, -1 at the end. */
static int peek_byte(StrobeCsvScanner *s)
{
    ssize_t n;

    if (s->at < s->used)
        return (unsigned char)s->buffer[s->at];
    do
        n = read(s->descriptor, s->buffer, BUFFER_BYTES);
    while (n < 0 && errno == EINTR);
    s->io_error = n < 0;
    s->base += s->used;
    s->at = 0;
    s->used = n > 0 ? (size_t)n : 0;
    return n > 0 ? (unsigned char)s->buffer[0] : -1;
}

/* Appends the bytes that fit; a row that is too long counts as damaged. */
static void append_bytes(StrobeCsvScanner *s, const char *bytes, size_t n)
{
    if (s->length + n > STROBE_CSV_ROW_MAX) {
        s->error = "a row over 16 MiB";
        return;
    }
    if (s->length + n > s->room) {
        size_t room = s->room ? s->room : 4096;
        char *text;

        while (room < s->length + n)
            room *= 2;
        text = realloc(s->text, room);
        if (!text) {
            s->error = "out of memory";
            return;
        }
        s->text = text;
        s->room = room;
    }
    if (n)
        memcpy(s->text + s->length, bytes, n);
    s->length += n;
}

static void begin_cell(StrobeCsvScanner *s)
{
    if (s->n == STROBE_CSV_CELLS_MAX) {
        s->error = "a row of more than 4096 cells";
        return;
    }
    if (s->n == s->cells_room) {
        size_t room = s->cells_room ? 2 * s->cells_room : 64;
        StrobeCsvCell *cells = realloc(s->cells, room * sizeof *cells);

        if (!cells) {
            s->error = "out of memory";
            return;
        }
        s->cells = cells;
        s->cells_room = room;
    }
    s->cells[s->n++] = (StrobeCsvCell){NULL, s->length};
}

static void end_cell(StrobeCsvScanner *s)
{
    append_bytes(s, "", 1);
}

/* Reads a quoted text from the opening quote to the closing quote. */
static void take_quoted(StrobeCsvScanner *s)
{
    for (;;) {
        size_t from;

        if (peek_byte(s) < 0) {
            s->error = "a quote that is not closed";
            return;
        }
        from = s->at;
        while (s->at < s->used && s->buffer[s->at] != '"')
            s->at++;
        append_bytes(s, s->buffer + from, s->at - from);
        if (s->at == s->used)
            continue;
        s->at++;
        if (peek_byte(s) != '"')
            return;
        append_bytes(s, "\"", 1);
        s->at++;
    }
}

/* Reads a cell. The current byte is then the byte after the cell. */
static void take_cell(StrobeCsvScanner *s)
{
    int c = peek_byte(s);

    begin_cell(s);
    if (c == '"') {
        s->at++;
        take_quoted(s);
    }
    while ((c = peek_byte(s)) >= 0 && c != ',' && c != '\n') {
        size_t from = s->at;

        while (s->at < s->used && s->buffer[s->at] != ',' && s->buffer[s->at] != '\n')
            s->at++;
        append_bytes(s, s->buffer + from, s->at - from);
    }
}

/* Removes the CR of CR LF from the last cell. */
static void drop_return(StrobeCsvScanner *s)
{
    if (s->n && s->length > s->cells[s->n - 1].length && s->text[s->length - 1] == '\r')
        s->length--;
}

static void take_row(StrobeCsvScanner *s)
{
    s->n = s->length = 0;
    s->error = NULL;
    s->place = s->base + s->at;
    s->row++;
    for (;;) {
        int c;

        take_cell(s);
        c = peek_byte(s);
        if (c != ',') {
            drop_return(s);
            end_cell(s);
            s->at += c == '\n';
            return;
        }
        end_cell(s);
        s->at++;
    }
}

int strobe_csv_scanner_next(StrobeCsvScanner *s, const StrobeCsvCell **cells, size_t *n)
{
    *n = 0;
    do {
        if (peek_byte(s) < 0)
            return s->io_error ? STROBE_CSV_IO : STROBE_CSV_END;
        take_row(s);
        if (s->io_error)
            return STROBE_CSV_IO;
        if (s->error)
            return STROBE_CSV_DAMAGED;
    } while (s->n == 1 && s->length == 1); /* an empty line */
    for (size_t i = 0; i < s->n; i++) {
        size_t from = s->cells[i].length;
        size_t to = i + 1 < s->n ? s->cells[i + 1].length : s->length;

        s->cells[i] = (StrobeCsvCell){s->text + from, to - from - 1};
    }
    *cells = s->cells;
    *n = s->n;
    return STROBE_CSV_ROW;
}

uint64_t strobe_csv_scanner_row(const StrobeCsvScanner *s)
{
    return s->row;
}

uint64_t strobe_csv_scanner_place(const StrobeCsvScanner *s)
{
    return s->place;
}

int strobe_csv_scanner_go(StrobeCsvScanner *s, uint64_t place)
{
    if (place >= s->base && place < s->base + s->used) {
        s->at = (size_t)(place - s->base);
        return 0;
    }
    if (lseek(s->descriptor, (off_t)place, SEEK_SET) < 0)
        return -1;
    s->base = place;
    s->at = s->used = 0;
    return 0;
}

const char *strobe_csv_scanner_error(const StrobeCsvScanner *s)
{
    return s->error ? s->error : "";
}
