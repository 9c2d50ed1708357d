/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "modules.h"
#include "python-text.h"

#define SETS 4096u /* number of sets; each has two entries */

static struct {
    CallName (*sets)[2];
    uint64_t last_serial;
    TextBuffer text;
    /* offsets in `text`, which has the name of the code whose name was made last */
    size_t file_length, function_at;
    const StrobeHost *host; /* host of the last session */
    StrobeInstance *self;
    char **folders; /* folders of sys.path, each with a slash at its end, the longest first */
    size_t n_folders;
    /* sys.path and its first item at the time when `folders` was made; they are only compared */
    const PyObject *path, *first;
    PySize path_size;
    char own[4096]; /* folder of Strobe's package; "": it is not known yet */
} names;

/* ---- texts ---- */

static int compare_lengths(const void *a, const void *b)
{
    size_t first = strlen(*(char *const *)a), second = strlen(*(char *const *)b);

    return first < second ? 1 : first > second ? -1 : 0;
}

static void forget_folders(void)
{
    for (size_t i = 0; i < names.n_folders; i++)
        free(names.folders[i]);
    free(names.folders);
    names.folders = NULL;
    names.n_folders = 0;
}

/* Reads sys.path, if it has changed. It can change because Python inserts the script's folder at
 * its front, possibly after a window has begun, and because imports may add folders. */
static void read_folders(void)
{
    const PythonApi *python = &python_api;
    PyObject *path = python->system_object("path");
    PySize n = path ? python->list_size(path) : 0;
    const PyObject *first = n > 0 ? python->list_item(path, 0) : NULL;

    python->clear_error();
    if (names.folders && path == names.path && n == names.path_size && first == names.first)
        return;
    forget_folders();
    names.path = path;
    names.path_size = n;
    names.first = first;
    names.folders = n > 0 ? calloc((size_t)n, sizeof *names.folders) : NULL;
    for (PySize i = 0; names.folders && i < n; i++) {
        PyObject *item = python->list_item(path, i);
        const char *folder = item ? python->to_text(item, NULL) : NULL;
        char *copy = NULL;

        if (folder && folder[0] == '/' && asprintf(&copy, "%s/", folder) > 0)
            names.folders[names.n_folders++] = copy;
    }
    python->clear_error();
    if (names.n_folders)
        qsort(names.folders, names.n_folders, sizeof *names.folders, compare_lengths);
}

/* Returns the length of the folder at the begin of the path; the name is written without this
 * folder. */
static size_t prefix_of(const char *path, size_t length)
{
    for (size_t i = 0; i < names.n_folders; i++) {
        size_t folder = strlen(names.folders[i]);
        if (folder < length && memcmp(path, names.folders[i], folder) == 0)
            return folder;
    }
    return 0;
}

static void append_attribute(TextBuffer *text, PyObject *object, const char *name)
{
    PyObject *value = python_api.get_attribute(object, name);

    if (value) {
        text_append_unicode(text, value);
        python_api.unref(value);
    }
    python_api.clear_error();
}

static long first_line(PyObject *code)
{
    PyObject *value = python_api.get_attribute(code, "co_firstlineno");
    long line = value ? (long)python_api.to_integer(value) : 0;

    if (value)
        python_api.unref(value);
    python_api.clear_error();
    return line;
}

/* Makes the text `path(line): function`; the line is that of the definition. Returns the offset at
 * which the part of the path begins that is written. */
static size_t format_code(PyObject *code)
{
    TextBuffer *text = &names.text;
    char digits[32];
    size_t prefix;

    read_folders();
    text->length = 0;
    append_attribute(text, code, "co_filename");
    prefix = prefix_of(text->bytes, text->length);
    names.file_length = text->length;
    text_append(text, digits, (size_t)snprintf(digits, sizeof digits, "(%ld): ", first_line(code)));
    names.function_at = text->length;
    append_attribute(text, code, "co_name");
    return prefix;
}

/* Makes the name of an unbound method, which has the same form as that of a bound one. */
static void format_descriptor(PyObject *function)
{
    TextBuffer *text = &names.text;
    PyObject *owner = python_api.get_attribute(function, "__objclass__");

    text->length = 0;
    text_append(text, "<built-in method ", 17);
    append_attribute(text, function, "__name__");
    text_append(text, " of ", 4);
    if (owner) {
        append_attribute(text, owner, "__name__");
        python_api.unref(owner);
    }
    python_api.clear_error();
    text_append(text, " object>", 8);
}

/* Makes the function's repr() without the address of the object to which it belongs. The address
 * differs in each run, and the object is only the first one on which the function was called. */
static void format_builtin(PyObject *function)
{
    TextBuffer *text = &names.text;
    PyObject *shown;

    if (function->type == python_api.descriptor_type) {
        format_descriptor(function);
        return;
    }
    shown = python_api.repr(function);
    text->length = 0;
    if (shown) {
        text_append_unicode(text, shown);
        python_api.unref(shown);
    }
    python_api.clear_error();
    size_t end = text->length, at = end;
    while (at > 0 && (text->bytes[at - 1] != ' '))
        at--;
    if (at >= 4 && end - at > 3 && memcmp(text->bytes + at - 4, " at 0x", 6) == 0) {
        text->length = at - 4;
        text_append(text, ">", 1);
    }
}

static StrobeStringId intern_text(size_t from)
{
    StrobeWriter *writer = names.host->writer(names.self);

    if (!writer || !names.text.bytes)
        return 0;
    return names.host->intern(writer, names.text.bytes + from, names.text.length - from);
}

static StrobeStringId filter_lasting(StrobeStringId id)
{
    return strobe_string_is_lasting(id) ? id : 0;
}

StrobeStringId names_code_again(PyObject *code)
{
    return intern_text(format_code(code));
}

StrobeStringId names_builtin_again(PyObject *function)
{
    format_builtin(function);
    return intern_text(0);
}

/* ---- the cache ---- */

static CallName *set_of(const void *key, const void *method)
{
    uint64_t bits = ((uint64_t)(uintptr_t)key >> 4) ^ ((uint64_t)(uintptr_t)method << 7);

    return names.sets[bits * 0x9e3779b97f4a7c15u >> 52];
}

_Static_assert(SETS == 1u << 12, "set_of takes 12 bits");

/* Moves the set's first entry to the second place, and clears the first entry. Returns the first
 * entry; sets `old` to the entry that was at the second place. */
static CallName *make_place(CallName *set, CallName *old)
{
    *old = set[1];
    set[1] = set[0];
    memset(&set[0], 0, sizeof set[0]);
    return &set[0];
}

static void forget_name(const CallName *old)
{
    code_text_leave(old->text);
    if (old->object)
        python_unref(old->object); /* comes last, because it may run any destructor */
}

/* Returns whether the code whose name was made last is in Strobe's package. */
static int is_own(void)
{
    if (!names.own[0] && !inspect_own_folder(names.own, sizeof names.own))
        return 0;
    size_t length = strlen(names.own);
    return names.file_length > length && memcmp(names.text.bytes, names.own, length) == 0;
}

/* Returns the role of code that is seen for the first time. */
static uint8_t role_of(PyObject *code)
{
    static const char *const begins[][4] = {{"profile", "__enter__", "__code__"},
                                            {"profile", "_prepare_trace", "__code__"},
                                            {"profile", "_start_trace", "__code__"}};

    if (is_own())
        return CALL_OF_STROBE;
    if (modules_is_call(code))
        return CALL_OF_MODULE;
    if (!inspect_is_of_file(code, "torch/autograd/profiler.py"))
        return CALL_PLAIN;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (inspect_is_method(code, "torch.autograd.profiler", begins[i]))
            return CALL_OF_PROFILER;
    return CALL_PLAIN;
}

/* Copies the file and the function of the code whose name was made last. */
static CodeText *copy_text(void)
{
    const TextBuffer *text = &names.text;
    size_t at = names.function_at;

    return text->bytes && at <= text->length
               ? code_text_new(++names.last_serial, text->bytes, names.file_length,
                               text->bytes + at, text->length - at)
               : NULL;
}

static const CallName *add_code(CallName *set, PyObject *code)
{
    StrobeStringId id = filter_lasting(names_code_again(code));
    CodeText *text = copy_text();
    uint8_t role = role_of(code);
    CallName old, *name = make_place(set, &old);

    python_ref(code);
    *name = (CallName){code, NULL, text, id, role};
    forget_name(&old);
    return name;
}

const CallName *names_of_code(PyObject *code)
{
    CallName *set = set_of(code, NULL);

    if (__builtin_expect(set[0].object == code && !set[0].method, 1))
        return &set[0];
    if (set[1].object == code && !set[1].method)
        return &set[1];
    return add_code(set, code);
}

static const CallName *add_builtin(CallName *set, PyObject *function, PyObject *owner,
                                   const PyMethod *method)
{
    StrobeStringId id = filter_lasting(names_builtin_again(function));
    CallName old, *name = make_place(set, &old);

    if (owner)
        python_ref(owner);
    *name = (CallName){owner, method, NULL, id, 0};
    forget_name(&old);
    return name;
}

/* Returns the definition of a C function; NULL: the type of the function is not CPython's type for
 * C functions. */
static const PyMethod *definition_of(PyObject *function)
{
    if (function->type != python_api.builtin_type && !python_api.builtin_function(function)) {
        python_api.clear_error();
        return NULL;
    }
    return ((const PyBuiltin *)function)->method;
}

/* Finds a bound C function by its definition and its owner: the object itself if it is a module, a
 * class or a capsule, otherwise the object's type. Finds an unbound method by its address. */
const CallName *names_of_builtin(PyObject *function)
{
    static const CallName unknown;
    const PythonApi *python = &python_api;
    int is_bound = function->type != python->descriptor_type;
    const PyMethod *method = is_bound ? definition_of(function) : NULL;
    PyObject *owner = method ? python->builtin_self(function) : is_bound ? NULL : function;

    if (is_bound && !method)
        return &unknown;
    if (is_bound && owner && owner->type != python->module_type &&
        owner->type != python->type_type && owner->type != python->capsule_type)
        owner = owner->type;
    CallName *set = set_of(owner, method);
    for (int i = 0; i < 2; i++)
        if (set[i].object == owner && set[i].method == method)
            return &set[i];
    return add_builtin(set, function, owner, method);
}

int names_begin(const StrobeHost *host, StrobeInstance *self)
{
    names_end(); /* in a forked child, removes the names of the parent's session */
    names.host = host;
    names.self = self;
    names.sets = calloc(SETS, sizeof *names.sets);
    return names.sets != NULL;
}

void names_end(void)
{
    CallName(*sets)[2] = names.sets;

    names.sets = NULL;
    for (uint32_t i = 0; sets && i < SETS; i++)
        for (int k = 0; k < 2; k++)
            forget_name(&sets[i][k]);
    free(sets);
    forget_folders();
    text_free(&names.text);
}
