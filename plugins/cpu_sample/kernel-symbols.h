/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the running kernel by address, from /proc/kallsyms. One thread at a time. */
#ifndef STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H
#define STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct KernelSymbols KernelSymbols;

/* The whole file takes some hundred milliseconds. NULL: no memory. */
KernelSymbols *kernel_symbols_open(const char *path);
/* Reads some milliseconds of it. 1: all is read; 0: call again. */
int kernel_symbols_read(KernelSymbols *symbols);
void kernel_symbols_free(KernelSymbols *symbols);

/* Writes "function (kernel)", or "function (module)"; "kernel" where it is not known: the
 * file cannot be read, or hides the addresses. */
void kernel_symbols_name(const KernelSymbols *symbols, uint64_t address, char *text, size_t size);

#endif
