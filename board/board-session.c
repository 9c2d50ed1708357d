/* SPDX-License-Identifier: Apache-2.0 */
/* The session, which decides whether profiling is on and which inferences are captured. Control
 * calls and captures take a lock; the recording of calls does not. */
#include "board.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MODELS_MAX 256u
#define DEVICES_MAX 16u
#define NS 1000000000

enum { ERROR_PARAMETER = 100000, ERROR_RUNNING = 100042, ERROR_NOT_RUNNING = 100043 };
enum { MASK_API = 1, MASK_TIME = 2, MASK_METRICS = 4, MASK_CPU = 8 };

_Atomic int board_is_on;

static struct {
    SvpConfig config;
    char output[SVP_PATH_MAX];
    BoardJob jobs[DEVICES_MAX]; /* the JOBs of the devices; the file of calls is in the first one */
    uint32_t n_jobs;
    BoardModel models[MODELS_MAX];
    uint32_t n_models;
    uint64_t n_capture_ids;
    BoardTotals totals;
    int is_by_file, has_calls, has_executed;
    pid_t pid;
} board;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread uint32_t current_device;
static __thread char model_path[SVP_PATH_MAX];

static void print_line(const char *level, const char *form, va_list values)
{
    char text[SVP_PATH_MAX * 2];
    const int number = errno;

    vsnprintf(text, sizeof text, form, values);
    fprintf(stderr, "strobe-board: %s%s\n", level, text);
    errno = number;
}

void board_say(const char *form, ...)
{
    va_list values;

    va_start(values, form);
    print_line("", form, values);
    va_end(values);
}

void board_complain(const char *form, ...)
{
    va_list values;

    va_start(values, form);
    print_line("error: ", form, values);
    va_end(values);
}

void *board_runtime(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

/* ---- begin and end ---- */

static void forget_session(void)
{
    /* in a forked child, a thread that the child does not have may have held the lock */
    pthread_mutex_init(&lock, NULL);
    board_unlock(); /* the parent keeps its locks, because it has its own descriptors */
    if (board.has_calls)
        board_calls_forget();
    board_is_on = board.has_calls = board.has_executed = 0;
    board.n_jobs = 0;
    memset(&board.totals, 0, sizeof board.totals);
}

static void finish_at_exit(void);

static void watch_process(void)
{
    pthread_atfork(NULL, NULL, forget_session);
    atexit(finish_at_exit);
}

/* Returns the device's JOB, and makes it if necessary. NULL with errno set; for EBUSY a message was
 * printed. */
static BoardJob *job_of(uint32_t device)
{
    BoardJob *job = NULL;
    int error;

    for (uint32_t i = 0; i < board.n_jobs; i++)
        if (board.jobs[i].device == device)
            return &board.jobs[i];
    job = &board.jobs[board.n_jobs];
    error = board.n_jobs == DEVICES_MAX  ? EMFILE
            : !board_lock_device(device) ? EBUSY
                                         : board_job_make(job, board.output, device);
    if (!error) {
        board_say("%s: created", job->path);
        error = board_job_write_info(job, &board.config, BOARD_COLLECTING, &board.totals);
        if (error)
            board_job_remove(job);
    }
    if (error) {
        errno = error;
        return NULL;
    }
    board.n_jobs++;
    return job;
}

/* Any thread. */
static void note_disk_error(int error)
{
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        __atomic_store_n(&board.totals.disk_error, error, __ATOMIC_RELAXED);
}

static void make_data_path(const char *name, char path[SVP_PATH_MAX])
{
    snprintf(path, SVP_PATH_MAX, "%.3700s/data/%.300s", board.jobs[0].path, name);
}

/* Counts the calls in a complete slice, and writes its file .done. In the thread of the writer,
 * which must not take the lock: a call that holds it may wait for the writer. */
static int mark_slice(const char *name)
{
    char path[SVP_PATH_MAX];
    uint64_t n_records;
    int error;

    make_data_path(name, path);
    n_records = board_calls_count(path);
    error = board_job_mark_done(&board.jobs[0], name, 0, n_records);
    if (!error)
        __atomic_fetch_add(&board.totals.n_records, n_records, __ATOMIC_RELAXED);
    return error;
}

/* Begins to record calls into a hidden file, because there is no JOB until a model is executed.
 * Returns 0 on failure, after a message. */
static int begin_calls(void)
{
    int error;

    board_calls_clean(board.output);
    if (!board.config.acl_api)
        return 1;
    error = board_calls_begin(board.output, &board.config, board.totals.is_simulated, mark_slice);
    board.has_calls = !error;
    if (error)
        board_complain("profiling is off: %s: %s", board.output, strerror(error));
    return !error;
}

static void begin_session(void)
{
    static int is_watched;

    if (!board_output_find(board.config.output, board.output) || !board_lock_output(board.output))
        return;
    board_job_check_umask();
    board.totals.is_simulated = board_runtime("svp_double_op_counters") != NULL;
    if (!begin_calls()) {
        board_unlock();
        return;
    }
    if (!is_watched)
        watch_process();
    is_watched = 1;
    board.pid = getpid();
    board.totals.is_late = board.n_models > 0;
    board_is_on = 1;
}

/* Writes the name of the file of calls to `name`. The name contains that of the first model, which
 * is known only when a model is executed. */
static void make_calls_name(char name[SVP_FILE_NAME_MAX])
{
    SvpFileName parts = {.type = SVP_FILE_ACL, .device = board.jobs[0].device};

    parts.model_id = board.n_models ? board.models[0].id : 0;
    strcpy(parts.model, board.n_models ? board.models[0].name : "model");
    svp_file_name_write(&parts, name);
}

static void place_calls(void)
{
    char name[SVP_FILE_NAME_MAX], path[SVP_PATH_MAX];
    int error;

    make_calls_name(name);
    snprintf(path, sizeof path, "%.3800s/data/%s", board.jobs[0].path, name);
    error = board_calls_place(path);
    if (error)
        board_complain("%s: cannot be written: %s", path, strerror(error));
    else
        board_say("%s: created", path);
}

/* Counts the calls in a file, and writes the file .done for it. `error` is an errno value if the
 * file is not complete, otherwise 0. */
static void mark_calls(const char *name, int error)
{
    char path[SVP_PATH_MAX];
    uint64_t n_records;

    make_data_path(name, path);
    n_records = board_calls_count(path);
    __atomic_fetch_add(&board.totals.n_records, n_records, __ATOMIC_RELAXED);
    if (!error)
        error = board_job_mark_done(&board.jobs[0], name, 0, n_records);
    note_disk_error(error);
    if (error)
        board_complain("%s: cannot be written: %s", path, strerror(error));
}

static void end_calls(void)
{
    char name[SVP_FILE_NAME_MAX], slice[SVP_FILE_NAME_MAX + 32];
    BoardCallTotals calls;
    const int error = board_calls_end(&calls);

    board.totals.n_lost_records = calls.n_lost;
    if (!board.has_executed)
        return;
    make_calls_name(name);
    if (calls.n_slices == 0)
        mark_calls(name, error);
    for (unsigned i = calls.n_done; i < calls.n_slices; i++) {
        snprintf(slice, sizeof slice, "%s.slice_%u", name, i);
        mark_calls(slice, i + 1 < calls.n_slices ? 0 : error);
    }
}

static void report_losses(void)
{
    if (board.totals.n_lost_captures || board.totals.n_lost_records)
        board_complain(
            "lost: %llu captures, %llu records; with an interval other than 0 inferences "
            "may come faster than the storage takes them",
            (unsigned long long)board.totals.n_lost_captures,
            (unsigned long long)board.totals.n_lost_records);
}

static void end_session(int state)
{
    board_is_on = 0;
    if (board.has_calls)
        end_calls();
    board.has_calls = 0;
    for (uint32_t i = 0; i < board.n_jobs; i++) {
        board_job_write_info(&board.jobs[i], &board.config, state, &board.totals);
        board_job_finish(&board.jobs[i]);
    }
    report_losses();
    board_unlock();
    board.n_jobs = 0;
    board.has_executed = 0;
    memset(&board.totals, 0, sizeof board.totals);
}

static void finish_session(int state)
{
    if (!board.has_executed)
        board_say("no model was executed: nothing is kept");
    end_session(state);
}

/* If this is the first execution of a model, makes the JOB and moves the file of calls into it. */
static void note_execute(void)
{
    if (board.has_executed || !board_is_on)
        return;
    board.totals.models = board.models;
    board.totals.n_models = board.n_models;
    if (!job_of(current_device)) {
        if (errno != EBUSY) /* for EBUSY job_of() has printed a message */
            board_complain("profiling is off: %s: %s", board.output, strerror(errno));
        end_session(BOARD_INCOMPLETE_EXIT);
        return;
    }
    board.has_executed = 1;
    if (board.has_calls)
        place_calls();
}

static void finish_at_exit(void)
{
    pthread_mutex_lock(&lock);
    if (board_is_on && board.pid == getpid())
        finish_session(BOARD_INCOMPLETE_EXIT);
    pthread_mutex_unlock(&lock);
}

/* ---- acl.json ---- */

static void report_setting(void *user, const char *key, const char *why)
{
    board_say("%s: %s%s%s", (const char *)user, key, *key ? ": " : "", why);
}

const char *board_session_init(const char *path, char copy[SVP_PATH_MAX])
{
    const char *wanted = getenv("STROBE_BOARD_CONFIG");
    size_t length, own_length;
    char *text = NULL, *own = path ? board_config_read(path, &own_length) : NULL;
    const char *given = path;

    if (wanted && *wanted)
        text = board_config_read(wanted, &length);
    else if (own)
        text = own, length = own_length, wanted = path;
    if (!text) {
        free(own);
        return path;
    }
    pthread_mutex_lock(&lock);
    svp_config_read(&board.config, text, length, report_setting, (void *)(uintptr_t)wanted);
    if (board.config.is_on && board.config.dumps) {
        board_complain("%s: dump and profiler.switch are both on: profiling is off", wanted);
    } else if (board.config.is_on && !board_is_on) {
        begin_session();
        board.is_by_file = board_is_on;
        if (board_is_on && own && board_config_copy(own, own_length, copy))
            given = copy;
    }
    pthread_mutex_unlock(&lock);
    if (text != own)
        free(text);
    free(own);
    return given;
}

void board_session_finalize(void)
{
    pthread_mutex_lock(&lock);
    if (board_is_on)
        finish_session(BOARD_COMPLETE);
    board.is_by_file = 0;
    pthread_mutex_unlock(&lock);
}

int board_session_is_by_file(void)
{
    return board.is_by_file;
}

int board_session_start(const char *output, uint64_t mask)
{
    int code = 0;

    pthread_mutex_lock(&lock);
    if (board_is_on) {
        code = ERROR_RUNNING;
    } else {
        svp_config_defaults(&board.config);
        snprintf(board.config.output, sizeof board.config.output, "%s", output);
        board.config.is_on = 1;
        board.config.acl_api = (mask & MASK_API) != 0;
        board.config.has_metrics = (mask & MASK_METRICS) != 0;
        board.config.aacpu = (mask & MASK_CPU) != 0;
        for (uint32_t i = 0; i < board.n_models; i++)
            board.models[i].n_executed = board.models[i].n_captured = 0;
        begin_session();
        board.totals.is_by_api = 1;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int board_session_stop(void)
{
    int code = ERROR_NOT_RUNNING;

    pthread_mutex_lock(&lock);
    if (board_is_on) {
        finish_session(BOARD_COMPLETE);
        code = 0;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- models ---- */

static BoardModel *find_model(uint32_t id)
{
    for (uint32_t i = 0; i < board.n_models; i++)
        if (board.models[i].id == id)
            return &board.models[i];
    return NULL;
}

/* Stores the path of a model, which the program has given as attribute 2. `value` is a pointer to
 * the path, or the path itself. */
void board_session_note_path(const void *value, size_t size)
{
    const char *path = value;

    if (size == sizeof(char *))
        memcpy(&path, value, sizeof path);
    if (path)
        snprintf(model_path, sizeof model_path, "%s", path);
}

void board_session_name_model(uint32_t id)
{
    uint32_t (*batch)(void) = (uint32_t (*)(void))board_runtime("svp_double_model_batch");
    const char *path = model_path[0] ? model_path : board_model_opened();
    BoardModel *model;

    pthread_mutex_lock(&lock);
    model = find_model(id);
    if (!model && board.n_models < MODELS_MAX) {
        model = &board.models[board.n_models];
        *model = (BoardModel){.id = id, .batch = batch ? batch() : 1};
        svp_model_name(path, strlen(path), model->name);
        __atomic_store_n(&board.n_models, board.n_models + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    model_path[0] = 0;
    board_model_forget_opened();
}

const char *board_session_model(uint32_t id)
{
    const uint32_t n = __atomic_load_n(&board.n_models, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; id && i < n; i++)
        if (board.models[i].id == id)
            return board.models[i].name;
    return NULL;
}

uint32_t board_session_device(void)
{
    return current_device;
}

void board_session_set_device(uint32_t device)
{
    current_device = device;
}

/* ---- captures ---- */

static int is_due(const BoardModel *model)
{
    if (board.config.interval)
        return model->n_executed % board.config.interval == 0;
    return model->n_executed == 0 || board.config.is_each;
}

void board_session_note_execute(void)
{
    pthread_mutex_lock(&lock);
    note_execute();
    pthread_mutex_unlock(&lock);
}

int board_session_begin_execute(uint32_t id, BoardCapture *capture)
{
    BoardModel *model;
    int is_captured;

    pthread_mutex_lock(&lock);
    note_execute();
    model = find_model(id);
    is_captured = board_is_on && model && is_due(model);
    if (is_captured)
        *capture = (BoardCapture){.id = ++board.n_capture_ids,
                                  .current_pic = (uint64_t)model->n_executed * model->batch,
                                  .device = current_device,
                                  .number = ++model->n_captured,
                                  .model = model,
                                  .begin_ns = now_ns()};
    if (model)
        model->n_executed++;
    pthread_mutex_unlock(&lock);
    if (is_captured && !board_layers_begin(capture)) {
        __atomic_fetch_add(&board.totals.n_lost_captures, 1, __ATOMIC_RELAXED);
        is_captured = 0;
    }
    return is_captured;
}

void board_session_end_execute(BoardCapture *capture)
{
    BoardJob *job;
    int error;

    capture->end_ns = now_ns();
    pthread_mutex_lock(&lock);
    board.totals.n_models = board.n_models;
    job = board_is_on ? job_of(capture->device) : NULL;
    error = job ? board_layers_end(capture, job, &board.config, &board.totals) : ENOENT;
    if (!error) {
        board.totals.n_captures++;
    } else {
        board.totals.n_lost_captures++;
        note_disk_error(error);
        board_complain("a captured inference could not be written: %s", strerror(error));
    }
    pthread_mutex_unlock(&lock);
}
