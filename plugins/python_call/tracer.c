/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "modules.h"
#include "names.h"

#define CALLS_FIRST 256u
#define CALLS_LAST (1u << 22) /* maximum number of open calls in one thread */

Tracer tracer;
__thread Thread *tracer_thread;

static pthread_key_t thread_key;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static Thread *threads;

/* Objects that are released later, when no lock is held, because their destructors may run any
 * code. */
static struct {
    PyObject **objects;
    uint32_t n, size;
} garbage;

/* ---- threads ---- */

/* Frees the thread's state when the thread ends. Does not release the frames in its list, because
 * the interpreter's lock is not held; the thread does not run these frames any more. */
static void free_thread(void *memory)
{
    Thread *thread = memory;

    pthread_mutex_lock(&list_lock);
    *thread->link = thread->next;
    if (thread->next)
        thread->next->link = thread->link;
    pthread_mutex_unlock(&list_lock);
    tracer_thread = NULL;
    if (thread->free_stacks)
        thread->free_stacks(thread->stacks);
    free(thread->calls);
    free(thread->frames);
    free(thread->left);
    free(thread);
}

/* Initialises the state in a forked child, which has no other threads. One of the other threads may
 * have held the lock. */
static void stop_in_child(void)
{
    atomic_store(&tracer.is_on, 0);
    pthread_mutex_init(&list_lock, NULL);
    threads = tracer_thread;
    if (!threads)
        return;
    threads->next = NULL;
    threads->source = NULL; /* makes the thread enter again at its next event */
    threads->link = &threads;
}

void tracer_prepare_process(void)
{
    pthread_key_create(&thread_key, free_thread);
    pthread_atfork(NULL, NULL, stop_in_child);
}

static Thread *make_thread(void)
{
    Thread *thread = calloc(1, sizeof *thread);

    if (!thread || pthread_setspecific(thread_key, thread) != 0) {
        free(thread);
        return NULL;
    }
    pthread_mutex_lock(&list_lock);
    thread->next = threads;
    thread->link = &threads;
    if (threads)
        threads->link = &thread->next;
    threads = thread;
    pthread_mutex_unlock(&list_lock);
    return tracer_thread = thread;
}

Thread *tracer_enter(const void *source)
{
    Thread *thread = tracer_thread ? tracer_thread : make_thread();

    if (!thread)
        return NULL;
    tracer_leave(thread);
    thread->tid = (uint64_t)gettid();
    thread->window = atomic_load(&tracer.windows);
    thread->source = source;
    atomic_store(&thread->is_open, 1);
    return thread;
}

/* ---- reading without the lock ---- */

int tracer_begin_reading(Thread *thread)
{
    atomic_store(&thread->is_read,
                 /* set before is_open is read; leave_thread() first clears is_open, then reads
                  * is_read */
                 1);
    if (atomic_load(&thread->is_open))
        return 1;
    atomic_store(&thread->is_read, 0);
    return 0;
}

static void drop_left_frames(void);

/* Drops frames in a pending call: the interpreter soon calls this function in its main thread. */
static int drop_later(void *unused)
{
    drop_left_frames();
    return 0;
}

/* Returns whether the interpreter is ending, in which case it accepts no pending calls. */
static int is_going(void)
{
    const PythonApi *python = &python_api;

    return !python->is_initialized() || (python->is_finalizing && python->is_finalizing()) ||
           (python->was_finalizing && python->was_finalizing());
}

/* Requests a call of drop_later if the thread was left while it was reading. Uses
 * Py_AddPendingCall, the only function of the interpreter that needs no lock. If the interpreter's
 * list of pending calls is full, the frames are dropped at the end of the next window. */
void tracer_end_reading(Thread *thread)
{
    atomic_store(&thread->is_read, 0);
    if (__builtin_expect(!atomic_load(&thread->is_open), 0) && !is_going())
        python_api.add_pending_call(drop_later, NULL);
}

/* ---- room ---- */

/* Doubles the size of an array of `size` items. Returns 0 if there is no memory, or the array would
 * be too large. */
static int grow_array(void **array, uint32_t *size, size_t item)
{
    uint32_t grown = *size ? 2 * *size : CALLS_FIRST;
    void *memory = grown <= CALLS_LAST ? realloc(*array, grown * item) : NULL;

    if (!memory)
        return 0;
    *array = memory;
    *size = grown;
    return 1;
}

/* Releases a reference. If it is the last one to the object, empty_garbage releases it later. */
static void release_object(PyObject *object)
{
    if ((uint32_t)object->references != 1)
        python_unref(object);
    else if (garbage.n < garbage.size ||
             grow_array((void **)&garbage.objects, &garbage.size, sizeof *garbage.objects))
        garbage.objects[garbage.n++] = object;
}

static void empty_garbage(void)
{
    while (garbage.n)
        python_api.unref(garbage.objects[--garbage.n]);
}

static int has_room(Thread *thread)
{
    if (__builtin_expect(thread->n_calls == thread->calls_size, 0) &&
        !grow_array((void **)&thread->calls, &thread->calls_size, sizeof *thread->calls))
        return 0;
    return __builtin_expect(thread->n_frames < thread->frames_size, 1) ||
           grow_array((void **)&thread->frames, &thread->frames_size, sizeof *thread->frames);
}

static int find_room(Thread *thread)
{
    if (__builtin_expect(has_room(thread), 1))
        return 1;
    thread->n_missed++;
    tracer.n_missed++;
    return 0;
}

/* ---- calls ---- */

/* Pushes a call of Strobe's own code. Calls that are made by this code get the call around it as
 * their parent. */
static void push_own_call(Thread *thread, int is_python)
{
    Call *call = &thread->calls[thread->n_calls++];

    *call = (Call){
        .id = thread->n_calls > 1 ? call[-1].id : 0, .is_python = (uint16_t)is_python, .is_own = 1};
}

static void push_call(Thread *thread, const CallName *name, int64_t module, StrobeStringId id,
                      int is_python)
{
    Call *call = &thread->calls[thread->n_calls++];

    call->id = ++tracer.last_id;
    call->module = module;
    call->name = id ? id : name ? name->id : 0;
    call->builtin = NULL;
    call->is_python = (uint16_t)is_python;
    call->is_own = 0;
}

/* Pushes a frame. The thread then owns the reference. Returns the name of the frame's code. */
static const CallName *push_frame(Thread *thread, PyObject *frame)
{
    PyObject *code = python_api.frame_code(frame);
    const CallName *name = names_of_code(code);
    Frame *top = &thread->frames[thread->n_frames++];

    python_unref(code); /* the frame has another reference to the code */
    *top = (Frame){
        .frame = frame, .text = code_text_use(name->text), .is_own = name->role == CALL_OF_STROBE};
    /* a thread of a C library has a new thread state each time that it enters Python */
    if (thread->n_frames == 1)
        thread->state_id = python_api.thread_id(python_api.thread());
    thread->stack_is_new = 1;
    return name;
}

static int begin_python(Thread *thread, PyObject *frame, uint64_t begin)
{
    const CallName *name = push_frame(thread, frame);
    int role = name->role;
    int64_t module = STROBE_ABSENT_I64;
    StrobeStringId id = 0;

    if (!tracer.records)
        return role;
    if (__builtin_expect(role == CALL_OF_STROBE, 0)) {
        push_own_call(thread, 1);
        return role;
    }
    if (__builtin_expect(role == CALL_OF_MODULE, 0))
        id = modules_name(frame, &module);
    push_call(thread, name, module, id, 1);
    thread->calls[thread->n_calls - 1].begin = begin ? begin : tracer.host->now();
    return role;
}

/* Returns whether the frame was in a C function when tracer_leave was called for its thread, and is
 * still at the same line. */
static int is_left_in_builtin(const Thread *thread, PyObject *frame)
{
    for (uint32_t i = 0; i < thread->n_left; i++)
        if (thread->left[i].frame == frame)
            return thread->left[i].line == python_api.frame_line(frame);
    return 0;
}

void tracer_open(Thread *thread, PyObject *frame, uint64_t begin)
{
    if (!find_room(thread)) {
        python_unref(frame);
        return;
    }
    begin_python(thread, frame, begin);
    thread->frames[thread->n_frames - 1].is_in_builtin =
        (uint32_t)is_left_in_builtin(thread, frame);
}

void tracer_open_all(Thread *thread)
{
    const PythonApi *python = &python_api;
    uint64_t begin = tracer.host->now();
    TracerFrames open = {NULL, 0, 0};

    tracer_take_frames(&open, python->thread());
    while (open.n)
        tracer_open(thread, open.frames[--open.n], begin);
    free(open.frames);
}

void tracer_take_frames(TracerFrames *open, PyThread *thread)
{
    PyObject *frame = python_api.top_frame(thread);

    while (frame && (open->n < open->size ||
                     grow_array((void **)&open->frames, &open->size, sizeof *open->frames))) {
        open->frames[open->n++] = frame;
        frame = python_api.frame_back(frame);
    }
    if (frame)
        python_unref(frame);
}

int tracer_call(Thread *thread, PyObject *frame)
{
    if (!find_room(thread))
        return CALL_PLAIN;
    python_ref(frame);
    return begin_python(thread, frame, 0);
}

static void set_in_builtin(Thread *thread, uint32_t is_in)
{
    if (__builtin_expect(thread->n_frames > 0, 1))
        thread->frames[thread->n_frames - 1].is_in_builtin = is_in;
}

void tracer_builtin_call(Thread *thread, PyObject *function)
{
    const CallName *name;

    set_in_builtin(thread, 1);
    if (!tracer.records || !tracer.builtins || !find_room(thread))
        return;
    if (__builtin_expect(thread->n_calls && thread->calls[thread->n_calls - 1].is_own, 0)) {
        push_own_call(thread, 0);
        return;
    }
    name = names_of_builtin(function);
    push_call(thread, name, STROBE_ABSENT_I64, 0, 0);
    Call *call = &thread->calls[thread->n_calls - 1];
    if (__builtin_expect(!call->name, 0)) {
        python_ref(function);
        call->builtin = function;
    }
    call->begin = tracer.host->now();
}

/* ---- records ---- */

/* Interns a name again, right before its record, because its earlier id did not last. */
static StrobeStringId name_again(const Call *call, const Frame *frame)
{
    if (!call->is_python)
        return call->builtin ? names_builtin_again(call->builtin) : 0;
    if (!frame)
        return 0;
    if (call->module != STROBE_ABSENT_I64)
        return modules_name_again(frame->frame, call->module);
    PyObject *code = python_api.frame_code(frame->frame);
    StrobeStringId name = names_code_again(code);
    python_unref(code);
    return name;
}

/* Removes the innermost call and records it. `frame` is the innermost Python frame. */
static void end_call(Thread *thread, const Frame *frame, uint64_t end, StrobeTrackId track)
{
    const StrobeHost *host = tracer.host;
    const Call *call = &thread->calls[--thread->n_calls];

    if (__builtin_expect(call->is_own, 0))
        return;
    StrobeStringId name = call->name ? call->name : name_again(call, frame);
    uint64_t parent = thread->n_calls ? call[-1].id : 0;
    StrobeWriter *writer = host->writer(tracer.self);
    struct strobe_python_call *record =
        writer ? host->reserve(writer, tracer.kind, track, name, call->begin, end) : NULL;

    if (record) {
        record->id = call->id;
        record->parent = parent;
        record->module = call->module;
        host->commit(writer);
    }
    if (__builtin_expect(call->builtin != NULL, 0))
        release_object(call->builtin);
}

static void pop_frame(Thread *thread)
{
    Frame top = thread->frames[--thread->n_frames];

    /* the caller continues and may reach another line */
    if (thread->n_located >= thread->n_frames)
        thread->n_located = thread->n_frames ? thread->n_frames - 1 : 0;
    thread->stack_is_new = 1;
    code_text_leave(top.text);
    release_object(top.frame);
}

/* Ends the innermost frame. Before that, ends the C functions in it whose return was not
 * reported. */
static void end_frame(Thread *thread, uint64_t end, StrobeTrackId track)
{
    const Frame *top = &thread->frames[thread->n_frames - 1];

    while (thread->n_calls && !thread->calls[thread->n_calls - 1].is_python)
        end_call(thread, NULL, end, track);
    if (thread->n_calls)
        end_call(thread, top, end, track);
    pop_frame(thread);
}

void tracer_return(Thread *thread, PyObject *frame)
{
    uint64_t end = tracer.host->now();
    uint32_t depth = thread->n_frames;

    while (__builtin_expect(depth && thread->frames[depth - 1].frame != frame, 0))
        depth--;
    if (!depth) {
        thread->n_missed -= thread->n_missed > 0;
        return; /* the call was not recorded */
    }
    while (thread->n_frames >= depth)
        end_frame(thread, end, 0);
    if (__builtin_expect(garbage.n, 0))
        empty_garbage();
}

void tracer_builtin_return(Thread *thread)
{
    uint64_t end = tracer.host->now();

    set_in_builtin(thread, 0);
    if (thread->n_calls && !thread->calls[thread->n_calls - 1].is_python)
        end_call(thread, NULL, end, 0);
    else
        thread->n_missed -= thread->n_missed > 0;
    if (__builtin_expect(garbage.n, 0))
        empty_garbage();
}

/* Makes the thread's track, for records that are written by another thread. Is called only if such
 * a record is written, because the host never frees a track. */
static StrobeTrackId track_of(const Thread *thread)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .clock = STROBE_CLOCK_HOST,
                               .device = -1,
                               .id = thread->tid};

    return tracer.host->track(tracer.self, &track);
}

/* Ends all calls of the thread, innermost first. The frames stay in the thread's list. */
static void end_calls(Thread *thread)
{
    int is_now = thread->window == atomic_load(&tracer.windows);
    int is_other = thread != tracer_thread && is_now && thread->n_calls;
    StrobeTrackId track = is_other ? track_of(thread) : 0;
    uint64_t end = is_now ? tracer.host->now() : 0;

    uint32_t depth = thread->n_frames;

    if (!is_now)
        /* the calls belong to an earlier window and can no longer be recorded */
        thread->n_calls = 0;
    while (thread->n_calls) {
        int has_frame = thread->calls[thread->n_calls - 1].is_python && depth;
        end_call(thread, has_frame ? &thread->frames[--depth] : NULL, end, track);
    }
    thread->n_missed = 0;
}

/* Drops the thread's frames, unless the thread is reading them without the lock to record an
 * operator's stack. Does not wait for the reader, which may take any time. */
static void drop_frames(Thread *thread)
{
    if (atomic_load(&thread->is_read))
        return; /* tracer_end_reading then requests a call of drop_left_frames */
    while (thread->n_frames)
        pop_frame(thread);
    thread->n_located = 0;
    thread->stack_is_new = 1;
}

/* Stores in `left` the frames that are in a C function, before all frames are dropped. If the
 * thread has no frames, because it had no event since tracer_leave, the earlier list is not
 * changed. */
static void keep_left_frames(Thread *thread)
{
    if (thread->n_frames)
        thread->n_left = 0;
    for (uint32_t i = 0; i < thread->n_frames; i++) {
        PyObject *frame = thread->frames[i].frame;
        if (!thread->frames[i].is_in_builtin)
            continue;
        if (thread->n_left == thread->left_size &&
            !grow_array((void **)&thread->left, &thread->left_size, sizeof *thread->left))
            return;
        thread->left[thread->n_left++] = (LeftFrame){frame, python_api.frame_line(frame)};
    }
}

static void leave_thread(Thread *thread)
{
    thread->source = NULL;
    if (atomic_load(&thread->is_open))
        keep_left_frames(thread);
    end_calls(thread);
    atomic_store(&thread->is_open, 0);
    drop_frames(thread);
}

/* Drops the frames that leave_thread could not drop because their thread was reading them. */
static void drop_left_frames(void)
{
    pthread_mutex_lock(&list_lock);
    for (Thread *thread = threads; thread; thread = thread->next)
        if (!atomic_load(&thread->is_open))
            drop_frames(thread);
    pthread_mutex_unlock(&list_lock);
    empty_garbage();
}

void tracer_leave(Thread *thread)
{
    leave_thread(thread);
    empty_garbage();
}

/* Stops recording the threads with this source, or all threads. Returns the number of frames that
 * were open. */
static uint64_t leave_those(const void *source, int all)
{
    uint64_t n_open = 0;

    pthread_mutex_lock(&list_lock);
    for (Thread *thread = threads; thread; thread = thread->next) {
        if (!all && thread->source != source)
            continue;
        n_open += thread->n_frames;
        leave_thread(thread);
    }
    pthread_mutex_unlock(&list_lock);
    empty_garbage();
    return n_open;
}

void tracer_leave_all(void)
{
    leave_those(NULL, 1);
}

int tracer_leave_source(const void *source)
{
    return leave_those(source, 0) > 0;
}

/* ---- C functions whose end is reported to another profiler ---- */

static int is_in_builtin(const Thread *thread, PyObject *frame)
{
    if (!atomic_load(&thread->is_open))
        return is_left_in_builtin(thread, frame);
    for (uint32_t i = thread->n_frames; i-- > 0;)
        if (thread->frames[i].frame == frame)
            return thread->frames[i].is_in_builtin != 0;
    return 0;
}

static const Thread *thread_of_state(uint64_t state_id)
{
    const Thread *found = threads;

    while (found && found->state_id != state_id)
        found = found->next;
    return found;
}

/* Removes all frames from `open` except those that are in a C function. The interpreter has a
 * reference to each frame, so python_unref frees no frame. */
static void keep_those_in_builtin(TracerFrames *open, uint64_t state_id)
{
    uint32_t n = 0;

    /* the thread may end without the interpreter's lock, which frees its Thread */
    pthread_mutex_lock(&list_lock);
    const Thread *thread = thread_of_state(state_id);
    for (uint32_t i = 0; i < open->n; i++)
        if (thread && is_in_builtin(thread, open->frames[i]))
            open->frames[n++] = open->frames[i];
        else
            python_unref(open->frames[i]);
    pthread_mutex_unlock(&list_lock);
    open->n = n;
}

void tracer_for_each_in_builtin(PyThread *thread, void (*function)(PyObject *frame, void *user),
                                void *user)
{
    TracerFrames open = {NULL, 0, 0};

    tracer_take_frames(&open, thread);
    keep_those_in_builtin(&open, python_api.thread_id(thread));
    while (open.n) {
        PyObject *frame = open.frames[--open.n];
        function(frame, user);
        python_unref(frame);
    }
    free(open.frames);
}
