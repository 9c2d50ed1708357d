/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of strobe._strobe.compiled, which call the collector cpu_op
 * (plugins/cpu_op/compile-tool.h). */
#include "module.h"

#include "../../plugins/cpu_op/compile-tool.h"

static const CompileTool *tool; /* NULL: no session with the collector has been opened yet */

static PyObject *adopt_tool(PyObject *module, PyObject *capsule)
{
    const CompileTool *given = PyCapsule_GetPointer(capsule, COMPILE_TOOL);

    if (!given)
        return NULL;
    if (given->struct_size < sizeof *given) {
        PyErr_SetString(PyExc_ValueError, "the collector is of another version than the package");
        return NULL;
    }
    tool = given;
    Py_RETURN_NONE;
}

static PyObject *get_time(PyObject *module, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong(tool ? tool->now() : 0);
}

static PyObject *set_group(PyObject *module, PyObject *args)
{
    const char *name;
    long long peer = -1;

    if (!PyArg_ParseTuple(args, "z|L:set_group", &name, &peer))
        return NULL;
    if (tool)
        tool->set_group(name, peer);
    Py_RETURN_NONE;
}

static PyObject *set_usual_group(PyObject *module, PyObject *args)
{
    const char *name;

    if (!PyArg_ParseTuple(args, "z:set_usual_group", &name))
        return NULL;
    if (tool)
        tool->set_usual_group(name);
    Py_RETURN_NONE;
}

/* Sets options for the operators of the calling thread. If it is called without arguments, removes
 * the options. */
static PyObject *set_thread(PyObject *module, PyObject *args)
{
    CompileThread options;

    if (PyTuple_Size(args) > 0 &&
        !PyArg_ParseTuple(args, "pppp:set_thread", &options.shapes, &options.stack, &options.flops,
                          &options.modules))
        return NULL;
    if (tool)
        tool->set_thread(PyTuple_Size(args) > 0 ? &options : NULL);
    return PyBool_FromLong(tool != NULL);
}

/* ---- marks ------------------------------------------------------------------------------- */

/* Reads a number; for None, the value for "unknown". Returns 0 on success. */
static int take_number(PyObject *object, uint64_t *number)
{
    *number = UINT64_MAX; /* STROBE_ABSENT_U64 */
    if (object == Py_None)
        return 0;
    *number = PyLong_AsUnsignedLongLong(object);
    return *number == UINT64_MAX && PyErr_Occurred() ? -1 : 0;
}

static PyObject *add_compile_mark(PyObject *args, void (*add_mark)(const CompileMark *mark))
{
    CompileMark mark;
    PyObject *numbers[3];
    unsigned long long begin, end;

    if (!PyArg_ParseTuple(args, "KKsssssOOO", &begin, &end, &mark.name, &mark.id, &mark.function,
                          &mark.place, &mark.reason, &numbers[0], &numbers[1], &numbers[2]))
        return NULL;
    if (take_number(numbers[0], &mark.nodes) < 0 || take_number(numbers[1], &mark.guards) < 0 ||
        take_number(numbers[2], &mark.cache_size) < 0)
        return NULL;
    mark.begin = begin;
    mark.end = end;
    add_mark(&mark);
    Py_RETURN_NONE;
}

static PyObject *add_range(PyObject *module, PyObject *args)
{
    if (!tool)
        Py_RETURN_NONE;
    return add_compile_mark(args, tool->add_range);
}

static PyObject *add_instant(PyObject *module, PyObject *args)
{
    if (!tool)
        Py_RETURN_NONE;
    return add_compile_mark(args, tool->add_instant);
}

/* ---- Function: replaces torch._C._profiler._RecordFunctionFast while Strobe records ---------- */

typedef struct FunctionObject {
    PyObject_HEAD PyObject *name;
    PyObject *keep;   /* owns the bytes of the name if the object `name` does not */
    PyObject *theirs; /* an object of PyTorch's own type, while PyTorch's profiler runs */
    const char *text;
    void *function; /* the tool's object for the open call; NULL: the function is not open */
    int is_user_range;
} FunctionObject;

static PyObject *their_type, *their_profiler_runs; /* set by replace_functions */

static PyObject *replace_functions(PyObject *module, PyObject *args)
{
    PyObject *type, *profiler_runs;

    if (!PyArg_ParseTuple(args, "OO:replace_functions", &type, &profiler_runs))
        return NULL;
    Py_INCREF(type);
    Py_INCREF(profiler_runs);
    Py_XDECREF(their_type);
    Py_XDECREF(their_profiler_runs);
    their_type = type;
    their_profiler_runs = profiler_runs;
    Py_RETURN_NONE;
}

/* Whether the argument keyword_values, which may be NULL, contains {"scope": "user_scope"}. */
static int is_user_range(PyObject *keywords)
{
    PyObject *scope =
        keywords && PyDict_Check(keywords) ? PyDict_GetItemString(keywords, "scope") : NULL;

    return scope && PyUnicode_Check(scope) &&
           PyUnicode_CompareWithASCIIString(scope, "user_scope") == 0;
}

/* While PyTorch's profiler runs, makes an object of PyTorch's own type too, because this profiler
 * records inputs only from objects of that type. Returns 0 on success. */
static int make_theirs(FunctionObject *self, PyObject *args, PyObject *keywords)
{
    if (!their_type)
        return 0;
    PyObject *runs = PyObject_CallObject(their_profiler_runs, NULL);
    int is_running = runs ? PyObject_IsTrue(runs) : -1;
    Py_XDECREF(runs);
    if (is_running > 0)
        self->theirs = PyObject_Call(their_type, args, keywords);
    return is_running < 0 || (is_running && !self->theirs) ? -1 : 0;
}

static int function_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"name", "input_values", "keyword_values", NULL};
    FunctionObject *self = (FunctionObject *)object;
    PyObject *name, *inputs = Py_None, *values = NULL, *keep;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "U|OO:_RecordFunctionFast", names, &name,
                                     &inputs, &values))
        return -1;
    const char *text = strobe_python_text(name, &keep);
    if (!text)
        return -1;
    Py_INCREF(name);
    Py_XDECREF(self->name);
    Py_XDECREF(self->keep);
    self->name = name;
    self->keep = keep;
    self->text = text;
    self->is_user_range = is_user_range(values);
    return inputs != Py_None ? make_theirs(self, args, keywords) : 0;
}

static void end_function(FunctionObject *self)
{
    void *function = self->function;

    self->function = NULL;
    if (function)
        tool->end_function(function);
}

static void function_dealloc(PyObject *object)
{
    FunctionObject *self = (FunctionObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    end_function(self);
    Py_XDECREF(self->name);
    Py_XDECREF(self->keep);
    Py_XDECREF(self->theirs);
    release(object);
    Py_DECREF((PyObject *)type);
}

static PyObject *function_enter(PyObject *object, PyObject *unused)
{
    FunctionObject *self = (FunctionObject *)object;

    if (self->theirs)
        return PyObject_CallMethod(self->theirs, "__enter__", NULL);
    if (tool && self->text && !self->function)
        self->function = tool->begin_function(self->text, self->is_user_range);
    Py_RETURN_NONE;
}

static PyObject *function_exit(PyObject *object, PyObject *args)
{
    FunctionObject *self = (FunctionObject *)object;

    if (self->theirs)
        return PyObject_CallMethod(self->theirs, "__exit__", "OOO", Py_None, Py_None, Py_None);
    end_function(self);
    Py_RETURN_FALSE;
}

static PyObject *make_function_type(void)
{
    static PyMethodDef methods[] = {
        {"__enter__", function_enter, METH_NOARGS, "Begins the function."},
        {"__exit__", function_exit, METH_VARARGS, "Ends it."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_doc, "Function(name, input_values=None, keyword_values=None)\n--\n\nA function of "
                    "libtorch's that a profiler records."},
        {Py_tp_init, function_init},
        {Py_tp_dealloc, function_dealloc},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "strobe._strobe.compiled.Function",
        .basicsize = sizeof(FunctionObject),
        .flags = Py_TPFLAGS_DEFAULT,
        .slots = slots,
    };
    return PyType_FromSpec(&spec);
}

static PyMethodDef functions[] = {
    {"adopt", adopt_tool, METH_O,
     "adopt(capsule, /)\n--\n\nTakes the tool of the collector cpu_op."},
    {"set_thread", set_thread, METH_VARARGS,
     "set_thread([shapes, stack, flops, modules], /)\n--\n\nSets what is recorded of this thread's "
     "operators. False: no session has recorded operators yet."},
    {"now", get_time, METH_NOARGS, "now()\n--\n\nThe time of marks, 0 without a session."},
    {"add_range", add_range, METH_VARARGS,
     "add_range(begin, end, name, id, function, place, reason, nodes, guards, cache_size, /)"
     "\n--\n\nMarks what torch.compile did; numbers that are not known are None."},
    {"add_instant", add_instant, METH_VARARGS,
     "add_instant(begin, end, name, id, function, place, reason, nodes, guards, cache_size, /)"
     "\n--\n\nMarks what torch.compile found; numbers that are not known are None."},
    {"set_group", set_group, METH_VARARGS,
     "set_group(name, peer=-1, /)\n--\n\nThe group of this thread's operations; None: unknown."},
    {"set_usual_group", set_usual_group, METH_VARARGS,
     "set_usual_group(name, /)\n--\n\nThe group of what nothing else is known of; None: not "
     "known."},
    {"replace_functions", replace_functions, METH_VARARGS,
     "replace_functions(type, profiler_runs, /)\n--\n\nTakes the type that Function replaces, and "
     "a "
     "function that says whether PyTorch's own profiler runs."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "strobe._strobe.compiled",
    .m_doc = "Functions for strobe.compiled; see there.",
    .m_size = -1,
    .m_methods = functions,
};

PyObject *strobe_python_compiled_module(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module ? make_function_type() : NULL;

    if (!type || PyModule_AddObjectRef(module, "Function", type) < 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
