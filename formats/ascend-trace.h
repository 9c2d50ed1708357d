/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of trace_view.json as data: their names and positions, and the mapping of fields to
 * arguments. Importers and exporters use the same rows. */
#ifndef STROBE_FORMATS_ASCEND_TRACE_H
#define STROBE_FORMATS_ASCEND_TRACE_H

#include "ascend.h"

enum {
    ASCEND_LAYER_PYTHON = 0,
    ASCEND_LAYER_GC,
    ASCEND_LAYER_MSTX, /* the layer's name is that of the process */
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
    const char *name;    /* process_name; NULL: the name of the process */
    uint8_t generations; /* generations that write this name */
    uint8_t is_device;   /* 1: the layer's label is NPU; 0: CPU */
    int16_t sort_index;  /* position in the newest generation */
    /* position in the oldest generation, -1: the layer does not exist there */
    int16_t sort_index_old;
} AscendLayer;

extern const AscendLayer ascend_layers[];
extern const uint32_t n_ascend_layers;

/* How an argument's value is written. */
enum {
    ASCEND_ARG_INT = 0,
    ASCEND_ARG_FLOAT = 1,
    ASCEND_ARG_TEXT = 2,      /* a JSON string */
    ASCEND_ARG_LIST = 3,      /* a text with CR LF after each semicolon */
    ASCEND_ARG_STACK = 4,     /* frames, in the form of LIST */
    ASCEND_ARG_YES_NO = 5,    /* "yes" or "no" */
    ASCEND_ARG_INT_TEXT = 6,  /* a number in a JSON string */
    ASCEND_ARG_KB = 7,        /* bytes in units of 1024, a float */
    ASCEND_ARG_MB = 8,        /* bytes in units of 1024 * 1024, a float */
    ASCEND_ARG_PERCENT = 9,   /* percent as a fraction of 1 */
    ASCEND_ARG_WHOLE_MB = 10, /* like MB, but an integer */
    ASCEND_ARG_US = 11,       /* ns as microseconds, a float */
    ASCEND_ARG_ZERO = 12,     /* always 0, because no field has it */
    ASCEND_ARG_SHORT = 13 /* a float; in older files a whole number is written without decimals */
};

typedef struct AscendArg {
    const char *key;
    const char *field; /* field of the kind, or STROBE_COLUMN_*; NULL: derived from other fields */
    uint8_t form;      /* ASCEND_ARG_* */
    uint8_t generations;
    uint8_t is_optional; /* 1: the argument is omitted if its value is absent */
    const char *absent;  /* text of an absent value; NULL: the argument is omitted */
} AscendArg;

/* Events of one kind in one layer. */
typedef struct AscendEvents {
    uint32_t layer;
    const char *kind;
    const char *category;  /* "cat"; NULL: none */
    const AscendArg *args; /* arguments in the order in which they are written */
    uint32_t n_args;
} AscendEvents;

extern const AscendEvents ascend_events[];
extern const uint32_t n_ascend_events;

/* One argument of a counter. A counter has one event for each sample, whose name is made from the
 * record's name and number. Successive rows with the same name are the arguments of one event. */
typedef struct AscendCounter {
    const char *layer; /* process_name */
    const char *name; /* name of the event, in which %n is the record's name and %i the value of the
                         field `index` */
    const char *kind;
    const char *only_name; /* only records with this name have events; NULL: all */
    const char *index; /* field with the number %i; NULL: none. If the field is absent or negative,
                          there is no event */
    const char *key;   /* name of the argument, with %n and %i as in `name` */
    const char *field; /* field of the value; NULL: the sum of ddr and hbm, in KB */
    uint8_t form;
    uint8_t generations;
    const char *without; /* only records in which this field is absent or negative have events */
} AscendCounter;

extern const AscendCounter ascend_counters[];
extern const uint32_t n_ascend_counters;

/* Returns the layer with this process_name in any generation, NULL if it is unknown. */
const AscendLayer *ascend_layer_by_name(const char *name);
/* Returns the row that describes the layer in this generation: one layer may have two rows. */
const AscendLayer *ascend_layer_in(const AscendLayer *layer, int32_t generation);
const AscendEvents *ascend_events_of(uint32_t layer, const char *category);
const AscendArg *ascend_arg(const AscendEvents *events, const char *key);
/* Returns the name of a layer of CANN, such as "AscendCL" for "acl"; NULL if it is unknown. */
const char *ascend_api_prefix(const char *level, int32_t generation);

#endif
