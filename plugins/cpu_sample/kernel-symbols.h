/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the running kernel by address, from /proc/kallsyms. One thread at a time. */
#ifndef STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H
#define STROBE_CPU_SAMPLE_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct KernelSymbols KernelSymbols;

/* Reads the file, which takes some tens of milliseconds. NULL: it cannot be read, or hides the
 * addresses. */
KernelSymbols *kernel_symbols_read(const char *path);
void kernel_symbols_free(KernelSymbols *symbols);

/* Writes "function (kernel)", or "function (module)"; "kernel" where it is not known, also with
 * NULL. */
void kernel_symbols_name(const KernelSymbols *symbols, uint64_t address, char *text, size_t size);

#endif
