/* SPDX-License-Identifier: Apache-2.0 */
/* The extension module `strobe._strobe`: its functions, types and errors. */
#include <limits.h>
#include "module.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trusted-file.h"

PyObject *strobe_python_error;

static unsigned n_forks;

static void count_fork(void)
{
    n_forks++;
}

unsigned strobe_python_forks(void)
{
    return n_forks;
}

PyObject *strobe_python_raise(StrobeStatus status, StrobeError *error)
{
    const char *message = error ? strobe_error_message(error) : "the call failed without a reason";
    PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    strobe_error_free(error);
    if (!text)
        return NULL;
    PyObject *exception = PyObject_CallFunctionObjArgs(strobe_python_error, text, NULL);
    Py_DECREF(text);
    PyObject *code = exception ? PyLong_FromLong(status) : NULL;
    if (code && PyObject_SetAttrString(exception, "status", code) == 0)
        PyErr_SetObject(strobe_python_error, exception);
    Py_XDECREF(code);
    Py_XDECREF(exception);
    return NULL;
}

const char *strobe_python_text(PyObject *text, PyObject **keep)
{
    *keep = NULL;
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "expected a str, found %R", (PyObject *)Py_TYPE(text));
        return NULL;
    }
    /* the str object keeps its UTF-8 form, so later calls copy nothing */
    const char *bytes = PyUnicode_AsUTF8AndSize(text, NULL);
    if (bytes || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return bytes;
    PyErr_Clear();
    *keep = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    return *keep ? PyBytes_AsString(*keep) : NULL;
}

static PyObject *set_rank(PyObject *self, PyObject *number)
{
    long rank = PyLong_AsLong(number);
    if (rank == -1 && PyErr_Occurred())
        return NULL;
    if (rank < -1 || rank > INT_MAX) {
        PyErr_Format(PyExc_ValueError, "expected a rank from -1 to %d, found %ld", INT_MAX, rank);
        return NULL;
    }
    strobe_set_rank((int)rank);
    Py_RETURN_NONE;
}

static PyObject *warning_was_written(PyObject *module, PyObject *text)
{
    PyObject *keep;
    const char *bytes = strobe_python_text(text, &keep);
    int was_written = bytes && strobe_warning_was_written(bytes);

    Py_XDECREF(keep);
    return bytes ? PyBool_FromLong(was_written) : NULL;
}

static PyObject *open_trusted_as(PyObject *path, int (*open_file)(const char *, char **))
{
    const char *text = PyBytes_AsString(path);
    char *fault = NULL;
    int file;

    if (!text)
        return NULL;
    Py_BEGIN_ALLOW_THREADS file = open_file(text, &fault);
    Py_END_ALLOW_THREADS if (file >= 0) return PyLong_FromLong(file);
    PyObject *reason = PyUnicode_DecodeUTF8(fault, (Py_ssize_t)strlen(fault), "replace");
    free(fault);
    if (reason)
        PyErr_SetObject(PyExc_OSError, reason);
    Py_XDECREF(reason);
    return NULL;
}

static PyObject *open_trusted(PyObject *module, PyObject *path)
{
    return open_trusted_as(path, strobe_trusted_open);
}

static PyObject *open_trusted_folder(PyObject *module, PyObject *path)
{
    return open_trusted_as(path, strobe_trusted_open_folder);
}

static PyObject *get_version(PyObject *module, PyObject *unused)
{
    return PyUnicode_FromString(strobe_version());
}

static PyMethodDef functions[] = {
    {"attach", strobe_python_attach, METH_NOARGS,
     "attach()\n--\n\nThe session of `strobe run` if this process records, else None."},
    {"step", strobe_python_step, METH_NOARGS,
     "step()\n--\n\nEnds the step of the process's session, if there is one."},
    {"dump", strobe_python_dump, METH_NOARGS,
     "dump()\n--\n\nAsks the process's flight recorder for a dump, without waiting; False if there "
     "is none."},
    {"set_rank", set_rank, METH_O,
     "set_rank(rank, /)\n--\n\nSets the process's rank, if the environment names none."},
    {"can_collect", strobe_python_can_collect, METH_O,
     "can_collect(collector, /)\n--\n\nWhether the collector can work in this process: 1 now, "
     "2 perhaps later, 0 "
     "not; -1: there is no such collector."},
    {"run_unseen", strobe_python_run_unseen, METH_VARARGS,
     "run_unseen(words, variables, /)\n--\n\nRuns a program, both lists of bytes, to its end and "
     "returns its exit status. The process gets no SIGCHLD for it and need not wait for it."},
    {"warning_was_written", warning_was_written, METH_O,
     "warning_was_written(text, /)\n--\n\nWhether the library itself has written this warning to "
     "stderr."},
    {"open_trusted", open_trusted, METH_O,
     "open_trusted(path, /)\n--\n\nA descriptor of the regular file, whose path is bytes. OSError "
     "with the reason if anyone but root, this user and the owner of Strobe can change it."},
    {"open_trusted_folder", open_trusted_folder, METH_O,
     "open_trusted_folder(path, /)\n--\n\nThe same for a folder; an O_PATH descriptor."},
    {"version", get_version, METH_NOARGS, "version()\n--\n\nVersion of the library."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_strobe",
    .m_doc = "libstrobe for Python: sessions and marks.",
    .m_size = -1,
    .m_methods = functions,
};

/* Registers strobe_python_finish at exit, because a thread of the library must not call into an
 * interpreter that is shutting down. */
static int finish_at_exit(void)
{
    static PyMethodDef finish = {"finish", strobe_python_finish, METH_NOARGS, NULL};
    PyObject *function = PyCFunction_NewEx(&finish, NULL, NULL);
    PyObject *atexit = function ? PyImport_ImportModule("atexit") : NULL;
    PyObject *answer = atexit ? PyObject_CallMethod(atexit, "register", "O", function) : NULL;
    Py_XDECREF(answer);
    Py_XDECREF(atexit);
    Py_XDECREF(function);
    return answer ? 0 : -1;
}

static int add_types(PyObject *module)
{
    PyObject *session = strobe_python_session_type();
    PyObject *range = strobe_python_range_type();
    PyObject *mstx = strobe_python_mstx_module();
    PyObject *compiled = strobe_python_compiled_module();
    PyObject *watch = strobe_python_file_watch_type();
    int failed = !session || !range || !mstx || !compiled || !watch ||
                 PyModule_AddObjectRef(module, "Session", session) < 0 ||
                 PyModule_AddObjectRef(module, "Range", range) < 0 ||
                 PyModule_AddObjectRef(module, "mstx", mstx) < 0 ||
                 PyModule_AddObjectRef(module, "compiled", compiled) < 0 ||
                 PyModule_AddObjectRef(module, "FileWatch", watch) < 0;
    Py_XDECREF(watch);
    Py_XDECREF(compiled);
    Py_XDECREF(mstx);
    Py_XDECREF(session);
    Py_XDECREF(range);
    return failed ? -1 : 0;
}

PyMODINIT_FUNC PyInit__strobe(void);

PyMODINIT_FUNC PyInit__strobe(void)
{
    if (!strobe_python_error) {
        strobe_python_error = PyErr_NewExceptionWithDoc(
            "strobe.Error", "A call of Strobe failed; `status` is the code of the failure.", NULL,
            NULL);
        if (!strobe_python_error)
            return NULL;
        if (finish_at_exit())
            return NULL;
        pthread_atfork(NULL, NULL, count_fork);
    }
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    if (PyModule_AddFunctions(module, strobe_python_marking) < 0 || add_types(module) < 0 ||
        PyModule_AddObjectRef(module, "Error", strobe_python_error) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
