/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "capture-file.h"
#include "capture-writer.h"
#include "intern.h"
#include "kind-table.h"
#include "thread-buffer-end.h"
#include "thread-buffer.h"
#include "pool.h"
#include "testpoint.h"
#include "track-table.h"
#include "writer-link.h"

static struct {
    StrobePool pool;
    StrobeWriterLink link;
    _Atomic int is_open;
    _Atomic uint32_t n_visitors; /* number of running calls, of any thread, that use the pool, which
                                    must stay mapped */
    _Atomic int in_window;
    int is_shut; /* the gate is shut, and late records may come */
    int has_late;
    unsigned n_stuck;
    enum strobe_policy policy;
    int64_t patience_ns;
    int is_stuck;     /* a thread is stuck inside a critical section */
    int is_shared;    /* another process may record into the pool */
    uint32_t session; /* counts sessions of the process */
    uint32_t window;  /* number of the window in the process: a stale writer never matches */
    uint64_t begin, end;
    uint64_t last_lost[STROBE_LOSS_CAUSES]; /* losses in the last window of a closed session */
    _Atomic uint64_t next_link;
    int64_t program;     /* the program's process id, as this process sees it */
    uint32_t n_messages; /* number of messages of the writer process taken so far */
} recorder = {.pool = {.fd = -1}};

/* Registers the kinds of the settings. Ignores a rejected kind, which is reported when its
 * collector is opened. */
static void begin_kinds(const StrobeRecorderSettings *settings)
{
    char error[512];

    strobe_kind_begin(recorder.pool.header);
    for (size_t i = 0; i < settings->n_kinds; i++)
        strobe_kind_register(recorder.pool.header, settings->kinds[i], error, sizeof error);
}

int strobe_recorder_open(const StrobeRecorderSettings *settings)
{
    int error;

    if (recorder.is_open)
        return EBUSY;
    strobe_clock_init();
    error = strobe_thread_buffer_init();
    if (error == 0)
        error = strobe_pool_create(&recorder.pool, settings->pool_bytes, settings->fallback_dir,
                                   settings->setup);
    if (error == 0)
        strobe_pool_intern_begin(recorder.pool.header);
    if (error)
        return error;
    STROBE_TESTPOINT("pool-made");
    if (settings->program)
        recorder.pool.header->pid = (uint64_t)settings->program;
    begin_kinds(settings);
    recorder.pool.header->control.settings = settings->writer;
    recorder.link = (StrobeWriterLink){.make_dump = settings->make_dump,
                                       .segment_done = settings->segment_done,
                                       .user = settings->user};
    error = strobe_link_start(&recorder.link, &recorder.pool, settings->may_start_process);
    if (error) {
        strobe_pool_destroy(&recorder.pool, 1);
        return error;
    }
    recorder.session++;
    recorder.policy = (enum strobe_policy)settings->writer.policy;
    recorder.patience_ns = settings->patience_ns;
    recorder.is_stuck = recorder.is_shared = 0;
    recorder.n_messages = 0;
    recorder.program = settings->program ? settings->program : getpid();
    recorder.is_open = 1;
    STROBE_TESTPOINT("recorder-opened");
    return 0;
}

/* Returns the ring of the pool; NULL if the policy is not ring. */
static StrobeRing *ring_of_policy(void)
{
    return recorder.policy == STROBE_POLICY_RING ? strobe_pool_ring(recorder.pool.header) : NULL;
}

static int has_visitors(void)
{
    return atomic_load(&recorder.n_visitors) != 0 || strobe_thread_buffer_is_counting();
}

/* Waits until no call of another thread uses the pool. This takes some hundred ns, or until a
 * stopped thread continues. The wait is limited, because a thread may have been ended by a signal
 * handler in such a call. */
static int wait_for_visitors(void)
{
    for (int i = 0; i < 100000 && has_visitors(); i++)
        usleep(10);
    return !has_visitors();
}

/* Closes the recorder. A writer process removes the pool's file when it has written everything; if
 * the process has ended before, recovery removes the file. */
void strobe_recorder_close(void)
{
    if (!recorder.is_open)
        return;
    strobe_recorder_end_window(-1);
    strobe_recorder_losses(recorder.last_lost);
    int is_ours = strobe_link_stop(&recorder.link);
    recorder.is_open = 0;
    if (!wait_for_visitors() || recorder.is_stuck) {
        /* A thread is stopped in a critical section: the pages must stay mapped, but the file may
         * be removed. */
        if (is_ours)
            unlink(recorder.pool.path);
        recorder.pool.header = NULL;
    }
    strobe_pool_destroy(&recorder.pool, is_ours);
}

int strobe_recorder_has_process(int *error)
{
    *error = recorder.link.process_error;
    return recorder.is_open && !recorder.link.loop;
}

int64_t strobe_recorder_pid(void)
{
    return recorder.is_open ? recorder.program : 0;
}

const char *strobe_recorder_pool(int *is_tmpfs, char id[33])
{
    *is_tmpfs = recorder.pool.is_tmpfs;
    id[0] = 0;
    if (!recorder.is_open)
        return "";
    strobe_pool_id(recorder.pool.header, id);
    return recorder.pool.path;
}

/* Writes the window's entry in the pool before the capture gets its name, so that recovery knows
 * the window. */
static int begin_named(uint32_t number, int fd, const char *path, const char *metadata)
{
    struct pool_window *place = strobe_pool_window(recorder.pool.header, number);
    int error = strobe_capture_file_begin(fd, number, metadata);

    if (error == 0)
        error = strobe_link_await_place(&recorder.link, number);
    if (error)
        return error;
    snprintf(place->capture, sizeof place->capture, "%s", path);
    place->begin = strobe_clock_now();
    strobe_link_name_window(&recorder.link, number);
    error = strobe_capture_file_name(path);
    if (error)
        atomic_store(&place->window, 0);
    else
        error = strobe_link_begin_window(&recorder.link, number);
    STROBE_TESTPOINT("window-named");
    return error;
}

/* If the window already has an entry in the pool, ends the window without records, because its
 * begin has failed. */
static void give_up_window(uint32_t number)
{
    const struct pool_window *place = strobe_pool_window(recorder.pool.header, number);

    if (atomic_load(&place->window) != number)
        return;
    strobe_link_end_window(&recorder.link, number, place->begin, 0, 0);
    strobe_link_wait(&recorder.link, number, -1);
}

int strobe_recorder_begin_window(int fd, const char *path, const char *metadata)
{
    int error;

    if (!recorder.is_open || recorder.in_window || strlen(path) >= PATH_MAX) {
        close(fd);
        return recorder.is_open && !recorder.in_window ? ENAMETOOLONG : EINVAL;
    }
    strobe_recorder_lost(STROBE_LOSS_LATE, strobe_thread_buffer_take_late());
    error = begin_named(recorder.window + 1, fd, path, metadata);
    if (error) {
        give_up_window(recorder.window + 1);
        return error;
    }
    recorder.window++;
    recorder.end = 0;
    recorder.in_window = 1;
    strobe_thread_buffer_set_policy(recorder.policy, ring_of_policy(), recorder.patience_ns);
    recorder.begin = strobe_clock_now();
    strobe_pool_window(recorder.pool.header, recorder.window)->begin = recorder.begin;
    STROBE_TESTPOINT("window-begun");
    strobe_thread_buffer_open_gate(recorder.pool.header, recorder.session, recorder.window);
    return 0;
}

void strobe_recorder_mark_end(void)
{
    if (!recorder.in_window || recorder.end != 0)
        return;
    recorder.end = strobe_clock_now();
    strobe_link_end_sampling(&recorder.link);
}

static void end_thread_buffers(void)
{
    strobe_recorder_lost(STROBE_LOSS_LATE, strobe_thread_buffer_take_late());
    strobe_thread_buffers_end(recorder.pool.header, recorder.window, recorder.end,
                              ring_of_policy());
}

static void count_deep_spans(void)
{
    for (uint32_t i = 0; i < recorder.pool.header->n_thread_buffers; i++) {
        struct pool_thread_buffer *thread_buffer =
            strobe_pool_thread_buffer(recorder.pool.header, i);
        atomic_fetch_add_explicit(&thread_buffer->lost[STROBE_LOSS_SPAN_DEPTH],
                                  strobe_pool_deep_spans(thread_buffer, recorder.window),
                                  memory_order_relaxed);
    }
}

void strobe_recorder_shut_window(void)
{
    if (!recorder.in_window || recorder.is_shut)
        return;
    strobe_recorder_mark_end();
    recorder.n_stuck = strobe_thread_buffer_close_gate(recorder.end);
    recorder.is_stuck |= recorder.n_stuck != 0;
    recorder.n_stuck += recorder.is_shared != 0;
    recorder.is_shut = 1;
    STROBE_TESTPOINT("window-shut");
    count_deep_spans();
    end_thread_buffers();
    strobe_link_shut_window(&recorder.link, recorder.window, recorder.end);
}

void strobe_recorder_record_late(void)
{
    if (!recorder.in_window || !recorder.is_shut)
        return;
    strobe_thread_buffer_record_late(recorder.window);
    recorder.has_late = 1;
}

int strobe_recorder_end_window(int64_t patience_ns)
{
    if (!recorder.in_window)
        return 0;
    strobe_recorder_shut_window();
    if (recorder.has_late) {
        strobe_thread_buffer_record_late(0);
        end_thread_buffers();
    }
    strobe_link_end_window(&recorder.link, recorder.window, recorder.end, recorder.n_stuck,
                           strobe_thread_buffer_take_abandoned());
    recorder.is_shut = recorder.has_late = 0;
    recorder.in_window = 0;
    return strobe_link_wait(&recorder.link, recorder.window, patience_ns);
}

int strobe_recorder_wait(uint32_t window)
{
    return recorder.is_open ? strobe_link_wait(&recorder.link, window, -1) : 0;
}

int strobe_recorder_is_written(uint32_t window)
{
    return !recorder.is_open || strobe_link_wait(&recorder.link, window, 0) != EINPROGRESS;
}

void strobe_recorder_roll(void)
{
    if (recorder.is_open)
        strobe_link_roll(&recorder.link);
}

uint32_t strobe_recorder_window(void)
{
    return recorder.in_window ? recorder.window : 0;
}

/* Protects the table of kinds: threads of the session and a thread of Strobe may open collectors at
 * the same time. */
static pthread_mutex_t kinds_lock = PTHREAD_MUTEX_INITIALIZER;

StrobeKindId strobe_recorder_kind(const StrobeKind *kind, char *error, size_t size)
{
    if (!recorder.is_open) {
        snprintf(error, size, "no session is open");
        return 0;
    }
    pthread_mutex_lock(&kinds_lock);
    uint32_t id = strobe_kind_register(recorder.pool.header, kind, error, size);
    pthread_mutex_unlock(&kinds_lock);
    return id;
}

/* Begins a use of the pool in a call that any thread may make, also while the session ends. Returns
 * 0 if there is no pool. */
static int visit_pool(void)
{
    atomic_fetch_add(&recorder.n_visitors, 1);
    if (atomic_load(&recorder.is_open))
        return 1;
    atomic_fetch_sub(&recorder.n_visitors, 1);
    return 0;
}

static void leave_pool(void)
{
    atomic_fetch_sub(&recorder.n_visitors, 1);
}

int strobe_recorder_dump(const char *reason, char path[PATH_MAX])
{
    int error = EINVAL;

    if (!visit_pool())
        return error;
    if (recorder.in_window && recorder.policy == STROBE_POLICY_RING)
        error = strobe_link_dump(&recorder.link, reason, path);
    leave_pool();
    return error;
}

void strobe_recorder_request_dump(uint32_t why)
{
    if (!visit_pool())
        return;
    strobe_link_request_dump(&recorder.link, why);
    leave_pool();
}

void strobe_recorder_request_step_dump(const char *reason)
{
    if (recorder.is_open)
        strobe_link_request_step_dump(&recorder.link, reason);
}

int strobe_recorder_take_dump(uint32_t *n_taken, struct pool_dump *dump)
{
    return recorder.is_open && strobe_link_take_dump(&recorder.link, n_taken, dump);
}

uint32_t strobe_recorder_refused_dumps(void)
{
    return recorder.is_open ? strobe_link_refused_dumps(&recorder.link) : 0;
}

StrobeTrackId strobe_recorder_track(const StrobeTrack *track)
{
    StrobeTrackId id;

    if (!visit_pool())
        return 0;
    id = strobe_track_find_or_add(recorder.pool.header, track);
    leave_pool();
    return id;
}

uint64_t strobe_recorder_link_ids(uint32_t n)
{
    return atomic_fetch_add(&recorder.next_link, n) + 1;
}

void strobe_recorder_lost(uint32_t cause, uint64_t count)
{
    if (cause >= STROBE_LOSS_CAUSES || count == 0 || !visit_pool())
        return;
    atomic_fetch_add(&recorder.pool.header->lost[cause], count);
    leave_pool();
}

void strobe_recorder_note(uint32_t number, const char *component, const char *text)
{
    if (!visit_pool())
        return;
    strobe_notes_set(&recorder.pool.header->notes, number, component, text);
    leave_pool();
}

void strobe_recorder_clear_notes(StrobeTrackId track)
{
    if (!visit_pool())
        return;
    strobe_notes_clear(&recorder.pool.header->notes);
    atomic_store(&recorder.pool.header->notes.track, track);
    leave_pool();
}

void strobe_recorder_log(const char *bytes, size_t n)
{
    if (!visit_pool())
        return;
    strobe_notes_log(&recorder.pool.header->notes, bytes, n);
    leave_pool();
}

void strobe_recorder_forget_log(void)
{
    if (!visit_pool())
        return;
    atomic_store(&recorder.pool.header->notes.log_used, 0);
    leave_pool();
}

uint32_t strobe_recorder_take_trackless(void)
{
    return recorder.is_open ? atomic_exchange(&recorder.pool.header->n_trackless, 0) : 0;
}

uint64_t strobe_recorder_late(void)
{
    struct pool_header *header = recorder.pool.header;

    if (!recorder.is_open || recorder.in_window)
        return 0;
    strobe_recorder_lost(STROBE_LOSS_LATE, strobe_thread_buffer_take_late());
    return atomic_load(&header->lost[STROBE_LOSS_LATE]) - header->lost_reported[STROBE_LOSS_LATE];
}

void strobe_recorder_losses(uint64_t lost[STROBE_LOSS_CAUSES])
{
    if (recorder.is_open)
        strobe_link_losses(&recorder.link, lost);
    else
        memcpy(lost, recorder.last_lost, sizeof recorder.last_lost);
}

/* ---- collectors that run in the writer process ---- */

void strobe_recorder_begin_sampling(void)
{
    if (recorder.in_window)
        strobe_link_begin_sampling(&recorder.link, recorder.window);
}

const char *strobe_recorder_take_message(uint32_t *length, uint32_t *level, uint32_t *collector)
{
    const struct pool_control *control;
    uint32_t n;

    if (!recorder.is_open)
        return NULL;
    control = &recorder.pool.header->control;
    n = atomic_load_explicit(&control->n_messages, memory_order_acquire);
    if (n - recorder.n_messages > STROBE_POOL_MESSAGES)
        recorder.n_messages = n - STROBE_POOL_MESSAGES;
    if (n == recorder.n_messages)
        return NULL;
    const struct pool_message *m = &control->messages[recorder.n_messages++ % STROBE_POOL_MESSAGES];
    *level = atomic_load(&m->level);
    *collector = atomic_load(&m->collector);
    return strobe_pool_string(recorder.pool.header, atomic_load(&m->text), length);
}

void strobe_recorder_pause(uint32_t collector, int is_paused)
{
    const uint64_t bit = UINT64_C(1) << (collector - 1);

    if (recorder.is_open)
        strobe_link_pause(&recorder.link, is_paused ? bit : 0, is_paused ? 0 : bit);
}

static int use_pool(struct pool_header *pool, int64_t pid, const StrobeKind *const *kinds,
                    size_t n_kinds)
{
    int error =
        pool->n_thread_buffers == STROBE_POOL_THREAD_BUFFERS ? strobe_thread_buffer_init() : EINVAL;

    if (error)
        return error;
    recorder.program = pid;
    recorder.pool.header = pool;
    strobe_kind_join(pool, kinds, n_kinds);
    recorder.session = 1;
    /* A thread of the writer process must not wait for a free block, because it would wait for
     * itself. */
    recorder.policy = (enum strobe_policy)pool->control.settings.policy;
    if (recorder.policy != STROBE_POLICY_RING)
        recorder.policy = STROBE_POLICY_DROP;
    recorder.is_open = 1;
    return 0;
}

int strobe_recorder_join(struct pool_header *pool, int64_t pid, const StrobeKind *const *kinds,
                         size_t n_kinds)
{
    int error = use_pool(pool, pid, kinds, n_kinds);

    if (error == 0)
        strobe_thread_buffer_be_writer();
    return error;
}

int strobe_recorder_enter(struct pool_header *pool, uint32_t window)
{
    int error = use_pool(pool, getpid(), NULL, 0);

    if (error == 0)
        strobe_recorder_join_window(window);
    return error;
}

void strobe_recorder_share(void)
{
    strobe_thread_buffer_be_writer();
    recorder.is_shared = 1;
}

void strobe_recorder_join_window(uint32_t window)
{
    recorder.window = window;
    recorder.in_window = 1;
    strobe_thread_buffer_set_policy(recorder.policy, ring_of_policy(), 0);
    strobe_thread_buffer_open_gate(recorder.pool.header, recorder.session, window);
}

/* Adds the losses of the writer's threads to the window's losses, which the program stored when it
 * shut the window. */
static void note_losses_of_writer(void)
{
    StrobeLossCounts *ending = strobe_pool_ending(recorder.pool.header, recorder.window);

    for (uint32_t i = 0; i < STROBE_POOL_THREAD_BUFFERS; i++)
        for (uint32_t cause = 0; strobe_thread_buffer_is_own(i) && cause < STROBE_LOSS_CAUSES;
             cause++)
            ending->thread_buffers[i][cause] =
                atomic_load(&strobe_pool_thread_buffer(recorder.pool.header, i)->lost[cause]);
}

unsigned strobe_recorder_leave_window(uint64_t end)
{
    unsigned n_stuck = strobe_thread_buffer_close_gate(end);

    recorder.end = end;
    end_thread_buffers();
    note_losses_of_writer();
    recorder.in_window = 0;
    return n_stuck;
}

void strobe_recorder_say(const char *text, uint32_t level, uint32_t collector)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint32_t n;
    struct pool_header *pool = recorder.pool.header;
    size_t length = strnlen(text, STROBE_STRING_MAX);

    pthread_mutex_lock(&lock);
    struct pool_message *message = &pool->control.messages[n++ % STROBE_POOL_MESSAGES];
    atomic_store(&message->text, strobe_pool_intern(pool, text, length, 0));
    atomic_store(&message->level, level);
    atomic_store(&message->collector, collector);
    atomic_store_explicit(&pool->control.n_messages, n, memory_order_release);
    pthread_mutex_unlock(&lock);
}

void strobe_recorder_forget(void)
{
    /* The pool is not mapped here (MADV_DONTFORK); only descriptors must be closed. */
    if (recorder.pool.fd >= 0)
        close(recorder.pool.fd);
    strobe_link_forget(&recorder.link);
    memset(&recorder.pool, 0, sizeof recorder.pool);
    recorder.pool.fd = -1;
    recorder.is_open = 0;
    recorder.in_window = 0;
    recorder.is_shut = 0;
    /* the parent's other threads do not exist in the child */
    atomic_store(&recorder.n_visitors, 0);
    pthread_mutex_init(&kinds_lock, NULL);
}
