/* SPDX-License-Identifier: Apache-2.0 */
/* Finds functions of the running kernel by address, from /proc/kallsyms. Only one thread at a time
 * may use the symbols. */
#ifndef STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H
#define STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct KernelSymbols KernelSymbols;

/* Opens the file. kernel_symbols_read then reads it in parts, because reading the whole file takes
 * some hundred milliseconds. Returns NULL if out of memory. */
KernelSymbols *kernel_symbols_open(const char *path);
/* Reads the next part, which takes some milliseconds. Returns 1 if all symbols have been read; 0:
 * the caller must call it again. */
int kernel_symbols_read(KernelSymbols *symbols);
void kernel_symbols_free(KernelSymbols *symbols);

/* Writes "function (kernel)" or "function (module)". Writes "kernel" if the function is unknown
 * because the file cannot be read or hides the addresses. */
void kernel_symbols_name(const KernelSymbols *symbols, uint64_t address, char *text, size_t size);

#endif
