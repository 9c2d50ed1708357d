/* SPDX-License-Identifier: Apache-2.0 */
#include "code-place.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/native-frame.h>
#include <unistd.h>

static char own_path[PATH_MAX]; /* path of the program's file */

void heap_code_place_prepare(void)
{
    ssize_t length = readlink("/proc/self/exe", own_path, sizeof own_path - 1);

    own_path[length > 0 ? length : 0] = '\0';
}

static size_t write_address(uintptr_t place, char *text, size_t size)
{
    int length = snprintf(text, size, "0x%lx", (unsigned long)place);

    return (size_t)length < size ? (size_t)length : size - 1;
}

#ifdef DLFO_EH_SEGMENT_TYPE /* glibc 2.35 or later */

/* Reads the build-id from the object's notes, which are loaded with the object. */
static void find_build_id(const struct dl_find_object *found, StrobeBuildId *build_id)
{
    const char *begin = found->dlfo_map_start, *end = found->dlfo_map_end;
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)(const void *)begin;
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(const void *)(begin + head->e_phoff);

    build_id->size = 0;
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof *headers ||
        head->e_phoff > (size_t)(end - begin) - head->e_phnum * sizeof *headers)
        return; /* the first bytes of the file are not loaded */
    for (int i = 0; i < head->e_phnum && build_id->size == 0; i++) {
        const char *notes =
            (const char *)(found->dlfo_link_map->l_addr + headers[i].p_vaddr); // NOLINT
        if (headers[i].p_type == PT_NOTE && notes >= begin && notes < end &&
            headers[i].p_memsz <= (size_t)(end - notes))
            strobe_build_id_find(notes, headers[i].p_memsz, build_id);
    }
}

/* Returns the object's path. The loader stores the name that was passed to it, so a relative path
 * is completed with the current directory. */
static const char *path_of(const struct link_map *map, char *buffer, size_t size)
{
    if (!map->l_name || !*map->l_name)
        return own_path;
    if (*map->l_name == '/' || !strchr(map->l_name, '/') || !getcwd(buffer, size))
        return map->l_name;
    size_t length = strlen(buffer);
    return snprintf(buffer + length, size - length, "/%s", map->l_name) < (int)(size - length)
               ? buffer
               : map->l_name;
}

size_t heap_code_place(uintptr_t place, char *text, size_t size)
{
    struct dl_find_object found;
    StrobeBuildId build_id;
    char buffer[512]; /* the thread may have a small stack */

    if (_dl_find_object((void *)place, &found) || !found.dlfo_link_map)
        return write_address(place, text, size);
    find_build_id(&found, &build_id);
    return strobe_native_frame_write(text, size,
                                     path_of(found.dlfo_link_map, buffer, sizeof buffer), &build_id,
                                     place - found.dlfo_link_map->l_addr);
}

int heap_code_place_is_known(void)
{
    return 1;
}

#else

size_t heap_code_place(uintptr_t place, char *text, size_t size)
{
    return write_address(place, text, size);
}

int heap_code_place_is_known(void)
{
    return 0;
}

#endif
