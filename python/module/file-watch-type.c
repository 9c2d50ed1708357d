/* SPDX-License-Identifier: Apache-2.0 */
/* The type `strobe._strobe.FileWatch`. */
#include "module.h"

#include <errno.h>
#include <stdlib.h>
#include "file-watch.h"

typedef struct {
    PyObject_HEAD StrobeFileWatch *watch; /* NULL: closed */
} FileWatch;

static PyObject *watch_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    StrobeFileWatch *watch;
    const char *path;
    long long poll_ns;

    (void)keywords;
    if (!PyArg_ParseTuple(args, "yL:FileWatch", &path, &poll_ns))
        return NULL;
    Py_BEGIN_ALLOW_THREADS watch = strobe_file_watch_new(path, poll_ns);
    Py_END_ALLOW_THREADS if (!watch) return PyErr_SetFromErrno(PyExc_OSError);
    FileWatch *self = (FileWatch *)allocate(type, 0);
    if (self)
        self->watch = watch;
    else
        strobe_file_watch_free(watch);
    return (PyObject *)self;
}

static PyObject *watch_close(PyObject *object, PyObject *unused)
{
    FileWatch *self = (FileWatch *)object;
    StrobeFileWatch *watch = self->watch;

    (void)unused;
    self->watch = NULL;
    if (watch) {
        Py_BEGIN_ALLOW_THREADS strobe_file_watch_free(watch);
        Py_END_ALLOW_THREADS
    }
    Py_RETURN_NONE;
}

static void watch_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(watch_close(object, NULL));
    release(object);
    Py_DECREF((PyObject *)type);
}

static PyObject *watch_take(PyObject *object, PyObject *unused)
{
    const FileWatch *self = (FileWatch *)object;
    char *text = NULL;
    size_t length = 0;

    (void)unused;
    if (!self->watch)
        Py_RETURN_NONE;
    StrobeFileChange change = strobe_file_watch_take(self->watch, &text, &length);
    if (change == STROBE_FILE_SAME)
        Py_RETURN_NONE;
    PyObject *taken = Py_BuildValue("(iy#)", (int)change, text, (Py_ssize_t)length);
    free(text);
    return taken;
}

static PyObject *watch_has_change(PyObject *object, PyObject *unused)
{
    const FileWatch *self = (FileWatch *)object;

    (void)unused;
    return PyBool_FromLong(self->watch && strobe_file_watch_has_change(self->watch));
}

static PyObject *watch_looks(PyObject *object, PyObject *unused)
{
    const FileWatch *self = (FileWatch *)object;

    (void)unused;
    return PyLong_FromUnsignedLong(self->watch ? strobe_file_watch_looks(self->watch) : 0);
}

static PyMethodDef methods[] = {
    {"take", watch_take, METH_NOARGS,
     "take()\n--\n\nThe next change of the file, or None: 1 and the contents, 2 and the reason if "
     "the file is missing, 3 and the reason if it is refused."},
    {"has_change", watch_has_change, METH_NOARGS,
     "has_change()\n--\n\nWhether take() returns a change."},
    {"looks", watch_looks, METH_NOARGS, "looks()\n--\n\nHow often the file has been looked at."},
    {"close", watch_close, METH_NOARGS, "close()\n--\n\nEnds the watch."},
    {NULL, NULL, 0, NULL},
};

PyObject *strobe_python_file_watch_type(void)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "FileWatch(path, poll_ns, /)\n--\n\nWatches a file, whose path is absolute and "
                    "bytes, in a process beside the program."},
        {Py_tp_new, watch_new},
        {Py_tp_dealloc, watch_dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "strobe._strobe.FileWatch",
        .basicsize = sizeof(FileWatch),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };

    return PyType_FromSpec(&spec);
}
