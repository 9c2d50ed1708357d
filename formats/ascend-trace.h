/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of trace_view.json as data: their names and positions, and the mapping of fields to
 * arguments. Importers and exporters use the same rows. */
#ifndef STROBE_FORMATS_ASCEND_TRACE_H
#define STROBE_FORMATS_ASCEND_TRACE_H

#include "ascend.h"

enum {
    ASCEND_LAYER_PYTHON = 0,
    ASCEND_LAYER_GC,
    ASCEND_LAYER_MSTX, /* named as the process */
    ASCEND_LAYER_CANN,
    ASCEND_LAYER_HARDWARE,
    ASCEND_LAYER_COMMUNICATION,
    ASCEND_LAYER_OVERLAP,
    ASCEND_LAYER_OS_CALL,
    ASCEND_LAYER_COUNTERS, /* events of phase C */
    ASCEND_LAYER_OTHER
};

typedef struct AscendLayer {
    uint32_t layer;
    const char *name;       /* process_name; NULL: the process's own */
    uint8_t generations;    /* generations that write this name */
    uint8_t is_device;      /* its label is NPU, otherwise CPU */
    int16_t sort_index;     /* in the newest generation */
    int16_t sort_index_old; /* in the oldest, -1: not there */
} AscendLayer;

extern const AscendLayer ascend_layers[];
extern const uint32_t n_ascend_layers;

/* How an argument's value is written. */
enum {
    ASCEND_ARG_INT = 0,
    ASCEND_ARG_FLOAT = 1,
    ASCEND_ARG_TEXT = 2,      /* a JSON string */
    ASCEND_ARG_LIST = 3,      /* a text with CR LF after each semicolon */
    ASCEND_ARG_STACK = 4,     /* frames, as LIST */
    ASCEND_ARG_YES_NO = 5,    /* 0 and 1 */
    ASCEND_ARG_INT_TEXT = 6,  /* a number in a JSON string */
    ASCEND_ARG_KB = 7,        /* bytes in units of 1024, a float */
    ASCEND_ARG_MB = 8,        /* bytes in units of 1024 * 1024, a float */
    ASCEND_ARG_PERCENT = 9,   /* percent as a fraction of 1 */
    ASCEND_ARG_WHOLE_MB = 10, /* as MB, an integer */
    ASCEND_ARG_US = 11,       /* ns as microseconds, a float */
    ASCEND_ARG_ZERO = 12,     /* always 0, because no field has it */
    ASCEND_ARG_SHORT = 13     /* a float; in older files an integer has no decimals */
};

typedef struct AscendArg {
    const char *key;
    const char *field; /* field of the kind; STROBE_COLUMN_*, or NULL: derived from others */
    uint8_t form;      /* ASCEND_ARG_* */
    uint8_t generations;
    uint8_t is_optional; /* left out when absent */
    const char *absent;  /* text of an absent value; NULL: omitted */
} AscendArg;

/* Events of one kind in one layer. */
typedef struct AscendEvents {
    uint32_t layer;
    const char *kind;
    const char *category;  /* "cat"; NULL: none */
    const AscendArg *args; /* in the order of writing */
    uint32_t n_args;
} AscendEvents;

extern const AscendEvents ascend_events[];
extern const uint32_t n_ascend_events;

/* One argument of a counter: one event for each sample, named after a record's name and number.
 * Successive rows with the same name are the arguments of one event. */
typedef struct AscendCounter {
    const char *layer; /* process_name */
    const char *name;  /* of the event; %n: the record's name, %i: its number in `index` */
    const char *kind;
    const char *only_name; /* records of this name only; NULL: all */
    const char *index;     /* field of the number; NULL: none. Absent or negative: no event */
    const char *key;       /* of the argument, with %n and %i as in the name */
    const char *field;     /* NULL: KB, the sum of ddr and hbm */
    uint8_t form;
    uint8_t generations;
    const char *without; /* only for records in which this field is absent or negative */
} AscendCounter;

extern const AscendCounter ascend_counters[];
extern const uint32_t n_ascend_counters;

/* The layer with this process_name in any generation, NULL if it is unknown. */
const AscendLayer *ascend_layer_by_name(const char *name);
/* The layer's row in a generation: two rows may describe one layer. */
const AscendLayer *ascend_layer_in(const AscendLayer *layer, int32_t generation);
const AscendEvents *ascend_events_of(uint32_t layer, const char *category);
const AscendArg *ascend_arg(const AscendEvents *events, const char *key);
/* The names of CANN's layers: "AscendCL" for "acl"; NULL if unknown. */
const char *ascend_api_prefix(const char *level, int32_t generation);

#endif
