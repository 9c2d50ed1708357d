/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library osrt-preload.so wraps functions of the C library that may wait.
 *
 * It is loaded into every process that `strobe run` starts. Most of these processes record nothing;
 * in them the library adds only one load and one jump to a call. The library allocates nothing,
 * takes no lock, and needs only libc. It holds no resource during the wrapped call, so a
 * cancellation, a longjmp or an exception in this call does no harm.
 */
#undef _FILE_OFFSET_BITS /* macros must not redirect the wrapped names */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "functions.h"
#include "gate.h"

#define API __attribute__((visibility("default")))

#define ENUM(result_, name_, parameters_, arguments_) FUNCTION_##name_,
enum {
    OSRT_FUNCTIONS(ENUM) FUNCTION_pthread_mutex_lock,
    FUNCTION_open,
    FUNCTION_open64,
    FUNCTION_openat,
    FUNCTION_openat64,
    FUNCTION_ioctl,
    N_FUNCTIONS
};

/* The names of the functions, by number. osrt.c records a checked variant, for example
 * "__read_chk", under its usual name. */
#define NAME(result_, name_, parameters_, arguments_) [FUNCTION_##name_] = #name_,
static const char *const names[N_FUNCTIONS] = {
    OSRT_FUNCTIONS(NAME)[FUNCTION_pthread_mutex_lock] = "pthread_mutex_lock",
    [FUNCTION_open] = "open",
    [FUNCTION_open64] = "open64",
    [FUNCTION_openat] = "openat",
    [FUNCTION_openat64] = "openat64",
    [FUNCTION_ioctl] = "ioctl",
};

API OsrtGate strobe_osrt_gate_1 = {
    .struct_size = sizeof(OsrtGate), .n_functions = N_FUNCTIONS, .names = names};

typedef struct Call {
    const OsrtHooks *hooks; /* NULL: the call is not recorded */
    uint64_t begin;
} Call;

enum { UNKNOWN, PROGRAM, OWN };

static __thread struct {
    uint8_t owner;
    /* the thread is in the hook, whose calls are not recorded; or the thread is in strict seccomp
     * mode, which it never leaves */
    uint8_t is_busy;
} this_thread __attribute__((tls_model("initial-exec")));

/* Sets this_thread.owner. Strobe's own threads have names that begin with "strobe-". */
static void find_owner(void)
{
    char name[17] = "";

    prctl(PR_GET_NAME, name);
    this_thread.owner = strncmp(name, "strobe-", 7) == 0 ? OWN : PROGRAM;
}

static inline Call begin_call(const OsrtHooks *hooks, void *caller)
{
    uintptr_t from = (uintptr_t)caller;

    if (this_thread.owner == UNKNOWN)
        find_owner();
    if (this_thread.owner == OWN || this_thread.is_busy)
        return (Call){0};
    for (int i = 0; i < 2; i++)
        if (from >= hooks->own[i].begin && from < hooks->own[i].end)
            return (Call){0};
    return (Call){hooks, hooks->now()};
}

static inline void end_call(Call call, uint32_t function, int64_t status)
{
    if (!call.hooks)
        return;
    uint64_t end = call.hooks->now();
    if (end - call.begin < call.hooks->threshold ||
        atomic_load_explicit(&strobe_osrt_gate_1.hooks, memory_order_acquire) != call.hooks)
        return;
    int saved = errno;
    this_thread.is_busy = 1;
    call.hooks->call(function, call.begin, end, status);
    this_thread.is_busy = 0;
    errno = saved;
}

/* Finds the C library's function. On some machines the C library has two versions of the functions
 * for condition variables, and dlsym finds the older one, so a version is given for them. */
static void *find_function(const char *name)
{
    void *function = NULL;

    if (strncmp(name, "pthread_cond_", 13) == 0)
        function = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return function ? function : dlsym(RTLD_NEXT, name);
}

#define OPEN_HOOKS() atomic_load_explicit(&strobe_osrt_gate_1.hooks, memory_order_acquire)
#define IS_SHUT(hooks_) __builtin_expect(!(hooks_), 1)

/* Defines a wrapper. `real_` first points to a function that looks the real function up, for calls
 * before look_up_all(). */
#define WRAP(result_, name_, parameters_, arguments_)                                              \
    API result_ name_ parameters_;                                                                 \
    static result_ first_##name_ parameters_;                                                      \
    static result_(*real_##name_) parameters_ = first_##name_;                                     \
    static result_ first_##name_ parameters_                                                       \
    {                                                                                              \
        *(void **)&real_##name_ = find_function(#name_);                                           \
        return real_##name_ arguments_;                                                            \
    }                                                                                              \
    API result_ name_ parameters_                                                                  \
    {                                                                                              \
        const OsrtHooks *hooks = OPEN_HOOKS();                                                     \
        if (IS_SHUT(hooks))                                                                        \
            return real_##name_ arguments_;                                                        \
        Call call = begin_call(hooks, __builtin_return_address(0));                                \
        result_ result = real_##name_ arguments_;                                                  \
        end_call(call, FUNCTION_##name_, (int64_t)result);                                         \
        return result;                                                                             \
    }

OSRT_FUNCTIONS(WRAP)

/* Records only a call that waits for another thread's lock, because other calls are very frequent
 * and short. */
static int first_lock(pthread_mutex_t *mutex);
static int (*real_lock)(pthread_mutex_t *mutex) = first_lock;
static int (*real_trylock)(pthread_mutex_t *mutex);

static int first_lock(pthread_mutex_t *mutex)
{
    *(void **)&real_trylock = find_function("pthread_mutex_trylock");
    *(void **)&real_lock = find_function("pthread_mutex_lock");
    return real_lock(mutex);
}

API int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    const OsrtHooks *hooks = OPEN_HOOKS();
    int result;

    if (IS_SHUT(hooks) || !real_trylock)
        return real_lock(mutex);
    result = real_trylock(mutex);
    if (result != EBUSY)
        return result;
    Call call = begin_call(hooks, __builtin_return_address(0));
    result = real_lock(mutex);
    end_call(call, FUNCTION_pthread_mutex_lock, result);
    return result;
}

/* Wraps functions with a variable number of arguments. The wrapper passes on the maximum number of
 * arguments. */
static inline int has_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define WRAP_OPEN(name_, parameters_, last_, leading_)                                             \
    API int name_(parameters_, ...);                                                               \
    static int (*real_##name_)(parameters_, ...);                                                  \
    API int name_(parameters_, ...)                                                                \
    {                                                                                              \
        const OsrtHooks *hooks = OPEN_HOOKS();                                                     \
        va_list arguments;                                                                         \
        va_start(arguments, last_);                                                                \
        mode_t mode = has_mode(last_) ? va_arg(arguments, mode_t) : 0;                             \
        va_end(arguments);                                                                         \
        if (!real_##name_)                                                                         \
            *(void **)&real_##name_ = find_function(#name_);                                       \
        if (IS_SHUT(hooks))                                                                        \
            return real_##name_(leading_, mode);                                                   \
        Call call = begin_call(hooks, __builtin_return_address(0));                                \
        int result = real_##name_(leading_, mode);                                                 \
        end_call(call, FUNCTION_##name_, result);                                                  \
        return result;                                                                             \
    }

#define COMMA ,
WRAP_OPEN(open, const char *path COMMA int flags, flags, path COMMA flags)
WRAP_OPEN(open64, const char *path COMMA int flags, flags, path COMMA flags)
WRAP_OPEN(openat, int folder COMMA const char *path COMMA int flags, flags,
          folder COMMA path COMMA flags)
WRAP_OPEN(openat64, int folder COMMA const char *path COMMA int flags, flags,
          folder COMMA path COMMA flags)

static int (*real_ioctl)(int fd, unsigned long request, ...);

API int ioctl(int fd, unsigned long request, ...)
{
    const OsrtHooks *hooks = OPEN_HOOKS();
    va_list arguments;

    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (!real_ioctl)
        *(void **)&real_ioctl = find_function("ioctl");
    if (IS_SHUT(hooks))
        return real_ioctl(fd, request, argument);
    Call call = begin_call(hooks, __builtin_return_address(0));
    int result = real_ioctl(fd, request, argument);
    end_call(call, FUNCTION_ioctl, result);
    return result;
}

static int (*real_prctl)(int option, ...);

/* Stops recording the thread's calls if the thread enters strict seccomp mode, because the kernel
 * then denies the thread the processor's time counter. */
API int prctl(int option, ...)
{
    unsigned long words[4];
    va_list arguments;

    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        words[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (!real_prctl)
        *(void **)&real_prctl = find_function("prctl");
    int result = real_prctl(option, words[0], words[1], words[2], words[3]);
    if (result == 0 && option == PR_SET_SECCOMP && words[0] == SECCOMP_MODE_STRICT)
        this_thread.is_busy = 1;
    return result;
}

static long (*real_syscall)(long number, ...);

/* Records the system calls that a program makes with this function, for example the futex calls of
 * code with its own locks, such as GLib. */
API long syscall(long number, ...)
{
    const OsrtHooks *hooks = OPEN_HOOKS();
    long words[6];
    va_list arguments;

    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(arguments, long);
    va_end(arguments);
    if (!real_syscall)
        *(void **)&real_syscall = find_function("syscall");
    if (IS_SHUT(hooks))
        return real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    if (number == SYS_seccomp && words[0] == SECCOMP_SET_MODE_STRICT)
        this_thread.is_busy = 1;
    Call call = begin_call(hooks, __builtin_return_address(0));
    long result = real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    end_call(call, N_FUNCTIONS + (uint32_t)number, result);
    return result;
}

#define LOOK_UP(result_, name_, parameters_, arguments_)                                           \
    *(void **)&real_##name_ = find_function(#name_);

/* Looks all functions up at once, while the program has one thread. The reason is that a look-up
 * takes the loader's lock: if a thread looked a function up later, while a constructor of the
 * program held this lock and waited for the thread, the two would wait for ever. */
static __attribute__((constructor)) void look_up_all(void)
{
    OSRT_FUNCTIONS(LOOK_UP)
    *(void **)&real_trylock = find_function("pthread_mutex_trylock");
    *(void **)&real_lock = find_function("pthread_mutex_lock");
    *(void **)&real_open = find_function("open");
    *(void **)&real_open64 = find_function("open64");
    *(void **)&real_openat = find_function("openat");
    *(void **)&real_openat64 = find_function("openat64");
    *(void **)&real_ioctl = find_function("ioctl");
    *(void **)&real_prctl = find_function("prctl");
    *(void **)&real_syscall = find_function("syscall");
}
