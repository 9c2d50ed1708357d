/* SPDX-License-Identifier: Apache-2.0 */
#include "elf-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define SEGMENTS_MAX 64
#define NOTES_MAX 65536

#if __SIZEOF_POINTER__ == 8
#define OWN_CLASS ELFCLASS64
#else
#define OWN_CLASS ELFCLASS32
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_DATA ELFDATA2LSB
#else
#define OWN_DATA ELFDATA2MSB
#endif

/* Returns the machine type (e_machine) in the file of this program, which is that of this
 * machine. */
static guint16 own_machine(void)
{
    static guint16 machine;
    ElfW(Ehdr) head;
    int file = machine ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    if (file >= 0) {
        if (pread(file, &head, sizeof head, 0) == (ssize_t)sizeof head)
            machine = head.e_machine;
        close(file);
    }
    return machine;
}

static void read_interpreter(int file, const ElfW(Phdr) * segment, StrobeElfFile *answer)
{
    gsize length = MIN(segment->p_filesz, sizeof answer->interpreter - 1);
    ssize_t got = pread(file, answer->interpreter, length, (off_t)segment->p_offset);

    answer->interpreter[got > 0 ? got : 0] = '\0';
}

/* Finds NT_GNU_BUILD_ID among the notes of one segment. */
static void read_notes(int file, const ElfW(Phdr) * segment, StrobeElfFile *answer)
{
    gsize size = MIN(segment->p_filesz, NOTES_MAX);
    g_autofree char *notes = g_malloc(size + 1);
    ssize_t got = pread(file, notes, size, (off_t)segment->p_offset);
    gsize at = 0, align = segment->p_align == 8 ? 8 : 4;
    ElfW(Nhdr) note;

    while (got > 0 && at + sizeof note <= (gsize)got) {
        memcpy(&note, notes + at, sizeof note);
        gsize name = at + sizeof note;
        gsize text = name + ((note.n_namesz + (align - 1)) & ~(align - 1));
        gsize end = text + ((note.n_descsz + (align - 1)) & ~(align - 1));
        if (text < name || end < text || text + note.n_descsz > (gsize)got)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            for (guint i = 0; i < MIN(note.n_descsz, 20); i++)
                g_snprintf(answer->build_id + 2 * i, 3, "%02x", (guint8)notes[text + i]);
            return;
        }
        at = end;
    }
}

static void read_segments(int file, const ElfW(Ehdr) * head, StrobeElfFile *answer)
{
    ElfW(Phdr) segment;

    for (guint i = 0; i < MIN(head->e_phnum, SEGMENTS_MAX); i++) {
        off_t offset = (off_t)(head->e_phoff + (guint64)i * head->e_phentsize);
        if (pread(file, &segment, sizeof segment, offset) != (ssize_t)sizeof segment)
            return;
        if (segment.p_type == PT_INTERP)
            read_interpreter(file, &segment, answer);
        else if (segment.p_type == PT_NOTE && !answer->build_id[0])
            read_notes(file, &segment, answer);
    }
}

gboolean strobe_elf_read(const char *path, StrobeElfFile *answer, GError **error)
{
    ElfW(Ehdr) head = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    memset(answer, 0, sizeof *answer);
    if (file < 0) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "Cannot read \"%s\": %s",
                    path, g_strerror(errno));
        return FALSE;
    }
    ssize_t got = pread(file, &head, sizeof head, 0);
    answer->is_elf = got >= EI_NIDENT && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    answer->is_native = answer->is_elf && got == (ssize_t)sizeof head &&
                        head.e_ident[EI_CLASS] == OWN_CLASS && head.e_ident[EI_DATA] == OWN_DATA &&
                        head.e_machine == own_machine();
    if (answer->is_native)
        read_segments(file, &head, answer);
    close(file);
    return TRUE;
}
