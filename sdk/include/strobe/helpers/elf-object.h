/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object that the dynamic loader has loaded, as its dynamic section describes it. Call these
 * functions from within dl_iterate_phdr, which keeps the object loaded. dl_iterate_phdr does not
 * take the lock of dlopen and dlsym, which a constructor may hold while it waits for the calling
 * thread. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_ELF_OBJECT_H
#define STROBE_HELPERS_ELF_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeElfObject {
    const struct dl_phdr_info *info;
    const ElfW(Sym) * symbols;
    const char *names;
    size_t names_size;
    const ElfW(Rela) * by_plt, *others;
    size_t by_plt_size, others_size, n_relative; /* relative relocations are first in `others` */
    const uint32_t *gnu_hash, *hash;             /* each may be NULL */
} StrobeElfObject;

/* Fills *object from the object's dynamic section; keeps the pointer `info`. Returns 0 if the
 * object has no symbol table. */
int strobe_elf_object_read(StrobeElfObject *object, const struct dl_phdr_info *info);

/* Returns the address of a function or variable that the object exports. NULL: the object exports
 * no such name, or only the loader can find the address, as for an indirect function or a
 * thread-local variable. */
void *strobe_elf_object_symbol(const StrobeElfObject *object, const char *name);

#if defined(__cplusplus)
}
#endif

#endif
