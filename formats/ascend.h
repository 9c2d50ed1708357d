/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The result files of the Ascend PyTorch Profiler as data: every CSV file, database table and trace
 * layer with its columns, for each generation of the formats.
 *
 * Importers and exporters use the same rows, so a new column, file or table needs a row here and
 * no code. Generations: G1 (early 2025), G2 (late 2025), G3 (the newest). The levels of detail
 * are 0, 1 and 2.
 */
#ifndef STROBE_FORMATS_ASCEND_H
#define STROBE_FORMATS_ASCEND_H

#include <strobe/helpers/table.h>

enum {
    ASCEND_G1 = 1u << 0,
    ASCEND_G2 = 1u << 1,
    ASCEND_G3 = 1u << 2,
    ASCEND_G12 = ASCEND_G1 | ASCEND_G2,
    ASCEND_G23 = ASCEND_G2 | ASCEND_G3,
    ASCEND_ALL = ASCEND_G12 | ASCEND_G3,

    ASCEND_L0 = 1u << 0,
    ASCEND_L1 = 1u << 1,
    ASCEND_L2 = 1u << 2,
    ASCEND_L12 = ASCEND_L1 | ASCEND_L2,
    ASCEND_LEVELS = ASCEND_L0 | ASCEND_L12
};

/* Return the bit of a generation, 1 to 3 (any other value counts as generation 3), and of a level,
 * 0 to 2 (any other value counts as level 2). */
static inline uint32_t ascend_generation_bit(int32_t generation)
{
    return 1u << (generation < 1 || generation > 3 ? 2 : generation - 1);
}

static inline uint32_t ascend_level_bit(int32_t level)
{
    return 1u << (level < 0 || level > 2 ? 2 : level);
}

enum {
    /* The column exists only if some row has a value in it. */
    ASCEND_COLUMN_OPTIONAL = 1u << 0,
    /* This entry stands for the columns of the metrics: one for each name in the kind's field
     * "metrics". */
    ASCEND_COLUMN_METRICS = 1u << 1,
    /* The column exists only if the previous optional column exists. */
    ASCEND_COLUMN_FOLLOWS = 1u << 2
};

/* A text that newer generations write in another form. */
typedef struct AscendWord {
    const char *older, *newer;
    uint8_t generations; /* generations that write the older form */
} AscendWord;

typedef struct AscendColumn {
    StrobeColumn column;
    uint8_t generations;    /* 0: all */
    uint8_t levels;         /* 0: all */
    uint8_t flags;          /* ASCEND_COLUMN_* */
    const AscendWord *word; /* texts that newer generations write in another form; NULL: none */
} AscendColumn;

enum {
    /* the vendor's tool computed the file, so it is read only on request */
    ASCEND_FILE_DERIVED = 1u << 0,
    /* The rows of this entry are used only if no other entry of the file has rows. */
    ASCEND_FILE_FALLBACK = 1u << 1
};

/* Order of the rows of an AscendFile. They follow the rows of earlier entries for the same file. */
enum {
    ASCEND_ORDER_NONE = 0,         /* in the order in which records arrive */
    ASCEND_ORDER_BEGIN = 1,        /* by begin */
    ASCEND_ORDER_DEVICE_BEGIN = 2, /* by the text of the device's number, then by begin */
    ASCEND_ORDER_MODULE_BEGIN = 3, /* by the number of the module, then by begin */
    /* first the records with the name first_name, then all others; each part by begin */
    ASCEND_ORDER_FIRST_BEGIN = 4,
    ASCEND_ORDER_RELEASE = 5 /* by the field release_time; rows without this field are last */
};

/* Forms of a summary of samples: the file has one row for each mode and device, computed from three
 * of the kind's fields. */
enum {
    ASCEND_MODE_EXTREMES = 0, /* minimum, maximum and mean of all samples */
    ASCEND_MODE_MEANS = 1     /* the mean of each field; ignores samples whose first mode has a
                                 minimum above its maximum */
};

typedef struct AscendMode {
    const char *title; /* text of the row */
    const char *min, *max, *avg;
    double unit; /* divisor of the fields */
    uint32_t how;
} AscendMode;

/* Fields of the rows of a file with modes, in addition to the fields of the record. */
#define ASCEND_FIELD_MODE "mode"
#define ASCEND_FIELD_MIN "min"
#define ASCEND_FIELD_MAX "max"
#define ASCEND_FIELD_AVG "avg"

/* A file, or a part of its rows: a file with two forms of rows has two entries. */
typedef struct AscendFile {
    const char *file;
    const char *kind;
    const AscendColumn *columns;
    uint32_t n_columns;
    uint8_t generations;    /* 0: all */
    uint8_t levels;         /* 0: all */
    uint8_t flags;          /* ASCEND_FILE_* */
    uint8_t order;          /* ASCEND_ORDER_* */
    const char *only_field; /* only records that have `only_text` in this string field have a row */
    const char *only_text;
    const char *name_prefix; /* prefix that is added to a name when it is written, and removed when
                                it is read */
    const char *skip_prefix; /* records whose name has this prefix have no row */
    const char *first_name;  /* name of the first records with ASCEND_ORDER_FIRST_BEGIN */
    const AscendMode *modes; /* modes, if the rows summarise records; otherwise NULL */
    uint32_t n_modes;
} AscendFile;

extern const AscendFile ascend_files[];
extern const uint32_t n_ascend_files;

/* Writes the columns that the file has in this generation and level to `out`, and their entries to
 * `rows` (may be NULL). Both have room for STROBE_TABLE_COLUMNS_MAX entries. Returns the number of
 * columns. */
uint32_t ascend_file_columns(const AscendFile *file, int32_t generation, int32_t level,
                             StrobeColumn *out, const AscendColumn **rows);

/* Returns the column with this title in any generation, NULL if it is unknown. */
const AscendColumn *ascend_file_column(const AscendFile *file, const char *title, size_t length);

/* ascend_metric_title writes the title of a metric's column, for example "aic_mac_time(us)" for
 * "aic_mac_time", in at most `size` bytes. ascend_metric_of_title returns the metric of a column's
 * title, NULL if the title is not that of a metric. ascend_metric_form returns the format of the
 * cells of a metric's column. */
void ascend_metric_title(const char *metric, char *title, size_t size);
const char *ascend_metric_of_title(const char *title, size_t length, char *metric, size_t size);
uint32_t ascend_metric_form(const char *metric, int32_t generation);
/* Returns the factor by which a cell's number is multiplied to get the stored value: 1000 for
 * microseconds, otherwise 1. */
double ascend_metric_factor(const char *metric);

/* A set of metrics that are measured together (aic_metrics): names in the order of their
 * columns, joined by semicolons. */
typedef struct AscendMetricSet {
    const char *name;
    const char *metrics;
} AscendMetricSet;

extern const AscendMetricSet ascend_metric_sets[];
extern const uint32_t n_ascend_metric_sets;

/* Returns 0 for a metric that the execution unit in its name cannot have, otherwise 1. Databases
 * also contain metrics that no unit can have. */
int ascend_metric_is_possible(const char *metric);
/* Writes to `order` the indexes of those of the `n` names that have a column, in the order of the
 * columns: the order of `names`, or in G3 the order of their set. Returns the number of indexes. */
uint32_t ascend_metric_order(const char *const *names, uint32_t n, int32_t generation,
                             uint32_t *order);

#endif
