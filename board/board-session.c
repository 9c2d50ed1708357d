/* SPDX-License-Identifier: Apache-2.0 */
/* What is on, and which inference is captured. Control calls and captures hold one lock; calls that
 * are only recorded do not. */
#include "board.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    BoardJob jobs[DEVICES_MAX]; /* the first one has the calls */
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

void board_say(const char *form, ...)
{
    char text[SVP_PATH_MAX * 2];
    va_list values;
    const int number = errno;

    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    fprintf(stderr, "strobe-board: %s\n", text);
    errno = number;
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
    board_unlock(); /* the parent's descriptors go on holding them */
    if (!board_is_on)
        return;
    board_is_on = 0;
    if (board.has_calls)
        board_calls_forget();
}

static void finish_at_exit(void);

static void watch_process(void)
{
    pthread_atfork(NULL, NULL, forget_session);
    atexit(finish_at_exit);
}

static BoardJob *job_of(uint32_t device)
{
    BoardJob *job = NULL;

    for (uint32_t i = 0; i < board.n_jobs; i++)
        if (board.jobs[i].device == device)
            return &board.jobs[i];
    if (board.n_jobs == DEVICES_MAX)
        return NULL;
    job = &board.jobs[board.n_jobs];
    if (!board_lock_device(device)) {
        errno = EBUSY;
        return NULL;
    }
    if (board_job_make(job, board.output, device))
        return NULL;
    board.n_jobs++;
    board_say("%s: created", job->path);
    return job;
}

/* It is read from /proc, as umask() sets it for all threads. */
static void warn_of_umask(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    unsigned mask = 027;
    char line[256];

    while (file && fgets(line, sizeof line, file))
        sscanf(line, "Umask: %o", &mask);
    if (file)
        fclose(file);
    if ((mask & 027) != 027)
        board_say("umask %04o lets others read what the program writes: 0027 is safe; the JOB's "
                  "directories have 0750, its files 0640",
                  mask);
}

static void begin_session(void)
{
    static int is_watched;
    BoardJob *job;
    int error;

    if (!board_output_find(board.config.output, board.output) || !board_lock_output(board.output))
        return;
    warn_of_umask();
    board.totals.is_simulated = board_runtime("svp_double_op_counters") != NULL;
    job = job_of(current_device);
    error = job ? 0 : errno;
    if (job && board.config.acl_api) {
        error = board_calls_begin(job->path, board.totals.is_simulated);
        board.has_calls = !error;
    }
    if (!job || error) {
        if (error != EBUSY) /* which has been said */
            board_say("profiling is off: %s: %s", board.output, strerror(error));
        board_unlock();
        return;
    }
    board_job_write_info(job, &board.config, BOARD_COLLECTING, &board.totals);
    if (!is_watched)
        watch_process();
    is_watched = 1;
    board.pid = getpid();
    board_is_on = 1;
}

/* The name of the file of calls has the first model, which is known when one is executed. */
static void make_calls_name(char name[SVP_FILE_NAME_MAX])
{
    SvpFileName parts = {.type = SVP_FILE_ACL, .device = board.jobs[0].device};

    parts.model_id = board.n_models ? board.models[0].id : 0;
    strcpy(parts.model, board.n_models ? board.models[0].name : "model");
    svp_file_name_write(&parts, name);
}

/* From now on the JOB is one to be kept. The writer has the file open, whatever its name is. */
static void note_execute(void)
{
    char name[SVP_FILE_NAME_MAX], from[SVP_PATH_MAX], to[SVP_PATH_MAX];

    if (board.has_executed || !board_is_on)
        return;
    board.has_executed = 1;
    if (!board.has_calls)
        return;
    make_calls_name(name);
    snprintf(from, sizeof from, "%.3800s/data/.calls", board.jobs[0].path);
    snprintf(to, sizeof to, "%.3800s/data/%s", board.jobs[0].path, name);
    if (rename(from, to))
        board_say("%s: %s", to, strerror(errno));
    else
        board_say("%s: created", to);
}

static void end_calls(void)
{
    const BoardJob *job = &board.jobs[0];
    char name[SVP_FILE_NAME_MAX], path[SVP_PATH_MAX];
    const int error = board_calls_end(&board.totals.n_lost_records);

    if (error)
        board.totals.disk_error = error;
    make_calls_name(name);
    if (board.has_executed && !error) {
        board_job_mark_done(job, name, 0, 0);
    } else if (!board.has_executed) {
        snprintf(path, sizeof path, "%.3800s/data/.calls", job->path);
        unlink(path);
    }
}

static void end_session(int state)
{
    board_is_on = 0;
    if (board.has_calls)
        end_calls();
    board.has_calls = 0;
    for (uint32_t i = 0; i < board.n_jobs; i++) {
        if (board.has_executed)
            board_job_write_info(&board.jobs[i], &board.config, state, &board.totals);
        else
            board_job_remove(&board.jobs[i]);
    }
    if (!board.has_executed)
        board_say("no model was executed: nothing is kept");
    if (board.totals.n_lost_captures || board.totals.n_lost_records)
        board_say("lost: %llu captures, %llu records",
                  (unsigned long long)board.totals.n_lost_captures,
                  (unsigned long long)board.totals.n_lost_records);
    board_unlock();
    board.n_jobs = 0;
    board.has_executed = 0;
    memset(&board.totals, 0, sizeof board.totals);
}

static void finish_at_exit(void)
{
    pthread_mutex_lock(&lock);
    if (board_is_on && board.pid == getpid())
        end_session(BOARD_INCOMPLETE_EXIT);
    pthread_mutex_unlock(&lock);
}

/* ---- acl.json ---- */

static char *read_text(const char *path, size_t *length)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = malloc(SVP_CONFIG_BYTES_MAX + 2);
    ssize_t n = 0;

    *length = 0;
    while (fd >= 0 && text && *length <= SVP_CONFIG_BYTES_MAX &&
           (n = read(fd, text + *length, SVP_CONFIG_BYTES_MAX + 1 - *length)) > 0)
        *length += (size_t)n;
    if (fd < 0 || !text || n < 0) {
        board_say("%s: cannot be read: %s; profiling is off", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

static void report_setting(void *user, const char *key, const char *why)
{
    board_say("%s: %s%s%s", (const char *)user, key, *key ? ": " : "", why);
}

/* A copy with the switch off, so that not both record. 0: it cannot be made. */
static int write_copy(const char *text, size_t length, char copy[SVP_PATH_MAX])
{
    char *off = malloc(length + 64);
    size_t n = off ? svp_config_switch_off(text, length, off, length + 64) : 0;
    int fd = n ? memfd_create("acl.json", 0) : -1; /* the runtime opens it by its path */
    int is_good = fd >= 0 && write(fd, off, n) == (ssize_t)n;

    free(off);
    if (is_good)
        snprintf(copy, SVP_PATH_MAX, "/proc/self/fd/%d", fd);
    else if (fd >= 0)
        close(fd);
    return is_good;
}

const char *board_session_init(const char *path, char copy[SVP_PATH_MAX])
{
    const char *wanted = getenv("STROBE_BOARD_CONFIG");
    size_t length, own_length;
    char *text = NULL, *own = path ? read_text(path, &own_length) : NULL;
    const char *given = path;

    if (wanted && *wanted)
        text = read_text(wanted, &length);
    else if (own)
        text = own, length = own_length, wanted = path;
    if (!text) {
        free(own);
        return path;
    }
    pthread_mutex_lock(&lock);
    svp_config_read(&board.config, text, length, report_setting, (void *)(uintptr_t)wanted);
    if (board.config.is_on && board.config.dumps) {
        board_say("%s: dump and profiler.switch are both on: profiling is off", wanted);
    } else if (board.config.is_on && !board_is_on) {
        begin_session();
        board.is_by_file = board_is_on;
        if (board_is_on && own && write_copy(own, own_length, copy))
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
        end_session(BOARD_COMPLETE);
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
        end_session(BOARD_COMPLETE);
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

/* Attribute 2 is a pointer to the path, or the path itself. */
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
    BoardModel *model;

    pthread_mutex_lock(&lock);
    model = find_model(id);
    if (!model && board.n_models < MODELS_MAX) {
        model = &board.models[board.n_models];
        *model = (BoardModel){.id = id, .batch = batch ? batch() : 1};
        svp_model_name(model_path, strlen(model_path), model->name);
        __atomic_store_n(&board.n_models, board.n_models + 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    model_path[0] = 0;
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
    int is_simulated = 0, error;

    capture->end_ns = now_ns();
    pthread_mutex_lock(&lock);
    job = board_is_on ? job_of(capture->device) : NULL;
    error = job ? board_layers_end(capture, job, &board.config, &is_simulated) : ENOENT;
    if (!error) {
        board.totals.n_captures++;
        board.totals.is_simulated |= is_simulated;
    } else {
        board.totals.n_lost_captures++;
        if (error == ENOSPC || error == EDQUOT || error == EFBIG)
            board.totals.disk_error = error;
        board_say("a captured inference could not be written: %s", strerror(error));
    }
    pthread_mutex_unlock(&lock);
}
