/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of strobe.mstx. They raise no exception: a wrong call gives a Python warning and
 * has no effect.
 */
#include "mstx-tool.h"
#include "open-ranges.h"

#include <string.h>

enum { MESSAGE, STREAM, DOMAIN, N_PARAMETERS };

/* A mark, read from the Python arguments. */
typedef struct Mark {
    const char *message;
    void *stream;
    const MstxPythonDomain *domain;
    PyObject *keep[2]; /* own the texts of the mark if the str objects do not */
} Mark;

/* ---- arguments --------------------------------------------------------------------------- */

/* Turns the current exception into a warning, unless it ends the program (such as
 * KeyboardInterrupt). */
static PyObject *warn_of_exception(const char *function, PyObject *answer)
{
    PyObject *type, *value, *trace;

    if (!PyErr_ExceptionMatches(PyExc_Exception)) {
        Py_XDECREF(answer);
        return NULL;
    }
    PyErr_Fetch(&type, &value, &trace);
    if (PyErr_WarnFormat(PyExc_UserWarning, 1, "Call %s failed. Exception: %S", function,
                         value ? value : type) < 0)
        PyErr_Clear(); /* if the program turns warnings into errors, the exception is cleared too */
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return answer;
}

static int index_of(PyObject *keyword, const char *const *names, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        if (PyUnicode_CompareWithASCIIString(keyword, names[i]) == 0)
            return (int)i;
    return -1;
}

/* Stores positional and keyword arguments in `given`, in the order of `names`, as borrowed
 * references; NULL: the argument is missing. The first `required` arguments must not be missing. */
static int take_arguments(const char *const *names, Py_ssize_t n, Py_ssize_t required,
                          PyObject **out, PyObject *const *args, Py_ssize_t n_args,
                          PyObject *keywords)
{
    Py_ssize_t n_keywords = keywords ? PyTuple_Size(keywords) : 0;

    if (n_args > n) {
        PyErr_Format(PyExc_TypeError, "at most %zd arguments are expected, %zd were given", n,
                     n_args);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        out[i] = i < n_args ? args[i] : NULL;
    for (Py_ssize_t i = 0; i < n_keywords; i++) {
        PyObject *keyword = PyTuple_GetItem(keywords, i);
        int at = index_of(keyword, names, n);
        if (at < 0 || out[at]) {
            PyErr_Format(PyExc_TypeError, "unexpected argument '%U'", keyword);
            return -1;
        }
        out[at] = args[n_args + i];
    }
    for (Py_ssize_t i = 0; i < required; i++) {
        if (!out[i]) {
            PyErr_Format(PyExc_TypeError, "argument '%s' is missing", names[i]);
            return -1;
        }
    }
    return 0;
}

static const char *text_of(const char *what, PyObject *object, PyObject **keep)
{
    const char *text = NULL;

    if (PyUnicode_Check(object))
        text = strobe_python_text(object, keep);
    if (!text || !*text) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "Invalid %s: expected a non-empty str, found %R", what,
                     object);
        return NULL;
    }
    return text;
}

/* Returns the domain with the name `object`. NULL: an exception is set, or marks in the domain are
 * not recorded. */
static const MstxPythonDomain *domain_of(PyObject *object, PyObject **keep)
{
    const char *text = object ? text_of("domain", object, keep) : NULL;

    return (object && !text) || !mstx_tool_is_there() ? NULL : mstx_tool_domain(object, text);
}

/* Reads the int attribute `name`, which identifies a stream. Returns 0 if there is no such
 * attribute. The value may be a pointer, which is not dereferenced. */
static int read_id(PyObject *object, const char *name, uint64_t *id)
{
    PyObject *value = PyObject_GetAttrString(object, name);
    int is_id = value && PyLong_Check(value);

    PyErr_Clear();
    if (is_id)
        *id = PyLong_AsUnsignedLongLongMask(value);
    Py_XDECREF(value);
    return is_id;
}

/* Sets *stream to the pointer of an NPU's stream, or to NULL if no stream is given. For a stream of
 * another device, sets it to any value but NULL, if the tool does not dereference the pointer.
 * Returns 0 on success, -1 with an exception for another object. */
static int stream_of(PyObject *object, void **stream)
{
    static const char *const others[] = {"stream_id", "cuda_stream", "sycl_queue"};
    uint64_t id;

    *stream = NULL;
    if (!object || object == Py_None)
        return 0;
    if (read_id(object, "npu_stream", &id)) {
        *stream = (void *)(uintptr_t)id;
        return 0;
    }
    for (size_t i = 0; mstx_tool_takes_any_stream() && i < sizeof others / sizeof *others; i++) {
        if (read_id(object, others[i], &id)) {
            /* the id 0 is that of a device's default stream, but NULL means no stream */
            *stream = (void *)(uintptr_t)(id ? id : 1);
            return 0;
        }
    }
    PyErr_Format(PyExc_TypeError, "Invalid stream: expected a stream of a device or None, found %R",
                 (PyObject *)Py_TYPE(object));
    return -1;
}

static void release_mark(Mark *mark)
{
    Py_XDECREF(mark->keep[0]);
    Py_XDECREF(mark->keep[1]);
}

/* Reads the arguments of a mark into *mark. Returns 1 if the caller must record the mark and then
 * release *mark; 0 if the mark is not recorded; -1 if an exception is set. */
static int take_mark(Mark *mark, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    static const char *const names[N_PARAMETERS] = {"message", "stream", "domain"};
    PyObject *given[N_PARAMETERS];

    *mark = (Mark){0};
    if (take_arguments(names, N_PARAMETERS, 1, given, args, n_args, keywords) < 0)
        return -1;
    /* looks for the tool first, because it determines which streams are valid */
    mstx_tool_is_there();
    mark->message = text_of("message", given[MESSAGE], &mark->keep[0]);
    if (mark->message && stream_of(given[STREAM], &mark->stream) == 0)
        mark->domain = domain_of(given[DOMAIN], &mark->keep[1]);
    if (!mark->domain)
        release_mark(mark);
    return mark->domain ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* ---- open ranges ------------------------------------------------------------------------- */

/* Returns a number for the window that records now. The number of forks is part of it, because a
 * window of a forked child may have the same number as a window of the parent. */
static uint64_t present_window(void)
{
    return (uint64_t)strobe_python_forks() << 32 | strobe_gate;
}

static uint64_t started_window; /* the window of the open ranges */

/* Drops the open ranges of earlier windows, because their ends will not be recorded. */
static void forget_other_starts(void)
{
    uint64_t window = present_window();

    if (started_window == window)
        return;
    open_ranges_clear();
    started_window = window;
}

#define PUSHED_MAX 256

/* A thread's pushed ranges of all domains, in one window. */
static __thread struct {
    uint64_t window;
    uint32_t n;
    struct pushed {
        const MstxPythonDomain *domain;
        uint64_t id;
    } ranges[PUSHED_MAX];
} pushed;

static void forget_other_windows(void)
{
    uint64_t window = present_window();

    if (pushed.window == window)
        return;
    pushed.window = window;
    pushed.n = 0;
}

static long depth_of(const MstxPythonDomain *domain)
{
    long depth = 0;

    for (uint32_t i = 0; i < pushed.n; i++)
        depth += pushed.ranges[i].domain == domain;
    return depth;
}

/* ---- the functions ----------------------------------------------------------------------- */

static PyObject *record_mark(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *keywords)
{
    Mark wanted;
    int found = take_mark(&wanted, args, n_args, keywords);

    if (found > 0) {
        mstx_tool_mark(wanted.domain, wanted.message, wanted.stream);
        release_mark(&wanted);
    }
    Py_INCREF(Py_None);
    return found < 0 ? warn_of_exception("mark", Py_None) : Py_None;
}

static PyObject *range_start(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                             PyObject *keywords)
{
    Mark wanted;
    uint64_t id = 0;
    int found = take_mark(&wanted, args, n_args, keywords);

    if (found > 0) {
        id = mstx_tool_start(wanted.domain, wanted.message, wanted.stream);
        release_mark(&wanted);
        forget_other_starts();
        if (id && open_ranges_put(id, wanted.domain) < 0)
            id = 0; /* there is no memory to remember the range, so its end cannot be recorded */
    }
    if (found < 0)
        return warn_of_exception("range_start", PyLong_FromLong(0));
    return PyLong_FromUnsignedLongLong(id);
}

static void end_started(uint64_t id, const MstxPythonDomain *domain)
{
    forget_other_starts();
    const MstxPythonDomain *known = open_ranges_find(id);

    if (known == domain) {
        open_ranges_remove(id);
        mstx_tool_end(domain, id);
    } else if (known) {
        PyErr_Format(PyExc_ValueError, "range %llu was started in another domain",
                     (unsigned long long)id);
    }
}

static PyObject *range_end(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                           PyObject *keywords)
{
    static const char *const names[] = {"range_id", "domain"};
    PyObject *given[2], *keep = NULL;
    uint64_t id = 0;

    if (take_arguments(names, 2, 1, given, args, n_args, keywords) == 0) {
        if (PyLong_Check(given[0]))
            id = PyLong_AsUnsignedLongLong(given[0]);
        else
            PyErr_Format(PyExc_TypeError, "Invalid range_id: expected an int, found %R", given[0]);
        if (!PyErr_Occurred()) {
            const MstxPythonDomain *domain = domain_of(given[1], &keep);
            if (id && domain)
                end_started(id, domain);
        }
        Py_XDECREF(keep);
    }
    Py_INCREF(Py_None);
    return PyErr_Occurred() ? warn_of_exception("range_end", Py_None) : Py_None;
}

/* Pushes a range. Returns the number of pushed ranges of the same domain that were open before; -1:
 * the range is not recorded. */
static long push_range(const Mark *wanted)
{
    forget_other_windows();
    if (pushed.n == PUSHED_MAX)
        return -1;
    uint64_t id = mstx_tool_start(wanted->domain, wanted->message, wanted->stream);
    if (!id)
        return -1;
    pushed.ranges[pushed.n++] = (struct pushed){wanted->domain, id};
    return depth_of(wanted->domain) - 1;
}

static long pop_range(const MstxPythonDomain *domain)
{
    forget_other_windows();
    uint32_t i = pushed.n;
    while (i > 0 && pushed.ranges[i - 1].domain != domain)
        i--;
    if (i == 0)
        return -1;
    uint64_t id = pushed.ranges[i - 1].id;
    memmove(&pushed.ranges[i - 1], &pushed.ranges[i], (pushed.n - i) * sizeof *pushed.ranges);
    pushed.n--;
    mstx_tool_end(domain, id);
    return depth_of(domain);
}

static PyObject *range_push(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *keywords)
{
    Mark wanted;
    long depth = -1;
    int found = take_mark(&wanted, args, n_args, keywords);

    if (found > 0) {
        depth = push_range(&wanted);
        release_mark(&wanted);
    }
    if (found < 0)
        return warn_of_exception("range_push", PyLong_FromLong(-1));
    return PyLong_FromLong(depth);
}

static PyObject *range_pop(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                           PyObject *keywords)
{
    static const char *const names[] = {"domain"};
    PyObject *given[1], *keep = NULL;
    long depth = -1;

    if (take_arguments(names, 1, 0, given, args, n_args, keywords) == 0) {
        const MstxPythonDomain *domain = domain_of(given[0], &keep);
        if (domain)
            depth = pop_range(domain);
        Py_XDECREF(keep);
    }
    if (PyErr_Occurred())
        return warn_of_exception("range_pop", PyLong_FromLong(-1));
    return PyLong_FromLong(depth);
}

/* Makes the collector `marker` the tool. The collector calls this with a capsule that contains its
 * functions. */
static PyObject *adopt_tool(PyObject *module, PyObject *capsule)
{
    const MarkerPythonTool *tool = PyCapsule_GetPointer(capsule, MARKER_PYTHON_TOOL);

    if (!tool)
        return NULL;
    if (tool->struct_size < sizeof *tool) {
        PyErr_SetString(PyExc_ValueError, "the collector is of another version than the package");
        return NULL;
    }
    return PyBool_FromLong(mstx_tool_adopt(tool));
}

/* ---- communication ----------------------------------------------------------------------- */

static PyObject *mark_collectives(PyObject *module, PyObject *unused)
{
    const char *problem = mstx_tool_collector ? mstx_tool_collector->mark_collectives()
                                              : "the collector of marks is not the tool";

    if (!problem)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(problem, (Py_ssize_t)strlen(problem), "replace");
}

static PyObject *set_group(PyObject *module, PyObject *args)
{
    const char *name;
    long long peer = -1;

    if (!PyArg_ParseTuple(args, "z|L:set_group", &name, &peer))
        return NULL;
    if (mstx_tool_collector)
        mstx_tool_collector->set_group(name, peer);
    Py_RETURN_NONE;
}

static PyObject *set_usual_group(PyObject *module, PyObject *args)
{
    const char *name;

    if (!PyArg_ParseTuple(args, "z:set_usual_group", &name))
        return NULL;
    if (mstx_tool_collector)
        mstx_tool_collector->set_usual_group(name);
    Py_RETURN_NONE;
}

#define MARKING(name, function, text)                                                              \
    {#name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, text}

static PyMethodDef functions[] = {
    MARKING(mark, record_mark,
            "mark(message, stream=None, domain='default')\n--\n\nMarks an instant."),
    MARKING(range_start, range_start,
            "range_start(message, stream=None, domain='default')\n--\n\n"
            "Begins a range; returns its id, or 0 if the range is not recorded."),
    MARKING(range_end, range_end,
            "range_end(range_id, domain='default')\n--\n\n"
            "Ends the range with this id, on any thread."),
    MARKING(range_push, range_push,
            "range_push(message, stream=None, domain='default')\n--\n\nBegins a range; "
            "returns how many ranges of the thread and domain enclose it, -1 when it is "
            "not recorded."),
    MARKING(range_pop, range_pop,
            "range_pop(domain='default')\n--\n\nEnds the thread's innermost range of "
            "the domain; returns how many are left, -1 when there was none."),
    {"adopt", adopt_tool, METH_O,
     "adopt(capsule, /)\n--\n\nFor the collector of marks: makes it the tool; False if another "
     "one is there."},
    {"mark_collectives", mark_collectives, METH_NOARGS,
     "mark_collectives()\n--\n\nMarks what process groups do until the window ends; None, or why "
     "not."},
    {"set_group", set_group, METH_VARARGS,
     "set_group(name, peer=-1, /)\n--\n\nThe group of this thread's operations; None: unknown."},
    {"set_usual_group", set_usual_group, METH_VARARGS,
     "set_usual_group(name, /)\n--\n\nThe group of what nothing else is known of; None: not "
     "known."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "strobe.mstx", .m_doc = "mstx for Python; see strobe/mstx.py.",
    .m_size = -1,          .m_methods = functions,
};

PyObject *strobe_python_mstx_module(void)
{
    return PyModule_Create(&definition);
}
