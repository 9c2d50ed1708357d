/* SPDX-License-Identifier: Apache-2.0 */
#include "elf-symbols.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECTIONS_MAX 4096
#define TABLE_MAX (64u << 20)

typedef struct Search {
    int file;
    const char *const *names;
    uint64_t *addresses;
    size_t n, n_found;
} Search;

static void *read_table(int file, uint64_t offset, uint64_t size)
{
    char *table = size > 0 && size <= TABLE_MAX ? malloc(size) : NULL;

    if (table && pread(file, table, size, (off_t)offset) == (ssize_t)size)
        return table;
    free(table);
    return NULL;
}

static void take_symbol(Search *search, const ElfW(Sym) * symbol, const char *name)
{
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0)
        return;
    for (size_t i = 0; i < search->n; i++)
        if (search->addresses[i] == 0 && strcmp(search->names[i], name) == 0) {
            search->addresses[i] = symbol->st_value;
            search->n_found++;
        }
}

/* Searches one symbol table. Ignores a string table that does not end with a zero byte. */
static void search_section(Search *search, const ElfW(Shdr) * section, const ElfW(Shdr) * texts)
{
    ElfW(Sym) *symbols = read_table(search->file, section->sh_offset, section->sh_size);
    char *names = read_table(search->file, texts->sh_offset, texts->sh_size);

    if (symbols && names && names[texts->sh_size - 1] == 0)
        for (size_t i = 0; i < section->sh_size / sizeof *symbols; i++)
            if (symbols[i].st_name < texts->sh_size)
                take_symbol(search, &symbols[i], names + symbols[i].st_name);
    free(symbols);
    free(names);
}

static void search_sections(Search *search, const ElfW(Shdr) * sections, size_t n, uint32_t type)
{
    for (size_t i = 0; i < n && search->n_found < search->n; i++)
        if (sections[i].sh_type == type && sections[i].sh_link < n)
            search_section(search, &sections[i], &sections[sections[i].sh_link]);
}

size_t elf_symbols_find(int file, const char *const *names, uint64_t *addresses, size_t n)
{
    Search search = {.file = file, .names = names, .addresses = addresses, .n = n};
    ElfW(Ehdr) head;
    ElfW(Shdr) * sections;

    memset(addresses, 0, n * sizeof *addresses);
    if (pread(file, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        head.e_shentsize != sizeof *sections || head.e_shnum > SECTIONS_MAX)
        return 0;
    sections = read_table(file, head.e_shoff, head.e_shnum * sizeof *sections);
    if (!sections)
        return 0;
    search_sections(&search, sections, head.e_shnum, SHT_DYNSYM);
    search_sections(&search, sections, head.e_shnum, SHT_SYMTAB);
    free(sections);
    return search.n_found;
}
