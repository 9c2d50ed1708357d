/* SPDX-License-Identifier: Apache-2.0 */
/* Kineto's traces as data: the kind for each category, and the mapping of arguments to fields.
 * Importers and exporters use the same rows. */
#ifndef STROBE_FORMATS_KINETO_H
#define STROBE_FORMATS_KINETO_H

#include <stddef.h>
#include <stdint.h>

/* Prefix of fields that Kineto's events have in addition to the standard kinds. */
#define KINETO_OURS "chrome_trace."

/* Forms of arguments. */
enum {
    KINETO_NUMBER,    /* a number in the form of the field's type */
    KINETO_TEXT,      /* a string */
    KINETO_JSON,      /* JSON, unchanged */
    KINETO_SHAPES,    /* [[2, 3], []] in the trace, "2,3;" in the field */
    KINETO_TYPES,     /* ["a", "b"] in the trace, "a;b" in the field */
    KINETO_DIMENSION, /* [1, 2, 3] in the trace, "1,2,3" in the field */
    KINETO_STACK,     /* frames, innermost first, joined by ';' */
    KINETO_SEQUENCE,  /* a number, omitted if it is negative */
    KINETO_FORWARD,   /* a number, omitted if there is no sequence number */
    KINETO_PARENT,    /* a number, null for 0 */
    KINETO_DEVICE,    /* the number of the track's device */
    KINETO_STREAM     /* the number of the track */
};

typedef struct KinetoArg {
    const char *key;
    const char *field; /* NULL: the value is derived from the track */
    uint8_t form;      /* KINETO_* */
    uint8_t is_old;    /* 1: this argument is only read; another row writes the field */
} KinetoArg;

/* Events of one kind. */
typedef struct KinetoEvents {
    const char *kind;
    const KinetoArg *args; /* arguments in the order in which they are written */
    uint32_t n_args;
} KinetoEvents;

extern const KinetoEvents kineto_events[];
extern const uint32_t n_kineto_events;

/* Returns the events of a kind; NULL if the kind has no events. */
const KinetoEvents *kineto_events_of(const char *kind);
/* Returns the kind of the spans of a category, whose case is ignored; NULL if the category is
 * unknown. */
const char *kineto_kind_of(const char *category, size_t length);

#endif
