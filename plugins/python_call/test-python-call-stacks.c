/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that a thread can read its stack while another thread ends the window. The interpreter is
 * simulated: objects have reference counts, and frames have a current line. */
#include <glib.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include <strobe/kinds.h>

#include "modules.h"
#include "names.h"
#include "python-call-stacks.h"
#include "tracer.h"

#define DEPTH 3u
#define HELD_S 20

PythonApi python_api;

/* ---- the interpreter ---- */

typedef struct TestFrame {
    PyObject head;
    _Atomic int line;
} TestFrame;

static TestFrame frames[DEPTH];
static PyObject code = {.references = 1};
static CodeText *code_text;
static _Atomic int n_freed;
static int (*pending)(void *); /* the call that the interpreter was requested to make */

static void release_object(PyObject *object)
{
    if (--object->references == 0)
        atomic_fetch_add(&n_freed, 1);
}

static PyObject *frame_code(PyObject *frame)
{
    code.references++;
    return &code;
}

static int frame_line(PyObject *frame)
{
    return atomic_load(&((TestFrame *)frame)->line);
}

static PyThread *current_state(void)
{
    return NULL;
}

static uint64_t state_id(PyThread *state)
{
    return 1;
}

static int is_initialized(void)
{
    return 1;
}

static int add_pending_call(int (*function)(void *), void *argument)
{
    __atomic_store_n(&pending, function, __ATOMIC_RELEASE);
    return 0;
}

static int acquire_lock(void)
{
    g_error("A thread that wants its stack asks for the interpreter's lock");
    return 0;
}

/* Holds a thread in the middle of reading its stack. */
static struct {
    pthread_mutex_t mutex; /* ThreadSanitizer does not see the locks of GLib */
    pthread_cond_t changed;
    int wanted, is_held;
} hold = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static int frame_instruction(PyObject *frame)
{
    struct timespec deadline = {.tv_sec = time(NULL) + HELD_S};

    pthread_mutex_lock(&hold.mutex);
    hold.is_held = hold.wanted;
    pthread_cond_broadcast(&hold.changed);
    while (hold.wanted)
        g_assert_cmpint(pthread_cond_timedwait(&hold.changed, &hold.mutex, &deadline), ==, 0);
    hold.is_held = 0;
    pthread_mutex_unlock(&hold.mutex);
    return frame_line(frame);
}

static void want_hold(int wanted)
{
    pthread_mutex_lock(&hold.mutex);
    hold.wanted = wanted;
    pthread_cond_broadcast(&hold.changed);
    pthread_mutex_unlock(&hold.mutex);
}

static void wait_until_held(void)
{
    struct timespec deadline = {.tv_sec = time(NULL) + HELD_S};

    pthread_mutex_lock(&hold.mutex);
    while (!hold.is_held)
        g_assert_cmpint(pthread_cond_timedwait(&hold.changed, &hold.mutex, &deadline), ==, 0);
    pthread_mutex_unlock(&hold.mutex);
}

/* ---- stubs of the collector's other parts ---- */

const CallName *names_of_code(PyObject *unused)
{
    static CallName name;

    name = (CallName){&code, NULL, code_text, 0, CALL_PLAIN};
    return &name;
}

const CallName *names_of_builtin(PyObject *function)
{
    return names_of_code(function);
}

StrobeStringId names_code_again(PyObject *unused)
{
    return 0;
}

StrobeStringId names_builtin_again(PyObject *function)
{
    return 0;
}

StrobeStringId modules_name(PyObject *frame, int64_t *number)
{
    return 0;
}

StrobeStringId modules_name_again(PyObject *frame, int64_t number)
{
    return 0;
}

/* ---- the host ---- */

static char texts[64][64];
static uint32_t n_texts;
static pthread_mutex_t texts_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread char stack_text[256];

static StrobeStringId intern_text(StrobeWriter *writer, const char *bytes, size_t length)
{
    char *text = g_strndup(bytes, length);
    uint32_t id = 1;

    pthread_mutex_lock(&texts_lock);
    while (id <= n_texts && strcmp(texts[id], text) != 0)
        id++;
    if (id > n_texts) {
        g_assert_cmpuint(id, <, G_N_ELEMENTS(texts));
        g_strlcpy(texts[id], text, sizeof texts[id]);
        n_texts = id;
    }
    pthread_mutex_unlock(&texts_lock);
    g_free(text);
    return id;
}

static StrobeStackId make_stack(StrobeWriter *writer, const StrobeStringId *ids, size_t n)
{
    stack_text[0] = '\0';
    pthread_mutex_lock(&texts_lock);
    for (size_t i = 0; i < n; i++) {
        g_strlcat(stack_text, texts[ids[i]], sizeof stack_text);
        g_strlcat(stack_text, ";", sizeof stack_text);
    }
    pthread_mutex_unlock(&texts_lock);
    return 1;
}

static StrobeWriter *get_writer(StrobeInstance *self)
{
    return NULL;
}

static uint64_t read_clock(void)
{
    return 1;
}

static const StrobeHost host = {.struct_size = sizeof host,
                                .intern = intern_text,
                                .stack = make_stack,
                                .writer = get_writer,
                                .now = read_clock};

/* ---- the tests ---- */

/* Begins a window in the same way as python_call_start(). */
static void begin_window(void)
{
    atomic_fetch_add(&tracer.windows, 1);
    atomic_store(&tracer.is_on, 1);
}

/* Ends a window in the same way as python_call_stop(). */
static void end_window(void)
{
    atomic_store(&tracer.is_on, 0);
    tracer_leave_all();
}

static void begin_process(void)
{
    const char *file = "file.py", *function = "work";

    python_api.minor = 11;
    python_api.is_initialized = is_initialized;
    python_api.add_pending_call = add_pending_call;
    python_api.lock = acquire_lock;
    python_api.unref = release_object;
    python_api.frame_code = frame_code;
    python_api.frame_line = frame_line;
    python_api.thread = current_state;
    python_api.thread_id = state_id;
    python_api.frame_instruction = frame_instruction;
    code_text = code_text_new(1, file, strlen(file), function, strlen(function));
    tracer.host = &host;
    tracer_prepare_process();
}

/* Lets the thread enter the window. Runs in the recorded thread, which would hold the interpreter's
 * lock. */
static void enter_thread(void)
{
    Thread *thread = tracer_enter(&frames);

    g_assert_nonnull(thread);
    for (uint32_t i = 0; i < DEPTH; i++) {
        frames[i].head.references = 1; /* the interpreter's reference */
        atomic_store(&frames[i].line, (int)i + 1);
        tracer_call(thread, &frames[i].head);
    }
}

static StrobeStackId request_stack(void)
{
    return strobe_python_stack_1.stack(NULL);
}

static gpointer enter_and_ask(gpointer unused)
{
    enter_thread();
    StrobeStackId stack = request_stack();
    g_assert_cmpstr(stack ? stack_text : "", ==,
                    "file.py(3): work;file.py(2): work;file.py(1): work;");
    g_assert_cmpuint(request_stack(), ==, 0); /* the window has ended */
    return GUINT_TO_POINTER(stack);
}

static void assert_references(ptrdiff_t expected)
{
    for (uint32_t i = 0; i < DEPTH; i++)
        g_assert_cmpint(frames[i].head.references, ==, expected);
}

/* The window ends while a thread is held in reading its frames. The references to the frames are
 * released after the thread has read them. */
static void test_window_ends_meanwhile(void)
{
    begin_window();
    want_hold(1);
    GThread *thread = g_thread_new("operator", enter_and_ask, NULL);
    wait_until_held();
    assert_references(2);
    end_window();
    assert_references(2);
    g_assert_null(pending);
    want_hold(0);
    while (!__atomic_load_n(&pending, __ATOMIC_ACQUIRE))
        g_thread_yield();
    g_assert_cmpuint(GPOINTER_TO_UINT(g_thread_join(thread)), ==, 1);
}

/* The interpreter's main thread is about to run. */
static gpointer enter_ask_and_wait(gpointer memory)
{
    _Atomic int *is_over = memory;

    enter_thread();
    g_assert_cmpuint(request_stack(), ==, 1);
    while (!atomic_load(is_over))
        g_thread_yield();
    return NULL;
}

static void test_frames_are_given_up_later(void)
{
    _Atomic int is_over = 0;

    pending = NULL;
    begin_window();
    want_hold(1);
    GThread *thread = g_thread_new("operator", enter_ask_and_wait, &is_over);
    wait_until_held();
    end_window();
    want_hold(0);
    while (!__atomic_load_n(&pending, __ATOMIC_ACQUIRE))
        g_thread_yield();
    assert_references(2);
    pending(NULL);
    assert_references(1);
    atomic_store(&is_over, 1);
    g_thread_join(thread);
}

/* ---- at random ---- */

static pthread_mutex_t interpreter = PTHREAD_MUTEX_INITIALIZER; /* the interpreter's lock */

static gpointer run_worker(gpointer memory)
{
    _Atomic int *is_over = memory;
    TestFrame own = {.head = {.references = 1}, .line = 1};

    while (!atomic_load(is_over)) {
        pthread_mutex_lock(&interpreter);
        Thread *thread = tracer_thread;
        if (atomic_load(&tracer.is_on) && (!thread || thread->source != &tracer))
            thread = tracer_enter(&tracer);
        int is_in = thread && thread->source == &tracer;
        if (is_in)
            tracer_call(thread, &own.head);
        pthread_mutex_unlock(&interpreter);
        for (int i = 0; i < 20; i++)
            if (request_stack())
                g_assert_cmpstr(stack_text, ==, "file.py(1): work;");
        pthread_mutex_lock(&interpreter);
        if (is_in && thread->source == &tracer)
            tracer_return(thread, &own.head);
        pthread_mutex_unlock(&interpreter);
    }
    pthread_mutex_lock(&interpreter);
    if (tracer_thread)
        tracer_leave(tracer_thread);
    g_assert_cmpint(own.head.references, ==, 1);
    pthread_mutex_unlock(&interpreter);
    return NULL;
}

static void test_many_windows(void)
{
    _Atomic int is_over = 0;
    GThread *threads[3];

    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("operators", run_worker, &is_over);
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&interpreter);
        begin_window();
        pthread_mutex_unlock(&interpreter);
        g_usleep(i % 100);
        pthread_mutex_lock(&interpreter);
        end_window();
        pthread_mutex_unlock(&interpreter);
    }
    atomic_store(&is_over, 1);
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    g_assert_cmpint(atomic_load(&n_freed), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    begin_process();
    g_test_add_func("/python_call/stacks/window-ends-meanwhile", test_window_ends_meanwhile);
    g_test_add_func("/python_call/stacks/given-up-later", test_frames_are_given_up_later);
    g_test_add_func("/python_call/stacks/many-windows", test_many_windows);
    return g_test_run();
}
