/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated driver: one platform with one device, which OpenCL's ICD loader finds by
 * OCL_ICD_VENDORS. Numbers and layouts are those of the published interface.
 *
 * OPENCL_DOUBLE_CLOCK   "ppm,jump_at_ms,jump_ns": the error of the clock's rate, and its jump
 * OPENCL_DOUBLE_TIMER   1: clGetDeviceAndHostTimer works; otherwise it fails with -59
 * OPENCL_DOUBLE_NO_QUEUED  if set: QUEUED and SUBMIT are 0
 * OPENCL_DOUBLE_FAIL    a function that always fails, or "profiling": no queue may be profiled;
 *                       with ":n" from its n-th call on
 * OPENCL_DOUBLE_REPORT  a file: the true times of kernels, and the objects that were never released
 */
#ifndef STROBE_TESTS_OPENCL_DOUBLE_H
#define STROBE_TESTS_OPENCL_DOUBLE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum {
    SUCCESS = 0,
    OUT_OF_RESOURCES = -5,
    PROFILING_NOT_AVAILABLE = -7,
    INVALID_VALUE = -30,
    INVALID_QUEUE_PROPERTIES = -35,
    INVALID_OPERATION = -59
};
enum { COMPLETE = 0, RUNNING = 1, SUBMITTED = 2, QUEUED = 3 };
enum { OUT_OF_ORDER = 1, PROFILING = 2 };

/* The types of objects. */
enum { PLATFORM, DEVICE, CONTEXT, QUEUE, BUFFER, PROGRAM, KERNEL, EVENT, TYPES };

struct object;
typedef void Callback(struct object *event, int32_t status, void *data);

typedef struct reported {
    struct reported *next;
    Callback *callback;
    void *data;
    int32_t at;
} Reported;

/* The first member belongs to the loader. */
typedef struct object {
    void *const *dispatch;
    uint32_t object_type;
    uint32_t references;
    struct object *of;     /* the object that this one retains */
    uint64_t properties;   /* properties of a queue */
    uint64_t list[16];     /* for a queue, the list of properties as the program gave it */
    uint32_t n_list;       /* number of entries in `list`, with the 0 at its end */
    uint32_t n_pending;    /* number of a queue's commands that are not complete */
    char *name, *place;    /* name of a kernel; memory of a buffer */
    size_t size;           /* size of a buffer */
    uint32_t command;      /* type of an event's command */
    int32_t status;        /* status of an event */
    uint64_t time[4];      /* queued, submitted, started and ended, on the device's clock */
    struct object *buffer; /* the buffer of an event's command */
    void *host;            /* the host's memory that the command reads or writes */
    size_t offset, length;
    struct object *waits[8];
    uint32_t n_waits;
    struct object *next; /* the next command in the list */
    Reported *reported;
} Object;

extern void *const double_table[];
extern Object double_platform, double_device;
extern pthread_mutex_t double_lock;
extern pthread_cond_t double_changed;

/* The caller of the three functions below must hold the lock. */
Object *double_make(uint32_t object_type, Object *of);
void double_hold(Object *object);
void double_let_go(Object *object);

/* Whether this call of the function `name` must fail. */
int double_fails(const char *name);
int32_t double_answer(const void *value, size_t length, size_t size, void *place, size_t *size_ret);

int64_t double_host_ns(void);
uint64_t double_device_ns(int64_t host_ns);
/* Converts the begin and the end of a command to the device's clock, which does not jump while the
 * command runs. */
void double_times(int64_t begin_ns, int64_t end_ns, uint64_t *begin, uint64_t *end);
int32_t double_timer(Object *device, uint64_t *device_time, uint64_t *host_time);
void double_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits until all commands are complete and released, but only a short time for those that never
 * are. */
void double_settle(void);

/* These functions enqueue commands. */
int32_t double_launch(Object *queue, Object *kernel, uint32_t n, const size_t *offset,
                      const size_t *global, const size_t *local, uint32_t n_waits,
                      Object *const *waits, Object **event);
int32_t double_read(Object *queue, Object *buffer, uint32_t is_blocking, size_t offset, size_t size,
                    void *host, uint32_t n_waits, Object *const *waits, Object **event);
int32_t double_write(Object *queue, Object *buffer, uint32_t is_blocking, size_t offset,
                     size_t size, const void *host, uint32_t n_waits, Object *const *waits,
                     Object **event);
int32_t double_marker(Object *queue, Object **event);
int32_t double_finish(Object *queue);
int32_t double_flush(Object *queue);
int32_t double_wait(uint32_t n, Object *const *events);
int32_t double_set_callback(Object *event, int32_t at, Callback *callback, void *data);
Object *double_user_event(Object *context, int32_t *status);
int32_t double_set_user_event(Object *event, int32_t status);
int32_t double_event_info(Object *event, uint32_t which, size_t size, void *place,
                          size_t *size_ret);
int32_t double_profiling_info(Object *event, uint32_t which, size_t size, void *place,
                              size_t *size_ret);

#endif
