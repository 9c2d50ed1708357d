/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the addresses of a few symbols of an ELF file by name. The file may have any contents. */
#ifndef STROBE_CPU_SAMPLE_ELF_SYMBOLS_H
#define STROBE_CPU_SAMPLE_ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Looks up `n` names among the symbols that the file defines, first in the dynamic symbol table.
 * Sets `addresses` to their addresses in the file's program headers (not relocated); 0: there is no
 * such symbol. Returns how many symbols were found. */
size_t elf_symbols_find(int file, const char *const *names, uint64_t *addresses, size_t n);

#endif
