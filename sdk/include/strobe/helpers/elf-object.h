/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object that the dynamic loader has loaded, as its dynamic section describes it. Read from
 * within dl_iterate_phdr, which keeps the object there and does not take the lock that dlopen and
 * dlsym take: a constructor that waits for the calling thread holds that one. libc only. Since
 * 1.0.
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
    size_t by_plt_size, others_size, n_relative; /* relative ones come first */
    const uint32_t *gnu_hash, *hash;             /* each may be NULL */
} StrobeElfObject;

/* Reads the object's description of itself; keeps `info`. Returns 0 if the object has no names. */
int strobe_elf_object_read(StrobeElfObject *object, const struct dl_phdr_info *info);

/* The address of a function or variable that the object defines and shows to others; NULL: none of
 * that name, or one that only the loader can find (an indirect function, thread-local). */
void *strobe_elf_object_symbol(const StrobeElfObject *object, const char *name);

#if defined(__cplusplus)
}
#endif

#endif
