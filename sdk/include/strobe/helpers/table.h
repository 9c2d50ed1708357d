/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table driver of the CSV exporter and `strobe show`: a table is data (kind, titles, fields,
 * formats), and its rows are records. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_TABLE_H
#define STROBE_HELPERS_TABLE_H

#include <strobe/exporter.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Format of a cell. */
enum {
    STROBE_CELL_AUTO = 0, /* integer, Python's repr or text, by the field's type */
    STROBE_CELL_TEXT = 1, /* a string field or the name; empty if absent */
    STROBE_CELL_LIST = 2, /* like TEXT, with CR LF after each ';' (Ascend's shapes and stacks) */
    STROBE_CELL_INT = 3,
    STROBE_CELL_REPR = 4,     /* double as Python's repr */
    STROBE_CELL_US_REPR = 5,  /* ns as microseconds, as Python's repr */
    STROBE_CELL_US_FIXED = 6, /* ns as microseconds, three decimals */
    STROBE_CELL_US_TAB = 7,   /* like US_FIXED, with the TAB that Ascend's CSV files contain */
    STROBE_CELL_ZERO = 8,     /* constant 0, for a device column without device data */
    STROBE_CELL_FIXED2 = 9,   /* double with two decimals */
    STROBE_CELL_MARK = 10,    /* "*" for a number other than 0, otherwise empty */

    /* strobe_cell_read (cell-number.h) reads back the formats below. */
    STROBE_CELL_FIXED3 = 16,    /* double with three decimals */
    STROBE_CELL_FIXED6 = 17,    /* double with six decimals */
    STROBE_CELL_ROUND3 = 18,    /* rounded to three decimals, without trailing zeros except one:
                                 * 5.0 */
    STROBE_CELL_TRIM3 = 19,     /* rounded to three decimals, without trailing zeros: 5 */
    STROBE_CELL_TRIM6 = 20,     /* rounded to six decimals, without trailing zeros */
    STROBE_CELL_US_TRIM = 21,   /* ns as microseconds, like TRIM3 */
    STROBE_CELL_US_FIXED6 = 22, /* ns as microseconds, six decimals */
    STROBE_CELL_KB = 23,        /* bytes in units of 1024, as Python's repr */
    STROBE_CELL_MB = 24,        /* bytes in units of 1024 * 1024, as Python's repr */
    STROBE_CELL_MB_FIXED3 = 25, /* bytes in units of 1024 * 1024, three decimals */
    STROBE_CELL_DEVICE = 26     /* a device's number as NPU:3, or CPU for -1 */
};

/* Sources of cells other than the kind's own fields. */
#define STROBE_COLUMN_NAME "@name"   /* the record's name */
#define STROBE_COLUMN_BEGIN "@begin" /* ns since the epoch */
#define STROBE_COLUMN_END "@end"
#define STROBE_COLUMN_DURATION "@duration" /* ns */
#define STROBE_COLUMN_EXACT "@exact"       /* us: the field exact_us, otherwise the duration */
#define STROBE_COLUMN_TRACK "@track"       /* the track's number, such as the thread id */
#define STROBE_COLUMN_DEVICE "@device"     /* device of the track; -1: the host */
#define STROBE_COLUMN_TRACK_NAME "@track_name"
/* For a derived record 1 if it is marked as incomplete, otherwise 0. Absent for a recorded
 * record. */
#define STROBE_COLUMN_INCOMPLETE "@incomplete"
#define STROBE_COLUMN_NONE "@none" /* no source: for STROBE_CELL_ZERO */

typedef struct StrobeColumn {
    const char *title;
    const char *field;  /* field name or one of STROBE_COLUMN_* */
    uint32_t cell;      /* STROBE_CELL_* */
    const char *absent; /* text of a cell without a value; NULL: empty */
} StrobeColumn;

typedef struct StrobeTable {
    const char *file; /* for example "operator_details.csv" */
    const char *kind;
    const StrobeColumn *columns;
    uint32_t n_columns;
} StrobeTable;

#define STROBE_TABLE_COLUMNS_MAX (STROBE_KIND_FIELDS_MAX + 8)

/* Growing text of a cell; reused for all cells. */
typedef struct StrobeCell {
    char *bytes;
    size_t length, size;
    uint32_t is_number; /* for alignment and JSON */
    uint32_t is_empty;  /* the value is absent */
} StrobeCell;

/* Finds the offset of each column in `kind`; `offsets` has n_columns entries. A column that the
 * kind lacks gets UINT32_MAX and stays empty. */
void strobe_table_bind(const StrobeTable *table, const StrobeKindView *kind, uint32_t *offsets);

/* Makes a table of all fields of a kind without its own table: name, begin, duration (if it has
 * one), track, fields and, for a derived kind, whether it is incomplete. `columns` has
 * STROBE_TABLE_COLUMNS_MAX entries. Returns the number of columns. */
uint32_t strobe_table_generic(const StrobeKindView *kind, StrobeColumn *columns);

/* Writes a cell's text. Returns 0, or -1 if out of memory. */
int strobe_table_cell(const StrobeConsumerHost *host, StrobeInstance *self,
                      const StrobeColumn *column, uint32_t offset, const StrobeView *record,
                      StrobeCell *cell);
void strobe_cell_clear(StrobeCell *cell); /* frees the text */

/* Writes a number cell directly to `out`, which has room for STROBE_NUMBER_MAX bytes; returns
 * the length, 0 if the value is absent. -1: the cell is a text, a stack or a mark; use
 * strobe_table_cell. */
int strobe_table_number(const StrobeConsumerHost *host, StrobeInstance *self,
                        const StrobeColumn *column, uint32_t offset, const StrobeView *record,
                        char *out);

/* Reads the stored number of a column in one record. Returns 1, or 0 if the value is absent or not
 * a number. */
int strobe_table_double(const StrobeConsumerHost *host, StrobeInstance *self,
                        const StrobeColumn *column, uint32_t offset, const StrobeView *record,
                        double *number);

/* Compares two records by a column that is bound to the kind of each: numbers by value, texts by
 * bytes; absent values first. */
int strobe_table_compare(const StrobeConsumerHost *host, StrobeInstance *self,
                         const StrobeColumn *column, uint32_t offset_a, const StrobeView *a,
                         uint32_t offset_b, const StrobeView *b);

#if defined(__cplusplus)
}
#endif

#endif
