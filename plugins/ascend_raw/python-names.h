/* SPDX-License-Identifier: Apache-2.0 */
/* Reads torch.python_tracer_hash, which contains the names for the keys of calls. */
#ifndef STROBE_ASCEND_RAW_PYTHON_NAMES_H
#define STROBE_ASCEND_RAW_PYTHON_NAMES_H

#include "ascend-raw-emit.h"

#define PYTHON_NAMES_MAX (4u << 20)
#define NO_MODULE G_MAXUINT32

typedef struct PythonName {
    guint64 key;
    StrobeStringId text; /* the name; for a module, the name of its class */
    guint32 module;      /* number of the pair of class and address; NO_MODULE: none */
} PythonName;

typedef struct PythonNames PythonNames;

PythonNames *python_names_new(Raw *raw);
void python_names_free(PythonNames *names);

/* Returns the name for the key; NULL: the file has none. */
const PythonName *python_names_find(const PythonNames *names, guint64 key);
/* Returns the name of a module's class; valid as long as `names`. */
const char *python_names_class(const PythonNames *names, guint32 module);

#endif
