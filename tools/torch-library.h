/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the PyTorch of a Python interpreter by its files, without importing it. */
#ifndef STROBE_TOOLS_TORCH_LIBRARY_H
#define STROBE_TOOLS_TORCH_LIBRARY_H

#include <glib.h>

#define STROBE_TORCH_ID_SIZE 17

typedef struct StrobeTorch {
    char *version;        /* for example "2.1.0" */
    char *home;           /* path of the package's folder */
    char *library;        /* path of libtorch_cpu.so */
    gboolean has_old_abi; /* compiled with _GLIBCXX_USE_CXX11_ABI=0 */
    /* 16 characters: the first ones of the library's GNU build id or, if there is none, "size" and
     * the file's size in hex */
    char id[STROBE_TORCH_ID_SIZE];
} StrobeTorch;

/* Runs the interpreter `python` to find the path of its package torch (free it). NULL with an error
 * or, if the interpreter has no PyTorch, without an error. */
char *strobe_torch_ask(const char *python, GError **error);

/* Reads the properties of the PyTorch in the package's folder `home`. The caller must clear `torch`
 * even after a failure. */
gboolean strobe_torch_read(const char *home, StrobeTorch *torch, GError **error);
void strobe_torch_clear(StrobeTorch *torch);

#endif
