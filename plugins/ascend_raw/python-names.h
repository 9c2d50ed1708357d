/* SPDX-License-Identifier: Apache-2.0 */
/* torch.python_tracer_hash: what the keys of calls stand for. */
#ifndef STROBE_ASCEND_RAW_PYTHON_NAMES_H
#define STROBE_ASCEND_RAW_PYTHON_NAMES_H

#include "ascend-raw-emit.h"

#define PYTHON_NAMES_MAX (4u << 20)
#define NO_MODULE G_MAXUINT32

typedef struct PythonName {
    guint64 key;
    StrobeStringId text; /* of a module: its class */
    guint32 module;      /* number of the class and address, NO_MODULE: none */
} PythonName;

typedef struct PythonNames PythonNames;

PythonNames *python_names_new(Raw *raw);
void python_names_free(PythonNames *names);

/* NULL if the file does not tell. */
const PythonName *python_names_find(const PythonNames *names, guint64 key);
/* Bytes of a class's name; valid while the names are. */
const char *python_names_class(const PythonNames *names, guint32 module);

#endif
