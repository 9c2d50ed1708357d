/* SPDX-License-Identifier: Apache-2.0 */
#include "code-place.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#ifdef DLFO_EH_SEGMENT_TYPE /* glibc 2.35 */

/* What a loaded object says of its functions. */
typedef struct Object {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash, *hash;
} Object;

typedef struct Nearest {
    uintptr_t place; /* within the object */
    const ElfW(Sym) * symbol;
} Nearest;

/* The loader puts addresses into this table, but not in those objects that it may not write to. */
static const void *table_at(const Object *object, const ElfW(Dyn) * entry)
{
    uintptr_t at = entry->d_un.d_ptr;
    return (const void *)(at < object->base ? object->base + at : at);
}

static Object describe(const struct link_map *map)
{
    Object object = {.base = map->l_addr};

    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB)
            object.symbols = table_at(&object, entry);
        else if (entry->d_tag == DT_STRTAB)
            object.names = table_at(&object, entry);
        else if (entry->d_tag == DT_GNU_HASH)
            object.gnu_hash = table_at(&object, entry);
        else if (entry->d_tag == DT_HASH)
            object.hash = table_at(&object, entry);
    }
    return object;
}

static void look_at(Nearest *nearest, const ElfW(Sym) * symbol)
{
    uintptr_t begin = symbol->st_value, end = begin + symbol->st_size;
    int type = symbol->st_info & 15;

    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || type == STT_TLS)
        return;
    if (nearest->place < begin || nearest->place >= (end > begin ? end : begin + 1))
        return;
    if (!nearest->symbol || nearest->symbol->st_value < begin)
        nearest->symbol = symbol;
}

/* A chain ends with a symbol whose hash has the lowest bit set; buckets name the first of each. */
static void look_at_hashed(const Object *object, Nearest *nearest)
{
    const uint32_t *head = object->gnu_hash;
    uint32_t n_buckets = head[0], first = head[1], n_words = head[2];
    const uint32_t *buckets = head + 4 + n_words * (sizeof(ElfW(Addr)) / 4);
    const uint32_t *chains = buckets + n_buckets;

    for (uint32_t i = 0; i < n_buckets; i++) {
        uint32_t at = buckets[i];
        if (at < first)
            continue;
        do
            look_at(nearest, &object->symbols[at]);
        while (!(chains[at++ - first] & 1));
    }
}

static const char *function_at(const struct link_map *map, uintptr_t place)
{
    Object object = describe(map);
    Nearest nearest = {.place = place - object.base};

    if (!object.symbols || !object.names)
        return NULL;
    if (object.gnu_hash)
        look_at_hashed(&object, &nearest);
    else if (object.hash)
        for (uint32_t i = 0; i < object.hash[1]; i++)
            look_at(&nearest, &object.symbols[i]);
    return nearest.symbol ? object.names + nearest.symbol->st_name : NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int describe_place(uintptr_t place, char *text, size_t size)
{
    struct dl_find_object found;

    if (_dl_find_object((void *)place, &found) || !found.dlfo_link_map)
        return snprintf(text, size, "0x%lx", (unsigned long)place);
    const struct link_map *map = found.dlfo_link_map;
    const char *path = map->l_name && *map->l_name ? map->l_name : program_invocation_name;
    const char *function = function_at(map, place);
    if (function)
        return snprintf(text, size, "%s (%s)", function, last_part(path));
    return snprintf(text, size, "%s+0x%lx", last_part(path), (unsigned long)(place - map->l_addr));
}

int heap_code_place_is_known(void)
{
    return 1;
}

#else

static int describe_place(uintptr_t place, char *text, size_t size)
{
    return snprintf(text, size, "0x%lx", (unsigned long)place);
}

int heap_code_place_is_known(void)
{
    return 0;
}

#endif

size_t heap_code_place(uintptr_t place, char *text, size_t size)
{
    int length = describe_place(place, text, size);

    if (length < 0)
        return 0;
    return (size_t)length < size ? (size_t)length : size - 1;
}
