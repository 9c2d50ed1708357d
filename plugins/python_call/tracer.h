/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open calls of each thread, and their records.
 *
 * Unless a comment says otherwise, the caller of each function must hold the interpreter's lock,
 * which protects all state. A thread enters a window (tracer_enter) when it begins to be recorded,
 * and leaves the window (tracer_leave) when its recording ends. Each thread makes its own Thread
 * and frees it as it ends. Code without the lock (python-call-stacks.c) reads the frames between
 * tracer_begin_reading and tracer_end_reading; no frame is removed meanwhile.
 */
#ifndef STROBE_PYTHON_CALL_TRACER_H
#define STROBE_PYTHON_CALL_TRACER_H

#include <stdatomic.h>
#include <stdint.h>

#include <strobe/collector.h>
#include <strobe/kinds.h>

#include "code-text.h"
#include "python-api.h"

/* A call that becomes a record. */
typedef struct Call {
    uint64_t begin;
    uint64_t id;
    int64_t module;      /* number of the nn.Module; STROBE_ABSENT_I64: the call is of no module */
    PyObject *builtin;   /* strong reference to a C function whose name has no lasting id */
    StrobeStringId name; /* 0: the name is interned again when the call ends */
    uint16_t is_python;  /* the call has a frame */
    uint16_t is_own;     /* the call is of Strobe's own code and is not recorded */
} Call;

/* A frame of Python code. */
typedef struct Frame {
    PyObject *frame; /* strong reference */
    /* file and function of its code, of which the frame is a user; NULL: out of memory */
    CodeText *text;
    /* the frame has called a C function whose end the interpreter will report */
    uint32_t is_in_builtin;
    uint32_t is_own; /* a frame of Strobe's package, which is omitted from stacks */
} Frame;

/* A frame that was in a C function when tracer_leave was called for its thread. The pointer is used
 * only for comparisons. */
typedef struct LeftFrame {
    const PyObject *frame;
    int line;
} LeftFrame;

typedef struct StackCache StackCache;

typedef struct Thread {
    Call *calls;
    Frame *frames;
    uint32_t n_calls, n_frames;
    uint32_t n_located;    /* number of outermost frames whose line cannot have changed */
    uint32_t stack_is_new; /* the frames have changed since the last stack */
    const void *source;    /* source of the thread's events; NULL: the thread has left the window */
    uint32_t window;       /* the window to which the calls and frames belong */
    uint32_t calls_size, frames_size;
    uint32_t n_missed; /* number of open calls for which there was no room */
    uint64_t tid;      /* the kernel's id of the thread */
    uint64_t state_id; /* id of the interpreter's thread state with these frames */
    /* frames in C functions at the last tracer_leave; valid until the thread enters again */
    LeftFrame *left;
    uint32_t n_left, left_size;
    StackCache *stacks;
    void (*free_stacks)(StackCache *stacks); /* frees `stacks`; NULL: there are none */
    _Atomic uint32_t is_open;                /* its frames may be read */
    /* the thread itself reads its frames, without the lock */
    _Atomic uint32_t is_read;
    struct Thread *next, **link; /* list of all Threads */
} Thread;

typedef struct Tracer {
    const StrobeHost *host; /* host of the last session, also used by calls that end after it */
    StrobeInstance *self;
    StrobeKindId kind;
    int records;              /* option `calls`: record each call */
    int builtins;             /* option `builtins`: also record calls of C functions */
    _Atomic int is_on;        /* a window records; cleared in a forked child */
    _Atomic uint32_t windows; /* number of windows that have begun */
    uint64_t last_id;         /* id of the last call in this window */
    uint64_t n_missed;        /* number of calls of this window for which there was no room */
    /* number of stacks for other collectors for whose text there was no room; reported at the
     * window's end */
    _Atomic uint64_t n_stackless;
} Tracer;

extern Tracer tracer;

/* State of the calling thread; NULL: it has not entered a window yet. Needs no lock. Reading it
 * takes one load; initial-exec works even in a program that is already running, because the
 * variable needs only a few bytes of static thread storage. */
extern __thread Thread *tracer_thread __attribute__((tls_model("initial-exec")));

/* Begin and end the reading of the calling thread's own frames, which needs no lock and never
 * waits. If tracer_begin_reading returns 0, the caller must neither read the frames nor call
 * tracer_end_reading. */
int tracer_begin_reading(Thread *thread);
void tracer_end_reading(Thread *thread);

/* Must be called once in each process. */
void tracer_prepare_process(void);

/* Lets the calling thread enter the present window, without open calls. Returns NULL if out of
 * memory. */
Thread *tracer_enter(const void *source);

/* Ends the open calls of a thread at the present time, and clears its source. `thread` may be any
 * thread. If the thread is reading its frames, the frames are dropped when the thread has finished
 * reading. */
void tracer_leave(Thread *thread);
/* Calls tracer_leave for all threads. */
void tracer_leave_all(void);
/* Calls tracer_leave for the thread with this source, if there is one. Returns whether the thread
 * had open frames. */
int tracer_leave_source(const void *source);

/* The open frames of a thread, innermost first. The references are strong. */
typedef struct TracerFrames {
    PyObject **frames;
    uint32_t n, size;
} TracerFrames;

void tracer_take_frames(TracerFrames *open, PyThread *thread);

/* Adds a frame that was open when its thread entered the window. Must be called for the outermost
 * frame first. Takes over the reference. */
void tracer_open(Thread *thread, PyObject *frame, uint64_t begin);
/* Adds all frames that are open in the calling thread, with the present time as their begin. */
void tracer_open_all(Thread *thread);

/* Adds a call of a Python function. Returns its role, CALL_*. */
int tracer_call(Thread *thread, PyObject *frame);
void tracer_return(Thread *thread, PyObject *frame);
void tracer_builtin_call(Thread *thread, PyObject *function);
void tracer_builtin_return(Thread *thread);

/* Calls `function` with each frame of the thread, outermost first, that is in a C function whose
 * begin was reported to the collector, even in an earlier window. The interpreter will report the
 * end to the profile function that is set at that time. */
void tracer_for_each_in_builtin(PyThread *thread, void (*function)(PyObject *frame, void *user),
                                void *user);

#endif
