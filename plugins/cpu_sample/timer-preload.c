/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This library is preloaded into programs if perf_event_open is refused. It gives each thread a
 * timer that runs with the thread's processor time; the handler of the timer's signal (SIGPROF)
 * writes the thread's stack into a shared ring (timer-ring.h). The handler writes nothing unless
 * the ring's interval is set, by the collector or by a parent process that is sampled. If the
 * program installs its own handler for SIGPROF, the timers end.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "timer-ring.h"

#define SIGNAL SIGPROF
#define IDLE_NS 10000000 /* interval of the timers while the ring's interval is 0 */
#define EXPORT __attribute__((visibility("default")))
#define FAST_TLS __attribute__((tls_model("initial-exec")))

typedef struct Timer {
    struct Timer *next; /* next in the list of the timers of all threads */
    uintptr_t stack_end;
    uint64_t interval;
    timer_t id;
    int is_armed;
} Timer;

static TimerRing *_Atomic ring;
static _Atomic pid_t ring_process;
static pthread_key_t at_thread_end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list of timers */
static Timer *timers;
static __thread Timer own FAST_TLS;

/* ---- a sample, in the signal handler ---- */

static void read_registers(const ucontext_t *context, uintptr_t *pc, uintptr_t *frame,
                           uintptr_t *stack)
{
#if defined(__x86_64__)
    *pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    *frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
    *stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    *pc = (uintptr_t)context->uc_mcontext.pc;
    *frame = (uintptr_t)context->uc_mcontext.regs[29];
    *stack = (uintptr_t)context->uc_mcontext.sp;
#elif defined(                                                                                     \
    __arm__) /* compilers lay out its frames in different ways: only the function is known */
    *pc = context->uc_mcontext.arm_pc;
    *frame = 0;
    *stack = context->uc_mcontext.arm_sp;
#else
    *pc = *frame = *stack = 0;
#endif
}

/* Writes the addresses of the frames, which it finds by the frame pointers, and returns their
 * number. Reads only between the stack pointer and the end of the stack, which is mapped memory,
 * because a frame pointer may have any value. */
static uint64_t walk_stack(const ucontext_t *context, uint64_t *addresses)
{
    uintptr_t pc, frame, low;
    uint64_t n = 1;

    read_registers(context, &pc, &frame, &low);
    addresses[0] = pc;
    while (n < TIMER_RING_FRAMES && frame >= low && frame % sizeof frame == 0 &&
           frame + 2 * sizeof frame <= own.stack_end) {
        const uintptr_t *words = (const uintptr_t *)frame;
        if (!words[1])
            break;
        addresses[n++] = words[1];
        low = frame + 2 * sizeof frame;
        frame = words[0];
    }
    return n;
}

/* Returns the next slot to be written; NULL: the ring is full. */
static TimerSlot *take_slot(TimerRing *to, uint64_t *ticket)
{
    *ticket = atomic_load(&to->head);
    do {
        if (*ticket - atomic_load(&to->tail) >= TIMER_RING_SLOTS) {
            atomic_fetch_add(&to->lost, 1);
            if (atomic_load(&to->tail) ==
                /* no sample was ever read: the ring has no reader, for example with
                 * children=none */
                0)
                atomic_store(&to->interval, 0);
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&to->head, ticket, *ticket + 1));
    return &to->slots[*ticket % TIMER_RING_SLOTS];
}

static void write_sample(TimerRing *to, const siginfo_t *info, const ucontext_t *context)
{
    struct timespec now;
    uint64_t ticket;
    TimerSlot *slot = take_slot(to, &ticket);

    if (!slot)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    slot->time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    slot->period = own.interval * (1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0));
    slot->tid = (uint32_t)syscall(SYS_gettid);
    slot->processor = (uint32_t)sched_getcpu();
    slot->n = walk_stack(context, slot->addresses);
    atomic_store_explicit(&slot->state, ticket + 1, memory_order_release);
}

static void set_interval(uint64_t ns)
{
    const struct timespec each = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    const struct itimerspec times = {each, each};

    own.interval = ns;
    timer_settime(own.id, 0, &times, NULL);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const int saved = errno;
    TimerRing *to = atomic_load(&ring);
    uint64_t wanted = to ? atomic_load(&to->interval) : 0;

    (void)number;
    if (info->si_code != SI_TIMER || !own.is_armed)
        return;
    if (to && own.interval != (wanted ? wanted : IDLE_NS))
        set_interval(wanted ? wanted : IDLE_NS);
    else if (wanted)
        write_sample(to, info, context);
    errno = saved;
}

/* ---- threads ---- */

static uintptr_t find_stack_end(void)
{
    pthread_attr_t attributes;
    void *begin = NULL;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &begin, &size);
        pthread_attr_destroy(&attributes);
    }
    return (uintptr_t)begin + size;
}

static void arm_thread(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};

    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    own.stack_end = find_stack_end();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &own.id) != 0)
        return;
    pthread_mutex_lock(&lock);
    own.next = timers;
    timers = &own;
    own.is_armed = 1;
    pthread_mutex_unlock(&lock);
    pthread_setspecific(at_thread_end, &own);
    set_interval(IDLE_NS);
}

static void disarm_timer(Timer *timer)
{
    if (timer->is_armed)
        timer_delete(timer->id);
    timer->is_armed = 0;
}

static void end_thread(void *user)
{
    Timer *timer = user, **link = &timers;

    pthread_mutex_lock(&lock);
    while (*link && *link != timer)
        link = &(*link)->next;
    if (*link)
        *link = timer->next;
    disarm_timer(timer);
    pthread_mutex_unlock(&lock);
}

typedef struct Start {
    void *(*function)(void *);
    void *argument;
} Start;

static void *start_thread(void *user)
{
    const Start start = *(Start *)user;

    free(user);
    arm_thread();
    return start.function(start.argument);
}

typedef int CreateFunction(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    static CreateFunction *_Atomic next;
    CreateFunction *create = atomic_load(&next);
    Start *start = NULL;

    if (!create) {
        create = (CreateFunction *)dlsym(RTLD_NEXT, "pthread_create");
        atomic_store(&next, create);
    }
    if (atomic_load(&ring) && atomic_load(&ring_process) == getpid())
        start = malloc(sizeof *start);
    if (!start)
        return create(thread, attributes, function, argument);
    *start = (Start){function, argument};
    int error = create(thread, attributes, start_thread, start);
    if (error)
        free(start);
    return error;
}

/* ---- the program's own signal ---- */

typedef int ActionFunction(int, const struct sigaction *, struct sigaction *);

static ActionFunction *next_action(void)
{
    static ActionFunction *_Atomic next;

    if (!atomic_load(&next))
        atomic_store(&next, (ActionFunction *)dlsym(RTLD_NEXT, "sigaction"));
    return atomic_load(&next);
}

static void give_signal_up(void)
{
    atomic_store(&atomic_load(&ring)->state, TIMER_RING_TAKEN);
    atomic_store(&ring, NULL);
    pthread_mutex_lock(&lock);
    for (Timer *timer = timers; timer; timer = timer->next)
        disarm_timer(timer);
    pthread_mutex_unlock(&lock);
}

static int is_ours(void)
{
    return atomic_load(&ring) && atomic_load(&ring_process) == getpid();
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (number != SIGNAL || !is_ours())
        return next_action()(number, action, old);
    if (old) /* the handler that the program would have without this library */
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    if (!action || action->sa_handler == SIG_DFL)
        return 0;
    give_signal_up();
    return next_action()(number, action, NULL);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* ---- the begin of a process ---- */

static int write_path(char path[PATH_MAX], pid_t pid)
{
    const char *folder = getenv("STROBE_RUN_DIR");
    const int length =
        folder ? snprintf(path, PATH_MAX, "%s/" TIMER_RING_PREFIX "%ld", folder, (long)pid) : -1;

    return length < 0 || length >= PATH_MAX ? -1 : 0;
}

/* Returns the sampling interval of a process in ns; 0: the process has no ring. */
static uint64_t read_interval(pid_t pid)
{
    char path[PATH_MAX];
    const int file =
        write_path(path, pid) == 0 ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    uint64_t interval = 0;

    if (file < 0)
        return 0;
    if (pread(file, &interval, sizeof interval, offsetof(TimerRing, interval)) !=
        (ssize_t)sizeof interval)
        interval = 0;
    close(file);
    return interval;
}

/* Makes this process's ring. `interval`: the parent's sampling interval; 0: unknown. */
static TimerRing *make_ring(uint64_t interval)
{
    char path[PATH_MAX];

    if (write_path(path, getpid()) != 0)
        return NULL;
    if (!interval) /* tries the ring that this process had before an exec, then the parent's ring */
        interval = read_interval(getpid());
    if (!interval)
        interval = read_interval(getppid());
    unlink(path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return NULL;
    TimerRing *made = MAP_FAILED;
    if (ftruncate(file, sizeof *made) == 0)
        made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (made == MAP_FAILED)
        return NULL;
    madvise(made, sizeof *made, MADV_DONTFORK);
    made->version = TIMER_RING_VERSION;
    atomic_store(&made->interval,
                 interval); /* the ring stores samples until the collector finds it */
    atomic_store(&made->state, TIMER_RING_ARMED);
    return made;
}

static void begin_process(uint64_t interval)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK},
                     present;

    if (next_action()(SIGNAL, NULL, &present) != 0 || present.sa_handler != SIG_DFL)
        return;
    TimerRing *made = make_ring(interval);
    sigemptyset(&action.sa_mask);
    if (!made || next_action()(SIGNAL, &action, NULL) != 0)
        return;
    atomic_store(&ring_process, getpid());
    atomic_store(&ring, made);
    arm_thread();
}

static uint64_t interval_at_fork;

/* Stores the interval before a fork: the ring is not mapped in the child, which therefore cannot
 * read the interval. */
static void note_interval(void)
{
    TimerRing *present = atomic_load(&ring);

    interval_at_fork = present ? atomic_load(&present->interval) : 0;
}

/* Begins to sample a forked child, which inherits neither the timers nor the mapping of the
 * ring. */
static void begin_child(void)
{
    const struct sigaction fall = {.sa_handler = SIG_DFL};

    if (!atomic_exchange(&ring, NULL))
        return;
    own.is_armed = 0;
    timers = NULL;
    pthread_mutex_init(&lock, NULL);
    next_action()(SIGNAL, &fall, NULL);
    begin_process(interval_at_fork);
}

static __attribute__((constructor)) void begin(void)
{
    if (getauxval(AT_SECURE) || pthread_key_create(&at_thread_end, end_thread) != 0)
        return;
    begin_process(0);
    pthread_atfork(note_interval, NULL, begin_child);
}
