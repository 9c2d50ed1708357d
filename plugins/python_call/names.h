/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of calls: `path(line): function`, with the line of the definition and the path relative to
 * its folder on sys.path, or `<built-in method append of list object>`.
 *
 * A name is found by the code object or, for a C function, by the function's definition (several
 * names may share a function) and the type of its object. The cache has references to these
 * objects, so that no other object can get their addresses. The cache has a fixed size, and is
 * emptied at the end of the window. The caller of each function must hold the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_NAMES_H
#define STROBE_PYTHON_CALL_NAMES_H

#include <strobe/collector.h>

#include "code-text.h"
#include "python-api.h"

/* Roles of a call. */
enum {
    CALL_PLAIN = 0,
    CALL_OF_MODULE = 1,   /* a call of a torch.nn.Module */
    CALL_OF_PROFILER = 2, /* a call that begins PyTorch's own profiler */
    CALL_OF_STROBE = 3    /* code of the package "strobe", which is not part of the program */
};

typedef struct CallName {
    PyObject *object; /* strong reference to the code, or to the owner of a C function */
    /* definition of a C function, used only for comparisons; NULL for code */
    const PyMethod *method;
    CodeText *text;    /* file and function of the code; NULL: out of memory */
    StrobeStringId id; /* 0: there is no lasting id */
    uint8_t role;      /* CALL_* */
} CallName;

/* Allocates the cache. Must be called before each window of the session. Returns 0 if out of
 * memory. */
int names_begin(const StrobeHost *host, StrobeInstance *self);
/* Drops the cache and all references. */
void names_end(void);

/* Return a name, which is valid until the next call of one of these functions. */
const CallName *names_of_code(PyObject *code);
const CallName *names_of_builtin(PyObject *function);

/* Make the text of the name again. Return an id that is valid only for the next record; 0: there is
 * no room. */
StrobeStringId names_code_again(PyObject *code);
StrobeStringId names_builtin_again(PyObject *function);

#endif
