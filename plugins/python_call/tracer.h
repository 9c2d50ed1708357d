/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open calls of each thread, and their records.
 *
 * Unless a comment says otherwise, every function here is called with the interpreter's lock, which
 * guards all state. Each thread makes its own Thread and frees it as it ends. Code without the lock
 * (python-call-stacks.c) reads the frames between tracer_begin_reading and tracer_end_reading; no
 * frame is removed meanwhile.
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
    int64_t module;      /* number of the nn.Module, STROBE_ABSENT_I64: none */
    PyObject *builtin;   /* strong, of a C function whose name has no lasting id */
    StrobeStringId name; /* 0: to be made again when the call ends */
    uint16_t is_python;  /* it has a frame, too */
    uint16_t is_own;     /* Strobe's, which becomes no record */
} Call;

/* A frame of Python code. */
typedef struct Frame {
    PyObject *frame;        /* strong */
    CodeText *text;         /* of its code, used; NULL: there was no memory */
    uint32_t is_in_builtin; /* it calls a C function of which the interpreter will report the end */
    uint32_t is_own;        /* of Strobe's package, which is in no stack */
} Frame;

/* A frame that was in a C function when its thread was left; only compared. */
typedef struct LeftFrame {
    const PyObject *frame;
    int line;
} LeftFrame;

typedef struct StackCache StackCache;

typedef struct Thread {
    Call *calls;
    Frame *frames;
    uint32_t n_calls, n_frames;
    uint32_t n_located;    /* frames from the outermost on whose line cannot have changed */
    uint32_t stack_is_new; /* the frames have changed since the last stack */
    const void *source;    /* the source of the events: valid while it is this */
    uint32_t window;       /* to which all of this belongs */
    uint32_t calls_size, frames_size;
    uint32_t n_missed; /* calls that are open and found no room */
    uint64_t tid;      /* kernel id */
    uint64_t state_id; /* of the interpreter's thread state that the frames belong to */
    LeftFrame *left;   /* valid until the thread enters again */
    uint32_t n_left, left_size;
    StackCache *stacks;
    void (*free_stacks)(StackCache *stacks); /* NULL: there are none */
    _Atomic uint32_t is_open;                /* its frames may be read */
    _Atomic uint32_t is_read;                /* the thread itself reads them, without the lock */
    struct Thread *next, **link;             /* list of all */
} Thread;

typedef struct Tracer {
    const StrobeHost *host; /* of the last session: what is on its way may come after it */
    StrobeInstance *self;
    StrobeKindId kind;
    int records;                  /* option calls: each call becomes a record */
    int builtins;                 /* those of C functions, too */
    _Atomic int is_on;            /* a window records; a fork clears it */
    _Atomic uint32_t windows;     /* counts the starts */
    uint64_t last_id;             /* of a call in this window */
    uint64_t n_missed;            /* calls without room in this window */
    _Atomic uint64_t n_stackless; /* stacks of others without room for a text; told at its end */
} Tracer;

extern Tracer tracer;

/* The calling thread's own, NULL: none yet. No lock needed. One load: a few bytes find room in the
 * static storage of a program that is running, too. */
extern __thread Thread *tracer_thread __attribute__((tls_model("initial-exec")));

/* The calling thread reads its own frames, without the lock and never waiting for it. 0: they must
 * not be read, and nothing is to be ended. */
int tracer_begin_reading(Thread *thread);
void tracer_end_reading(Thread *thread);

/* Called once per process. */
void tracer_prepare_process(void);

/* The calling thread enters the present window, with no call open. NULL: no memory. */
Thread *tracer_enter(const void *source);

/* Ends the open calls of a thread, now. May be called for any thread; its source is no more. Frames
 * that the thread is reading are given up when it has read them. */
void tracer_leave(Thread *thread);
/* The same for all threads. */
void tracer_leave_all(void);
/* The same for the thread with this source, if there is one. Returns whether it had frames open. */
int tracer_leave_source(const void *source);

/* The frames that are open in a thread, innermost first; strong references. */
typedef struct TracerFrames {
    PyObject **frames;
    uint32_t n, size;
} TracerFrames;

void tracer_take_frames(TracerFrames *open, PyThread *thread);

/* A frame that is open already when its thread enters, outermost first. Takes over the reference.
 */
void tracer_open(Thread *thread, PyObject *frame, uint64_t begin);
/* All that are open in the calling thread, as of now. */
void tracer_open_all(Thread *thread);

/* Returns the call's role, CALL_*. */
int tracer_call(Thread *thread, PyObject *frame);
void tracer_return(Thread *thread, PyObject *frame);
void tracer_builtin_call(Thread *thread, PyObject *function);
void tracer_builtin_return(Thread *thread);

/* Calls `function` with each frame of the thread, outermost first, that is in a C function whose
 * begin was reported here: the interpreter reports its end to whatever profile function is set
 * then. Counts windows that are over, too. */
void tracer_for_each_in_builtin(PyThread *thread, void (*function)(PyObject *frame, void *user),
                                void *user);

#endif
