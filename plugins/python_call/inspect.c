/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include <string.h>

#include "python-text.h"

int inspect_is_of_file(PyObject *code, const char *end)
{
    static TextBuffer text; /* protected by the interpreter's lock */
    size_t length = strlen(end);
    PyObject *file = python_api.get_attribute(code, "co_filename");

    text.length = 0;
    if (file) {
        text_append_unicode(&text, file);
        python_api.unref(file);
    }
    python_api.clear_error();
    return text.length >= length && memcmp(text.bytes + text.length - length, end, length) == 0;
}

int inspect_own_folder(char *folder, size_t size)
{
    const PythonApi *python = &python_api;
    PyObject *modules = python->system_object("modules");
    PyObject *package = modules && python->dict_item(modules, "strobe._strobe")
                            ? python->dict_item(modules, "strobe")
                            : NULL;
    PyObject *file = package ? python->get_attribute(package, "__file__") : NULL;
    const char *path = file ? python->to_text(file, NULL) : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    int is_found = slash && (size_t)(slash - path) + 2 <= size;

    if (is_found) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = '\0';
    }
    if (file)
        python->unref(file);
    python->clear_error();
    return is_found;
}

/* Follows a path of attributes, which begins at `object`. Returns a strong reference to the last
 * attribute; NULL: an attribute is missing. */
static PyObject *attribute_at(PyObject *object, const char *const *path)
{
    PyObject *found = object;

    python_ref(found);
    for (; found && *path; path++) {
        PyObject *next = python_api.get_attribute(found, *path);
        python_api.unref(found);
        found = next;
    }
    python_api.clear_error();
    return found;
}

int inspect_is_method(PyObject *code, const char *module, const char *const *path)
{
    PyObject *loaded = python_api.system_object("modules");
    PyObject *found = loaded ? python_api.dict_item(loaded, module) : NULL;
    PyObject *method = found ? attribute_at(found, path) : NULL;

    if (method)
        python_api.unref(method);
    return method == code;
}

PyObject *inspect_self(PyObject *frame)
{
    const PythonApi *python = &python_api;
    PyObject *self = NULL, *locals;

    if (python->frame_variable) {
        self = python->frame_variable(frame, "self");
    } else {
        locals = python->frame_locals ? python->frame_locals(frame)
                                      : python->get_attribute(frame, "f_locals");
        self = locals ? python->dict_item(locals, "self") : NULL;
        if (self)
            python_ref(self);
        /* frame_locals has returned a copy, which would keep the arguments alive */
        if (self && python->frame_locals)
            python->dict_clear(locals);
        if (locals)
            python_unref(locals);
    }
    python->clear_error();
    return self;
}
