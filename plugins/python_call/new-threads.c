/* SPDX-License-Identifier: Apache-2.0 */
#include "new-threads.h"

#include <stdatomic.h>
#include <stddef.h>

#include "tracer.h"

PyObject *new_threads_starters[2];

static struct {
    void (*enter)(PyThread *thread); /* NULL: no window records */
    /* greatest id of the threads that existed before the window or have entered it */
    uint64_t last_id;
    uint64_t first_id;  /* lowest id that a thread can have that begins in this window */
    PyObject *own_code; /* strong reference to the code of threading.Thread.start */
} new_threads;

/* ---- threads of libraries ---- */

/* id of the thread state with which the thread last entered the interpreter; ids are never
 * reused */
static __thread uint64_t entered_id;

/* Passes the calling thread to new_threads.enter, if the thread is new. Must be called when the
 * thread has entered the interpreter. */
static void look_at_own(void)
{
    const PythonApi *python = &python_api;

    if (!atomic_load_explicit(&tracer.is_on, memory_order_relaxed) || !new_threads.enter)
        return;
    PyThread *own = python->thread();
    uint64_t id = python->thread_id(own);
    if (id == entered_id)
        return;
    entered_id = id;
    if (id >= new_threads.first_id)
        new_threads.enter(own);
}

int new_threads_ensure(void)
{
    int state = python_api.lock();
    look_at_own();
    return state;
}

void new_threads_acquire(PyThread *thread)
{
    python_api.acquire_thread(thread);
    look_at_own();
}

/* ---- threads of _thread ---- */

/* Passes all threads whose id is greater than last_id to new_threads.enter. The interpreter's list
 * begins with the newest thread. Turns the garbage collector off meanwhile, because the collector
 * may run any code. */
static void enter_new(void)
{
    const PythonApi *python = &python_api;
    PyThread *own = python->thread();
    PyThread *thread = python->first_thread(python->interpreter(own));
    uint64_t known = new_threads.last_id;
    int was_enabled = python->disable_collector ? python->disable_collector() : 0;

    for (; thread && python->thread_id(thread) > known; thread = python->next_thread(thread)) {
        if (python->thread_id(thread) > new_threads.last_id)
            new_threads.last_id = python->thread_id(thread);
        python->swap_thread(thread);
        new_threads.enter(thread);
        python->swap_thread(own);
    }
    if (was_enabled)
        python->enable_collector();
}

/* Does nothing for threads that were started by threading.Thread.start, because these set the
 * function themselves. */
void new_threads_started(PyObject *frame)
{
    PyObject *code = python_api.frame_code(frame);
    int is_own = code == new_threads.own_code;

    python_unref(code);
    if (!is_own && new_threads.enter)
        enter_new();
}

/* Returns a strong reference; NULL: the attribute is missing. */
static PyObject *find_attribute(const char *module_name, const char *const names[])
{
    const PythonApi *python = &python_api;
    PyObject *modules = python->system_object("modules");
    PyObject *found = modules ? python->dict_item(modules, module_name) : NULL;

    if (found)
        python_ref(found);
    for (; found && *names; names++) {
        PyObject *next = python->get_attribute(found, *names);
        python->unref(found);
        found = next;
    }
    python->clear_error();
    return found;
}

/* Finds the functions of _thread. Is called only once in each session, because each look-up by name
 * adds to the interpreter's caches. */
static void find_all(void)
{
    new_threads_starters[0] = find_attribute("_thread", (const char *[]){"start_new_thread", NULL});
    new_threads_starters[1] = find_attribute("_thread", (const char *[]){"start_new", NULL});
    new_threads.own_code =
        find_attribute("threading", (const char *[]){"Thread", "start", "__code__", NULL});
}

void new_threads_begin(void (*enter)(PyThread *thread))
{
    const PythonApi *python = &python_api;
    PyThread *first = python->first_thread(python->interpreter(python->thread()));

    if (!new_threads.own_code)
        find_all();
    new_threads.last_id = first ? python->thread_id(first) : 0;
    new_threads.first_id = new_threads.last_id + 1;
    new_threads.enter = enter;
}

void new_threads_end(void)
{
    new_threads.enter = NULL;
}

void new_threads_close(void)
{
    PyObject **const held[] = {&new_threads_starters[0], &new_threads_starters[1],
                               &new_threads.own_code};
    int is_there = new_threads_starters[0] && python_api.is_initialized();
    int lock = is_there ? python_api.lock() : 0;

    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        if (is_there && *held[i])
            python_unref(*held[i]);
        *held[i] = NULL;
    }
    if (is_there)
        python_api.unlock(lock);
}
