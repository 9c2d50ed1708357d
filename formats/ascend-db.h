/* SPDX-License-Identifier: Apache-2.0 */
/* The databases of the Ascend PyTorch Profiler as data: tables, columns, enumerations. Importers
 * and exporters use the same rows, as for the CSV files of ascend.h. */
#ifndef STROBE_FORMATS_ASCEND_DB_H
#define STROBE_FORMATS_ASCEND_DB_H

#include "ascend.h"

/* What a column contains. */
enum {
    ASCEND_DB_NUMBER = 0,     /* the field's number, unchanged */
    ASCEND_DB_TEXT = 1,       /* the field's text, unchanged */
    ASCEND_DB_STRING = 2,     /* id of the text in STRING_IDS */
    ASCEND_DB_ENUM = 3,       /* id of the text in the enumeration */
    ASCEND_DB_NS = 4,         /* a time since the epoch */
    ASCEND_DB_NS_TEXT = 5,    /* a time since the epoch, as text */
    ASCEND_DB_GLOBAL_TID = 6, /* pid << 32 | tid of the track */
    ASCEND_DB_GLOBAL_PID = 7, /* pid of the track */
    ASCEND_DB_SPECIAL = 8 /* code computes the value: a new id, or a reference to another table */
};

typedef struct AscendDbColumn {
    const char *name;  /* name of the column */
    const char *type;  /* type in CREATE TABLE: "INTEGER", "NUMERIC", "INTEGER PRIMARY KEY" */
    const char *field; /* field of the kind, or STROBE_COLUMN_*; NULL for SPECIAL */
    uint8_t holds;     /* ASCEND_DB_* */
    uint8_t generations;
    const char *enumeration; /* table of an ENUM, without "ENUM_" */
    const char *absent; /* the text (STRING) or number (NUMBER) that means absent; NULL: none */
} AscendDbColumn;

typedef struct AscendDbTable {
    const char *name;
    const char *kind; /* NULL: only code makes the rows */
    const AscendDbColumn *columns;
    uint32_t n_columns;
    uint8_t generations;
    uint8_t flags;         /* ASCEND_FILE_DERIVED; ASCEND_DB_FRAMEWORK */
    uint8_t is_analysis;   /* 1: the table is in analysis.db */
    const char *only_text; /* only records with this name have rows, such as read, write */
} AscendDbTable;

/* torch_npu writes the table, so its CREATE TABLE has another style */
enum { ASCEND_DB_FRAMEWORK = 1u << 1 };

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

/* Returns 1 if the capture that a pass or exporter reads was imported from a database. Some rules
 * for databases differ from those for text files. */
int ascend_db_is_source(const StrobeConsumerHost *host, StrobeInstance *self);

/* Returns the table with this name, NULL if it is unknown. */
const AscendDbTable *ascend_db_table(const char *name);
/* Returns the column with this name in the generation, or else in any generation; NULL if it is
 * unknown. */
const AscendDbColumn *ascend_db_column(const AscendDbTable *table, const char *name,
                                       int32_t generation);
/* The first function returns the name of the enumeration's entry with this id, NULL if there is
 * none; the second, the id of the entry with this name, -1 if there is none. Both prefer an entry
 * of the generation to an entry of another generation. */
const char *ascend_db_enum_name(const char *table, int64_t id, int32_t generation);
int32_t ascend_db_enum_id(const char *table, const char *name, int32_t generation);

#endif
