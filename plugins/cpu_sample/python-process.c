/* SPDX-License-Identifier: Apache-2.0 */
#include "python-process.h"

#include <errno.h>
#include <string.h>

#include <strobe/helpers/sys-file.h>
#include "elf-symbols.h"

enum { RUNTIME, CODE_TYPE, VERSION, N_SYMBOLS };

static const char *const symbols[N_SYMBOLS] = {
    [RUNTIME] = "_PyRuntime", [CODE_TYPE] = "PyCode_Type", [VERSION] = "Py_Version"};

/* Returns whether the file may contain the interpreter, because its name is like "python3.11" or
 * "libpython3.11.so.1.0". */
static int may_have_interpreter(const CodeObject *object)
{
    const char *name = strrchr(object->path, '/');

    return name && (strncmp(name, "/python", 7) == 0 || strncmp(name, "/libpython", 10) == 0);
}

static int find_symbols(const MappedCode *mapped, pid_t pid, uint64_t addresses[N_SYMBOLS])
{
    const CodeMapping mapping = {.begin = mapped->begin,
                                 .end = mapped->end,
                                 .offset = mapped->offset,
                                 .path = mapped->object->path};
    const uint64_t bias = code_object_bias(mapped->object, mapped->begin, mapped->offset);
    int file = code_mapping_open(pid, &mapping);

    if (file < 0)
        return 0;
    elf_symbols_find(file, symbols, addresses, N_SYMBOLS);
    strobe_sys_close(&file);
    for (int i = 0; i < N_SYMBOLS; i++)
        addresses[i] += addresses[i] ? bias : 0;
    return addresses[RUNTIME] && addresses[CODE_TYPE];
}

static int open_interpreter(PythonProcess *python, ProcessMemory *memory,
                            const uint64_t addresses[N_SYMBOLS])
{
    if (!addresses[VERSION]) /* only CPython 3.11 and later have this symbol */
        return PYTHON_UNSUPPORTED;
    process_memory_refresh(memory);
    if (process_memory_half(memory, addresses[VERSION], &python->version) != 0)
        return errno == EPERM || errno == ENOSYS ? PYTHON_REFUSED : PYTHON_UNKNOWN;
    python->interpreter.runtime = addresses[RUNTIME];
    python->interpreter.code_type = addresses[CODE_TYPE];
    return python_layout_find(&python->interpreter.layout, python->version, memory,
                              addresses[RUNTIME]) == 0
               ? PYTHON_FOUND
               : PYTHON_UNSUPPORTED;
}

int python_process_search(PythonProcess *python, ProcessMemory *memory, pid_t pid,
                          const AddressSpace *space)
{
    uint64_t addresses[N_SYMBOLS];

    if (python->state != PYTHON_UNKNOWN || python->n_searched == space->n_changes)
        return python->state == PYTHON_FOUND;
    python->n_searched = space->n_changes;
    for (size_t i = 0; i < space->n && python->state == PYTHON_UNKNOWN; i++) {
        const MappedCode *mapped = &space->mapped[i];
        if (!may_have_interpreter(mapped->object) || !find_symbols(mapped, pid, addresses))
            continue;
        python->code = mapped->object;
        python->state = open_interpreter(python, memory, addresses);
    }
    return python->state == PYTHON_FOUND;
}

void python_process_clear(PythonProcess *python)
{
    python_interpreter_clear(&python->interpreter);
    *python = (PythonProcess){.state = PYTHON_UNKNOWN};
}
