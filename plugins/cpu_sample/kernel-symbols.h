/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions of the running kernel by address, from /proc/kallsyms. One thread at a time. */
#ifndef STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H
#define STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct KernelSymbols KernelSymbols;

/* Opens the file. It is read in parts, because reading all of it takes some hundred milliseconds.
 * NULL: no memory. */
KernelSymbols *kernel_symbols_open(const char *path);
/* Reads the next part, which takes some milliseconds. 1: everything is read; 0: call again. */
int kernel_symbols_read(KernelSymbols *symbols);
void kernel_symbols_free(KernelSymbols *symbols);

/* Writes "function (kernel)" or "function (module)"; "kernel" if the function is unknown because
 * the file cannot be read or hides the addresses. */
void kernel_symbols_name(const KernelSymbols *symbols, uint64_t address, char *text, size_t size);

#endif
