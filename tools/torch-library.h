/* SPDX-License-Identifier: Apache-2.0 */
/* The PyTorch of a Python interpreter, found by its files: nothing is imported. */
#ifndef STROBE_TOOLS_TORCH_LIBRARY_H
#define STROBE_TOOLS_TORCH_LIBRARY_H

#include <glib.h>

#define STROBE_TORCH_ID_SIZE 17

typedef struct StrobeTorch {
    char *version;        /* "2.1.0" */
    char *home;           /* the folder of the package */
    char *library;        /* .../libtorch_cpu.so */
    gboolean has_old_abi; /* compiled with _GLIBCXX_USE_CXX11_ABI=0 */
    /* 16 characters: the head of the library's GNU build-id, or "size" and the file's size in hex
     */
    char id[STROBE_TORCH_ID_SIZE];
} StrobeTorch;

/* Asks the interpreter for the path of its package torch (free it); NULL without an error: it
 * has none. */
char *strobe_torch_ask(const char *python, GError **error);

/* Reads the PyTorch in a package's folder. Clear it, also after a failure. */
gboolean strobe_torch_read(const char *home, StrobeTorch *torch, GError **error);
void strobe_torch_clear(StrobeTorch *torch);

#endif
