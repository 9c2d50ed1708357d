/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of calls: `path(line): function` with the line of the definition and the path relative
 * to its folder on sys.path, or `<built-in method append of list object>`.
 *
 * A name is found by the code object, or by the definition of the C function (several names may
 * share a function) and the type of its object. The cache holds references to these objects, so
 * that no address can get another meaning. It is bounded, and emptied with the window. Call with
 * the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_NAMES_H
#define STROBE_PYTHON_CALL_NAMES_H

#include <strobe/collector.h>

#include "code-text.h"
#include "python-api.h"

/* Further meaning of a call. */
enum {
    CALL_PLAIN = 0,
    CALL_OF_MODULE = 1,   /* of torch.nn.Module */
    CALL_OF_PROFILER = 2, /* PyTorch's own profiler begins */
    CALL_OF_STROBE = 3    /* code of the package "strobe", which is no part of the program */
};

typedef struct CallName {
    PyObject *object;       /* strong: the code, or what a C function belongs to */
    const PyMethod *method; /* of a C function, only compared; NULL for code */
    CodeText *text;         /* of code; NULL: there was no memory */
    StrobeStringId id;      /* 0: there is no lasting one */
    uint8_t role;           /* CALL_* */
} CallName;

/* Before a window of this session: makes room. 0: no memory. */
int names_begin(const StrobeHost *host, StrobeInstance *self);
/* Drops all references and what is known. */
void names_end(void);

/* Valid until the next call. */
const CallName *names_of_code(PyObject *code);
const CallName *names_of_builtin(PyObject *function);

/* Ids for the next record only, made from the start; 0: no room. */
StrobeStringId names_code_again(PyObject *code);
StrobeStringId names_builtin_again(PyObject *function);

#endif
