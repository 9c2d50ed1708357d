/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of the Ascend PyTorch Profiler as data: tables, columns, enumerations. Importers
 * and exporters use the same rows, as for the CSV files of ascend.h. */
#ifndef STROBE_FORMATS_ASCEND_DB_H
#define STROBE_FORMATS_ASCEND_DB_H

#include "ascend.h"

/* Content of a column. */
enum {
    ASCEND_DB_NUMBER = 0,     /* the field's number, unchanged */
    ASCEND_DB_TEXT = 1,       /* the field's text, unchanged */
    ASCEND_DB_STRING = 2,     /* id of the text in STRING_IDS */
    ASCEND_DB_ENUM = 3,       /* id of the text in the enumeration */
    ASCEND_DB_NS = 4,         /* a time since the epoch */
    ASCEND_DB_NS_TEXT = 5,    /* the same as text */
    ASCEND_DB_GLOBAL_TID = 6, /* pid << 32 | tid of the track */
    ASCEND_DB_GLOBAL_PID = 7, /* pid of the track */
    ASCEND_DB_SPECIAL = 8     /* by code: an assigned id, or a link to another table */
};

typedef struct AscendDbColumn {
    const char *name;  /* as in the table */
    const char *type;  /* as declared: "INTEGER", "NUMERIC", "INTEGER PRIMARY KEY" */
    const char *field; /* field of the kind, or STROBE_COLUMN_*; NULL for SPECIAL */
    uint8_t holds;     /* ASCEND_DB_* */
    uint8_t generations;
    const char *enumeration; /* table of an ENUM, without "ENUM_" */
    const char *absent; /* the text (STRING) or number (NUMBER) that means absent; NULL: none */
} AscendDbColumn;

typedef struct AscendDbTable {
    const char *name;
    const char *kind; /* NULL: made only by code */
    const AscendDbColumn *columns;
    uint32_t n_columns;
    uint8_t generations;
    uint8_t flags;         /* ASCEND_FILE_DERIVED; ASCEND_DB_FRAMEWORK */
    uint8_t is_analysis;   /* in analysis.db */
    const char *only_text; /* only records with this name have rows: read, write ... */
} AscendDbTable;

enum { ASCEND_DB_FRAMEWORK = 1u << 1 /* written by torch_npu: its style of CREATE TABLE */ };

extern const AscendDbTable ascend_db_tables[];
extern const uint32_t n_ascend_db_tables;

/* One entry of an enumeration table. */
typedef struct AscendDbEnum {
    const char *table; /* without "ENUM_" */
    int32_t id;
    uint8_t generations;
    const char *name;
} AscendDbEnum;

extern const AscendDbEnum ascend_db_enums[];
extern const uint32_t n_ascend_db_enums;

typedef struct AscendDbIndex {
    const char *name, *table, *columns;
} AscendDbIndex;

extern const AscendDbIndex ascend_db_indexes[];
extern const uint32_t n_ascend_db_indexes;

/* Returns 1 if the capture that a pass or exporter reads was imported from a database. Its rules
 * differ in places from those for the text files. */
int ascend_db_is_source(const StrobeConsumerHost *host, StrobeInstance *self);

/* The table of this name, NULL if it is not known. */
const AscendDbTable *ascend_db_table(const char *name);
/* The column with this name in the generation, otherwise in any; NULL if it is unknown. */
const AscendDbColumn *ascend_db_column(const AscendDbTable *table, const char *name,
                                       int32_t generation);
/* Name of an enumeration's id, NULL if there is none; the id of a name, -1 if there is none.
 * Looks in the generation first, then in any. */
const char *ascend_db_enum_name(const char *table, int64_t id, int32_t generation);
int32_t ascend_db_enum_id(const char *table, const char *name, int32_t generation);

#endif
