/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/elf-object.h>

#include <string.h>

/* Converts an address in the dynamic section to a pointer. The loader has already added the
 * object's base to these addresses, except in an object that the kernel maps (the vDSO). */
static const void *resolve_address(const StrobeElfObject *object, ElfW(Addr) address)
{
    ElfW(Addr) base = object->info->dlpi_addr;
    return (const void *)(address < base ? base + address : address); // NOLINT
}

static void read_entry(StrobeElfObject *object, const ElfW(Dyn) * entry)
{
    switch (entry->d_tag) {
    case DT_SYMTAB:
        object->symbols = resolve_address(object, entry->d_un.d_ptr);
        break;
    case DT_STRTAB:
        object->names = resolve_address(object, entry->d_un.d_ptr);
        break;
    case DT_STRSZ:
        object->names_size = entry->d_un.d_val;
        break;
    case DT_JMPREL:
        object->by_plt = resolve_address(object, entry->d_un.d_ptr);
        break;
    case DT_PLTRELSZ:
        object->by_plt_size = entry->d_un.d_val;
        break;
    case DT_RELA:
        object->others = resolve_address(object, entry->d_un.d_ptr);
        break;
    case DT_RELASZ:
        object->others_size = entry->d_un.d_val;
        break;
    case DT_RELACOUNT:
        object->n_relative = entry->d_un.d_val;
        break;
    case DT_GNU_HASH:
        object->gnu_hash = resolve_address(object, entry->d_un.d_ptr);
        break;
    case DT_HASH:
        object->hash = resolve_address(object, entry->d_un.d_ptr);
        break;
    default:
        break;
    }
}

int strobe_elf_object_read(StrobeElfObject *object, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *entry = NULL;

    *object = (StrobeElfObject){.info = info};
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = resolve_address(object, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++)
        read_entry(object, entry);
    return object->symbols && object->names;
}

static int is_it(const StrobeElfObject *object, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &object->symbols[i];
    unsigned type = ELF64_ST_TYPE(symbol->st_info);

    return symbol->st_shndx != SHN_UNDEF && symbol->st_name < object->names_size &&
           (type == STT_FUNC || type == STT_OBJECT) &&
           strcmp(object->names + symbol->st_name, name) == 0;
}

/* Finds a symbol in the table of the section .gnu.hash. The symbols of a bucket are consecutive,
 * and the hash of the last symbol has its lowest bit set. */
static uint32_t find_by_gnu_hash(const StrobeElfObject *object, const char *name)
{
    const uint32_t *table = object->gnu_hash, n_buckets = table[0], first = table[1];
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *hashes = buckets + n_buckets;
    uint32_t hash = 5381;

    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint32_t i = n_buckets ? buckets[hash % n_buckets] : 0;
    for (; i >= first && i; i++) {
        if ((hashes[i - first] | 1) == (hash | 1) && is_it(object, i, name))
            return i;
        if (hashes[i - first] & 1)
            break;
    }
    return 0;
}

static uint32_t find_by_hash(const StrobeElfObject *object, const char *name)
{
    for (uint32_t i = 1; i < object->hash[1]; i++)
        if (is_it(object, i, name))
            return i;
    return 0;
}

void *strobe_elf_object_symbol(const StrobeElfObject *object, const char *name)
{
    uint32_t i = 0;

    if (object->gnu_hash)
        i = find_by_gnu_hash(object, name);
    else if (object->hash)
        i = find_by_hash(object, name);
    return i ? (void *)(object->info->dlpi_addr + object->symbols[i].st_value) : NULL; // NOLINT
}
