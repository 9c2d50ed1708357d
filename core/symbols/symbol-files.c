/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol-files.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 32 /* maximum number of open files */
#define DEBUG_FOLDER "/usr/lib/debug"

typedef struct SymbolFile {
    char *path; /* NULL: an unused entry */
    StrobeBuildId build_id;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: neither the object nor its debug file was found */
    GElf_Addr bias;      /* difference between addresses in libdw and in the file */
} SymbolFile;

static SymbolFile files[FILES_MAX];
static unsigned next_file;

/* Where libdw looks for debug files by build-id; it fetches nothing from a server. */
static char debug_path[] = ":" DEBUG_FOLDER, *debug_paths = debug_path;
static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_paths,
};

/* ---- files ---- */

static void close_file(SymbolFile *file)
{
    if (file->dwfl)
        dwfl_end(file->dwfl);
    free(file->path);
    *file = (SymbolFile){.path = NULL};
}

void symbol_files_close(void)
{
    for (unsigned i = 0; i < FILES_MAX; i++)
        close_file(&files[i]);
}

static int has_build_id(Dwfl_Module *module, const StrobeBuildId *wanted)
{
    const unsigned char *bytes = NULL;
    GElf_Addr address;
    int size = dwfl_module_build_id(module, &bytes, &address);

    return wanted->size == 0 ||
           (size == (int)wanted->size && memcmp(bytes, wanted->bytes, wanted->size) == 0);
}

/* Opens only a regular file: reading a FIFO or a device could block, or have an effect. */
static int open_regular(const char *path)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
        return file;
    close(file);
    return -1;
}

static int open_object(SymbolFile *file, const char *path)
{
    int descriptor = open_regular(path);

    if (descriptor < 0)
        return 0;
    file->dwfl = dwfl_begin(&callbacks);
    file->module = file->dwfl ? dwfl_report_offline(file->dwfl, path, path, descriptor) : NULL;
    if (!file->module)
        close(descriptor);
    if (file->dwfl)
        dwfl_report_end(file->dwfl, NULL, NULL);
    if (file->module && has_build_id(file->module, &file->build_id) &&
        dwfl_module_getelf(file->module, &file->bias))
        return 1;
    if (file->dwfl)
        dwfl_end(file->dwfl);
    file->dwfl = NULL;
    file->module = NULL;
    return 0;
}

static void open_debug_object(SymbolFile *file)
{
    char path[sizeof DEBUG_FOLDER + 32 + 2 * STROBE_BUILD_ID_MAX];
    size_t length;

    if (file->build_id.size < 2)
        return;
    length = (size_t)snprintf(path, sizeof path, DEBUG_FOLDER "/.build-id/%02x/",
                              file->build_id.bytes[0]);
    for (unsigned i = 1; i < file->build_id.size; i++)
        length +=
            (size_t)snprintf(path + length, sizeof path - length, "%02x", file->build_id.bytes[i]);
    snprintf(path + length, sizeof path - length, ".debug");
    open_object(file, path);
}

static int is_file_of(const SymbolFile *file, const StrobeNativeFrame *frame)
{
    return file->path && strlen(file->path) == frame->path_length &&
           memcmp(file->path, frame->path, frame->path_length) == 0 &&
           file->build_id.size == frame->build_id.size &&
           memcmp(file->build_id.bytes, frame->build_id.bytes, frame->build_id.size) == 0;
}

static SymbolFile *file_of(const StrobeNativeFrame *frame)
{
    SymbolFile *file;

    for (unsigned i = 0; i < FILES_MAX; i++)
        if (is_file_of(&files[i], frame))
            return &files[i];
    file = &files[next_file++ % FILES_MAX];
    close_file(file);
    file->path = strndup(frame->path, frame->path_length);
    file->build_id = frame->build_id;
    if (file->path && !open_object(file, file->path))
        open_debug_object(file);
    return file;
}

/* ---- functions ---- */

/* Returns the name of the nearest symbol before the address; NULL if that symbol has a size and
 * ends before the address. */
static const char *symbol_at(const SymbolFile *file, GElf_Addr address)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name =
        dwfl_module_addrinfo(file->module, address, &offset, &symbol, NULL, NULL, NULL);

    if (!name ||
        (symbol.st_size ? offset >= symbol.st_size : GELF_ST_TYPE(symbol.st_info) != STT_FUNC))
        return NULL;
    return name;
}

/* Returns "+0x1200", the begin of the function in the object: an object without symbols still has
 * unwind tables, which contain it. */
static const char *begin_of_function(const SymbolFile *file, GElf_Addr address)
{
    static char text[24];
    Dwarf_Addr bias = 0, begin = 0, end = 0;
    Dwarf_CFI *tables = dwfl_module_eh_cfi(file->module, &bias);
    Dwarf_Frame *frame = NULL;

    if (!tables || dwarf_cfi_addrframe(tables, address - bias, &frame) != 0)
        return NULL;
    dwarf_frame_info(frame, &begin, &end, NULL);
    free(frame);
    if (begin == 0 || begin > address - bias || address - bias >= end)
        return NULL;
    snprintf(text, sizeof text, "+0x%llx", (unsigned long long)(begin + bias - file->bias));
    return text;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;

    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

/* Returns the linkage name, which in C++ includes the class, or else the plain name: C functions
 * have no linkage name. */
static const char *name_of(Dwarf_Die *die)
{
    const char *name = text_of(die, DW_AT_linkage_name);

    if (!name)
        name = text_of(die, DW_AT_MIPS_linkage_name);
    return name ? name : dwarf_diename(die);
}

static int number_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    Dwarf_Word value = 0;

    if (dwarf_formudata(dwarf_attr(die, attribute, &found), &value) != 0 || value > INT_MAX)
        return 0;
    return (int)value;
}

/* Sets file and line of `caller` to the place at which it calls the inlined function. */
static void locate_call(SourceFunction *caller, Dwarf_Die *inlined, Dwarf_Files *sources)
{
    int file = number_of(inlined, DW_AT_call_file);

    caller->line = number_of(inlined, DW_AT_call_line);
    caller->file = file && sources ? dwarf_filesrc(sources, (size_t)file, NULL, NULL) : NULL;
}

/* Finds the scopes of the function whose code is at the address, innermost first. */
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
    Dwarf_Die innermost;
    int n = dwarf_getscopes(unit, address, scopes);

    if (n <= 0)
        return 0;
    innermost = (*scopes)[0];
    free(*scopes);
    *scopes = NULL;
    n = dwarf_getscopes_die(&innermost, scopes);
    return n > 0 ? n : 0;
}

static size_t functions_in(Dwarf_Die *unit, Dwarf_Addr address, SourceFunction *functions)
{
    Dwarf_Die *scopes = NULL;
    Dwarf_Files *sources = NULL;
    size_t n = 0;
    int n_scopes = scopes_at(unit, address, &scopes);

    if (dwarf_getsrcfiles(unit, &sources, NULL) != 0)
        sources = NULL;
    for (int i = 0; i < n_scopes && n < SOURCE_FUNCTIONS_MAX; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        functions[n++].name = name_of(&scopes[i]);
        if (tag == DW_TAG_subprogram)
            break;
        if (n < SOURCE_FUNCTIONS_MAX)
            locate_call(&functions[n], &scopes[i], sources);
    }
    free(scopes);
    return n;
}

static void locate_line(const SymbolFile *file, GElf_Addr address, SourceFunction *function)
{
    Dwfl_Line *line = dwfl_module_getsrc(file->module, address);

    if (line)
        function->file = dwfl_lineinfo(line, NULL, &function->line, NULL, NULL, NULL);
}

size_t symbol_files_resolve(const StrobeNativeFrame *frame,
                            SourceFunction functions[SOURCE_FUNCTIONS_MAX])
{
    const SymbolFile *file = file_of(frame);
    GElf_Addr address = frame->address + file->bias;
    Dwarf_Addr bias = 0;
    size_t n = 0;

    memset(functions, 0, SOURCE_FUNCTIONS_MAX * sizeof *functions);
    if (!file->module)
        return 0;
    Dwarf_Die *unit = dwfl_module_addrdie(file->module, address, &bias);
    if (unit)
        n = functions_in(unit, address - bias, functions);
    if (n == 0)
        n = 1;
    if (!functions[n - 1].name) /* code from assembly, or an object without debug information */
        functions[n - 1].name = symbol_at(file, address);
    if (!functions[n - 1].name)
        functions[n - 1].name = begin_of_function(file, address);
    if (!functions[n - 1].name)
        return 0;
    locate_line(file, address, &functions[0]);
    return n;
}
