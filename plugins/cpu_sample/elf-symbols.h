/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of an ELF file's symbols by their names, for few names. The file may hold anything. */
#ifndef STROBE_CPU_SAMPLE_ELF_SYMBOLS_H
#define STROBE_CPU_SAMPLE_ELF_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/* Looks `n` names up among the symbols that the file defines, those for the linker at run time
 * first. An address is as the file's program headers count it; 0: there is no such symbol. Returns
 * how many there are. */
size_t elf_symbols_find(int file, const char *const *names, uint64_t *addresses, size_t n);

#endif
