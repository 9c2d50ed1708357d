/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that make marks from Python. If no session records, a mark costs the check of its
 * arguments and one load. */
#include "module.h"

/* Maximum number of ranges that one Range object can have open at once, in a recursive `with`.
 * Deeper ranges are not recorded. */
#define RANGE_DEPTH 16

typedef struct RangeObject {
    PyObject ob_base;
    PyObject *name;
    PyObject *keep; /* owns the bytes at `text` if the object `name` does not; may be NULL */
    const char *text;
    uint64_t argument;
    unsigned depth;
    uint64_t tokens[RANGE_DEPTH];
} RangeObject;

/* Checks that the arguments are a str and, optionally, an int or None. Only the low 64 bits of the
 * int are recorded. Returns -1 with a Python exception if they are not. */
static int check_arguments(const char *function, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args < 1 || n_args > 2) {
        PyErr_Format(PyExc_TypeError, "%s() takes a name and at most one argument, %zd were given",
                     function, n_args);
        return -1;
    }
    if (!PyUnicode_Check(args[0])) {
        PyErr_Format(PyExc_TypeError, "%s(): the name must be a str, found %R", function,
                     (PyObject *)Py_TYPE(args[0]));
        return -1;
    }
    if (n_args == 2 && args[1] != Py_None && !PyLong_Check(args[1])) {
        PyErr_Format(PyExc_TypeError, "%s(): the argument must be an int or None, found %R",
                     function, (PyObject *)Py_TYPE(args[1]));
        return -1;
    }
    return 0;
}

static uint64_t argument_of(PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args < 2 || args[1] == Py_None)
        return STROBE_ABSENT_U64;
    return PyLong_AsUnsignedLongLongMask(args[1]);
}

static PyObject *range_begin(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    if (check_arguments("range_begin", args, n_args) < 0)
        return NULL;
    if (!strobe_enabled())
        return PyLong_FromLong(0);
    PyObject *keep;
    const char *name = strobe_python_text(args[0], &keep);
    if (!name)
        return NULL;
    StrobeRange range = strobe_range_begin_recorded(name, argument_of(args, n_args));
    Py_XDECREF(keep);
    return PyLong_FromUnsignedLongLong(range.token);
}

static PyObject *range_end(PyObject *module, PyObject *token)
{
    StrobeRange range = {PyLong_AsUnsignedLongLong(token)};
    if (range.token == (uint64_t)-1 && PyErr_Occurred())
        return NULL;
    strobe_range_end(range);
    Py_RETURN_NONE;
}

static PyObject *record_mark(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    if (check_arguments("mark", args, n_args) < 0)
        return NULL;
    if (!strobe_enabled())
        Py_RETURN_NONE;
    PyObject *keep;
    const char *name = strobe_python_text(args[0], &keep);
    if (!name)
        return NULL;
    strobe_mark_recorded(name, argument_of(args, n_args));
    Py_XDECREF(keep);
    Py_RETURN_NONE;
}

static PyObject *record_counter(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args != 2) {
        PyErr_Format(PyExc_TypeError, "counter() takes a name and a value, %zd arguments given",
                     n_args);
        return NULL;
    }
    if (check_arguments("counter", args, 1) < 0)
        return NULL;
    double value = PyFloat_AsDouble(args[1]);
    if (value == -1.0 && PyErr_Occurred())
        return NULL;
    if (!strobe_enabled())
        Py_RETURN_NONE;
    PyObject *keep;
    const char *name = strobe_python_text(args[0], &keep);
    if (!name)
        return NULL;
    strobe_counter_recorded(name, value);
    Py_XDECREF(keep);
    Py_RETURN_NONE;
}

static PyObject *accepts_records(PyObject *module, PyObject *unused)
{
    return PyBool_FromLong(strobe_enabled());
}

PyMethodDef strobe_python_marking[] = {
    {"range_begin", (PyCFunction)(void (*)(void))range_begin, METH_FASTCALL,
     "range_begin(name, argument=None, /)\n--\n\nBegins a range; returns what range_end takes."},
    {"range_end", range_end, METH_O,
     "range_end(token, /)\n--\n\nEnds a range, on the thread that began it."},
    {"mark", (PyCFunction)(void (*)(void))record_mark, METH_FASTCALL,
     "mark(name, argument=None, /)\n--\n\nMarks an instant."},
    {"counter", (PyCFunction)(void (*)(void))record_counter, METH_FASTCALL,
     "counter(name, value, /)\n--\n\nReports a value that changes over time."},
    {"enabled", accepts_records, METH_NOARGS, "enabled()\n--\n\nWhether records are accepted now."},
    {NULL, NULL, 0, NULL},
};

/* ---- Range: the context manager ---------------------------------------------------------- */

static int range_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"name", "argument", NULL};
    PyObject *given[2] = {NULL, Py_None};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:range", names, &given[0], &given[1]) ||
        check_arguments("range", given, 2) < 0)
        return -1;
    PyObject *keep;
    const char *text = strobe_python_text(given[0], &keep);
    if (!text)
        return -1;
    RangeObject *self = (RangeObject *)object;
    PyObject *old_name = self->name, *old_keep = self->keep;
    Py_INCREF(given[0]);
    self->name = given[0];
    self->keep = keep;
    self->text = text;
    self->argument = argument_of(given, 2);
    Py_XDECREF(old_name);
    Py_XDECREF(old_keep);
    return 0;
}

static void range_dealloc(PyObject *object)
{
    RangeObject *self = (RangeObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    Py_XDECREF(self->name);
    Py_XDECREF(self->keep);
    release(object);
    Py_DECREF((PyObject *)type);
}

static PyObject *range_enter(PyObject *object, PyObject *unused)
{
    RangeObject *self = (RangeObject *)object;
    StrobeRange range = {0};
    if (strobe_enabled() && self->text && self->depth < RANGE_DEPTH)
        range = strobe_range_begin_recorded(self->text, self->argument);
    if (self->depth < RANGE_DEPTH)
        self->tokens[self->depth] = range.token;
    self->depth++;
    Py_INCREF(object);
    return object;
}

static PyObject *range_exit(PyObject *object, PyObject *const *args, Py_ssize_t n_args)
{
    RangeObject *self = (RangeObject *)object;
    if (self->depth > 0 && --self->depth < RANGE_DEPTH)
        strobe_range_end((StrobeRange){self->tokens[self->depth]});
    Py_RETURN_FALSE;
}

static PyObject *range_name(PyObject *object, void *unused)
{
    PyObject *name = ((RangeObject *)object)->name;
    name = name ? name : Py_None;
    Py_INCREF(name);
    return name;
}

static PyMethodDef range_methods[] = {
    {"__enter__", range_enter, METH_NOARGS, "Begins the range."},
    {"__exit__", (PyCFunction)(void (*)(void))range_exit, METH_FASTCALL, "Ends the range."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef range_attributes[] = {
    {"name", range_name, NULL, "The range's name.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyObject *strobe_python_range_type(void)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Range(name, argument=None)\n--\n\nA range as a context manager."},
        {Py_tp_init, range_init},
        {Py_tp_dealloc, range_dealloc},
        {Py_tp_methods, range_methods},
        {Py_tp_getset, range_attributes},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "strobe._strobe.Range",
        .basicsize = sizeof(RangeObject),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
        .slots = slots,
    };
    return PyType_FromSpec(&spec);
}
