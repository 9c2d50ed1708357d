/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program in a process that the calling program cannot notice: the calling program gets no
 * SIGCHLD, and wait() does not return the process. */
#include "module.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns a NULL-terminated array with the texts of a list of bytes objects. The list owns the
 * texts; free the array with PyMem_Free. NULL with an exception on failure. */
static char **texts_of(PyObject *list)
{
    Py_ssize_t n = PyList_Size(list);
    char **texts = n >= 0 ? PyMem_Calloc((size_t)n + 1, sizeof *texts) : NULL;

    if (!texts)
        return n >= 0 ? (char **)PyErr_NoMemory() : NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        texts[i] = PyBytes_AsString(PyList_GetItem(list, i));
        if (!texts[i]) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    return texts;
}

/* Executes the program, with no signals blocked. The kernel sends SIGTERM to the program if its
 * parent, the process of stand_between(), ends. */
__attribute__((noreturn)) static void become(char *const *words, char *const *variables)
{
    sigset_t none;
    int nothing = open("/dev/null", O_RDONLY);

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(nothing, STDIN_FILENO);
    execve(words[0], words, variables);
    _exit(127);
}

/* Runs in a process between the calling process and the program. Starts the program and waits for
 * it, because the program's end sends a signal to its parent, which must not be the calling
 * process. Makes only direct system calls, because other threads may have held any lock at the
 * clone, and because calls of library functions would be recorded. */
__attribute__((noreturn)) static void stand_between(char *const *words, char *const *variables)
{
    struct sigaction fall = {.sa_handler = SIG_DFL};
    int status = 0;

    /* if SIGCHLD were ignored, wait4() would not return the status */
    sigaction(SIGCHLD, &fall, NULL);
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0)
        become(words, variables);
    while (child > 0 && syscall(SYS_wait4, child, &status, 0, NULL) < 0 && errno == EINTR)
        ;
    _exit(child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 126);
}

/* Waits for the child and returns its exit status. -1: a signal handler raised an exception, and
 * the child was killed. */
static int wait_for(pid_t child)
{
    int status = 0, failed = 0;
    long ended;

    do {
        Py_BEGIN_ALLOW_THREADS ended = syscall(SYS_wait4, child, &status, __WCLONE, NULL);
        Py_END_ALLOW_THREADS if (ended < 0 && errno == EINTR && !failed && PyErr_CheckSignals())
        {
            failed = 1;
            kill(child, SIGKILL);
        }
    } while (ended < 0 && errno == EINTR);
    return failed ? -1 : ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

/* Runs a program and returns its exit status. Clones without an exit signal, because wait() and
 * waitpid(-1) ignore a child that has none. */
PyObject *strobe_python_run_unseen(PyObject *module, PyObject *args)
{
    PyObject *words, *variables;
    int status = -1;

    if (!PyArg_ParseTuple(args, "O!O!:run_unseen", &PyList_Type, &words, &PyList_Type, &variables))
        return NULL;
    char **texts = texts_of(words), **environment = texts ? texts_of(variables) : NULL;
    if (environment) {
        long child = syscall(SYS_clone, 0, 0, 0, 0, 0);
        if (child == 0)
            stand_between(texts, environment);
        if (child > 0)
            status = wait_for((pid_t)child);
        else
            PyErr_SetFromErrno(PyExc_OSError);
    }
    PyMem_Free(texts);
    PyMem_Free(environment);
    return PyErr_Occurred() ? NULL : PyLong_FromLong(status);
}
