/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "crc32c.h"
#include "process.h"

#define TRIES 16
#define RESERVE ".reserve" /* name of a file that keeps room on the disk for the last info.json */
#define RESERVE_BYTES 65536
#define NS 1000000000

static int64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

/* ---- folders ---- */

static int can_write(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(path, W_OK | X_OK) == 0;
}

static int find_program_folder(char out[SVP_PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", out, SVP_PATH_MAX - 1);
    char *slash;

    if (n <= 0)
        return 0;
    out[n] = 0;
    slash = strrchr(out, '/');
    if (slash == out)
        slash++;
    if (slash)
        *slash = 0;
    return 1;
}

/* Whether the vendor's manual allows all characters of the path. Prints a message about a forbidden
 * or an unusual character. */
static int check_path(const char *path)
{
    const char *at = NULL;
    const int verdict = svp_path_check(path, &at);

    if (verdict == SVP_PATH_UNUSUAL)
        board_say("output \"%s\": \"%c\" is unusual in a path for profiling", path, *at);
    if (verdict == SVP_PATH_FORBIDDEN)
        board_complain("output: the character 0x%02x is not allowed in a path for profiling: "
                       "letters, digits and _ are",
                       (unsigned char)*at);
    return verdict != SVP_PATH_FORBIDDEN;
}

int board_output_find(const char *wanted, char out[SVP_PATH_MAX])
{
    char folder[SVP_PATH_MAX];

    if (*wanted && check_path(wanted) && can_write(wanted)) {
        if (wanted[0] == '/' || !getcwd(folder, sizeof folder))
            folder[0] = 0;
        /* makes the path absolute, because the program may change its working folder later */
        return snprintf(out, SVP_PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", wanted) <
               (int)SVP_PATH_MAX - 256;
    }
    if (!find_program_folder(out))
        return 0;
    if (*wanted)
        board_complain("output \"%s\" is not a writable folder: \"%s\" is used", wanted, out);
    if (can_write(out) && strlen(out) < SVP_PATH_MAX - 256)
        return 1;
    board_complain("\"%s\" cannot be written either: profiling is off", out);
    return 0;
}

/* Reads the umask from /proc, because umask() would change it for all threads for a moment. */
void board_job_check_umask(void)
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

/* Syncs a folder, so that a new entry in it survives a power cut. */
static void sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static int make_reserve(const BoardJob *job)
{
    char path[SVP_PATH_MAX];
    int fd, error;

    snprintf(path, sizeof path, "%.4080s/" RESERVE, job->path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0)
        return errno;
    error = posix_fallocate(fd, 0, RESERVE_BYTES);
    close(fd);
    if (error)
        unlink(path);
    return error == EOPNOTSUPP || error == EINVAL ? 0 : error;
}

static void give_back_reserve(const BoardJob *job)
{
    char path[SVP_PATH_MAX];

    snprintf(path, sizeof path, "%.4080s/" RESERVE, job->path);
    unlink(path);
}

int board_job_make(BoardJob *job, const char *output, uint32_t device)
{
    unsigned char random[SVP_JOB_LETTERS];
    char data[SVP_PATH_MAX];
    int error = EEXIST;

    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        if (getrandom(random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
            for (size_t k = 0; k < sizeof random; k++)
                random[k] = (unsigned char)(read_clock(CLOCK_MONOTONIC) >> k % 16);
        svp_job_name(random, job->name);
        snprintf(job->path, sizeof job->path, "%.3800s/%s", output, job->name);
        error = mkdir(job->path, 0750) || chmod(job->path, 0750) ? errno : 0;
    }
    job->device = device;
    if (error) {
        job->path[0] = 0;
        return error;
    }
    snprintf(data, sizeof data, "%.4080s/data", job->path);
    error = mkdir(data, 0750) || chmod(data, 0750) ? errno : make_reserve(job);
    if (error)
        board_job_remove(job);
    else
        sync_folder(output);
    return error;
}

void board_job_remove(BoardJob *job)
{
    char path[SVP_PATH_MAX];

    if (!job->path[0])
        return;
    give_back_reserve(job);
    snprintf(path, sizeof path, "%.4000s/info.json.%u", job->path, job->device);
    unlink(path);
    snprintf(path, sizeof path, "%.4080s/data", job->path);
    rmdir(path);
    rmdir(job->path);
    job->path[0] = 0;
}

/* Returns the total size of the files in a folder. */
static uint64_t count_bytes(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    struct stat st;
    uint64_t n = 0;

    while (folder && (entry = readdir(folder)))
        if (fstatat(dirfd(folder), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            n += (uint64_t)st.st_size;
    if (folder)
        closedir(folder);
    return n;
}

void board_job_finish(const BoardJob *job)
{
    char data[SVP_PATH_MAX];
    struct statvfs disk = {0};

    give_back_reserve(job);
    snprintf(data, sizeof data, "%.4080s/data", job->path);
    statvfs(job->path, &disk);
    board_say("%s: %llu bytes; %llu MB are free there. Strobe never removes old JOBs", job->path,
              (unsigned long long)(count_bytes(job->path) + count_bytes(data)),
              (unsigned long long)disk.f_bavail * disk.f_frsize >> 20);
}

/* ---- files that appear only when they are complete ---- */

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = write(fd, bytes, length);

        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

int board_job_write_file(const char *path, const char *bytes, size_t length)
{
    char made[SVP_PATH_MAX];
    int fd, error;

    snprintf(made, sizeof made, "%.4080s.tmp", path);
    fd = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (fd < 0)
        return errno;
    error = write_all(fd, bytes, length);
    if (!error && (fchmod(fd, 0640) || fsync(fd)))
        error = errno;
    close(fd);
    if (!error && rename(made, path))
        error = errno;
    if (error)
        unlink(made);
    return error;
}

/* ---- info.json ---- */

typedef struct Text {
    char bytes[131072];
    size_t n;
} Text;

static int append_bytes(void *user, const char *bytes, size_t length)
{
    Text *text = user;

    if (length > sizeof text->bytes - text->n)
        return ENOSPC;
    memcpy(text->bytes + text->n, bytes, length);
    text->n += length;
    return 0;
}

static void put_text(StrobeJsonWriter *json, const char *key, const char *value)
{
    strobe_json_key(json, key);
    strobe_json_string(json, value);
}

static void put_int(StrobeJsonWriter *json, const char *key, int64_t value)
{
    strobe_json_key(json, key);
    strobe_json_int(json, value);
}

static void put_config(StrobeJsonWriter *json, const SvpConfig *config)
{
    strobe_json_key(json, "config");
    strobe_json_begin_object(json);
    put_text(json, "switch", "on");
    put_text(json, "output", config->output);
    put_text(json, "aacpu", config->aacpu ? "on" : "off");
    put_text(json, "aac_metrics", config->has_metrics ? "ArithmeticUtilization" : "");
    put_text(json, "acl_api", config->acl_api ? "on" : "off");
    put_int(json, "acl_api_limit", config->api_limit);
    put_int(json, "interval", config->interval);
    put_text(json, "strobe_interval_zero", config->is_each ? "every" : "once");
    put_int(json, "strobe_slice_mb", config->slice_mb);
    put_int(json, "strobe_flush_ms", config->flush_ms);
    put_text(json, "strobe_sync", config->syncs ? "on" : "off");
    strobe_json_end_object(json);
}

static void put_process(StrobeJsonWriter *json)
{
    char host[256] = "", command[4096];

    gethostname(host, sizeof host - 1);
    strobe_process_command(getpid(), command, sizeof command);
    put_int(json, "pid", getpid());
    put_text(json, "process", command);
    put_text(json, "hostname", host);
}

/* Writes the kernel's name for the board: the first one in the device tree's list, which is the
 * most exact. Writes "" if there is none. */
static void put_soc(StrobeJsonWriter *json)
{
    char names[256] = "";
    const int fd = open("/proc/device-tree/compatible", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (read(fd, names, sizeof names - 1) < 0)
            names[0] = 0;
        close(fd);
    }
    put_text(json, "soc", names);
}

static void put_clock(StrobeJsonWriter *json)
{
    strobe_json_key(json, "clock");
    strobe_json_begin_object(json);
    put_text(json, "id", "monotonic");
    put_int(json, "resolution_ns", 1);
    strobe_json_end_object(json);
    strobe_json_key(json, "sync");
    strobe_json_begin_array(json);
    strobe_json_begin_object(json);
    put_int(json, "mono_ns", read_clock(CLOCK_MONOTONIC));
    put_int(json, "real_ns", read_clock(CLOCK_REALTIME));
    strobe_json_end_object(json);
    strobe_json_end_array(json);
}

static void put_models(StrobeJsonWriter *json, const BoardTotals *totals)
{
    strobe_json_key(json, "models");
    strobe_json_begin_array(json);
    for (uint32_t i = 0; i < totals->n_models; i++) {
        strobe_json_begin_object(json);
        put_text(json, "name", totals->models[i].name);
        put_int(json, "model_id", totals->models[i].id);
        put_int(json, "batch_num", totals->models[i].batch);
        put_int(json, "input_pic_num", totals->models[i].batch);
        strobe_json_end_object(json);
    }
    strobe_json_end_array(json);
}

static void put_counters(StrobeJsonWriter *json, const BoardTotals *totals, uint64_t bytes)
{
    strobe_json_key(json, "counters");
    strobe_json_begin_object(json);
    put_int(json, "captures", (int64_t)totals->n_captures);
    put_int(json, "records", (int64_t)totals->n_records);
    put_int(json, "bytes", (int64_t)bytes);
    put_int(json, "lost_captures", (int64_t)totals->n_lost_captures);
    put_int(json, "lost_records", (int64_t)totals->n_lost_records);
    strobe_json_end_object(json);
}

static void put_head(StrobeJsonWriter *json, const BoardJob *job, int state,
                     const BoardTotals *totals)
{
    static const char *const states[] = {"collecting", "complete", "incomplete_exit", "disk_full"};

    put_text(json, "format", "SVPR");
    strobe_json_key(json, "version");
    strobe_json_begin_object(json);
    put_int(json, "major", 1);
    put_int(json, "minor", 0);
    strobe_json_end_object(json);
    strobe_json_key(json, "producer");
    strobe_json_begin_object(json);
    put_text(json, "name", "strobe-board");
    put_text(json, "version", STROBE_VERSION);
    strobe_json_end_object(json);
    put_text(json, "job", job->name);
    put_text(json, "state", states[totals->disk_error ? BOARD_DISK_FULL : state]);
    put_text(json, "mode", totals->is_by_api ? "acl_api" : "acl_json");
    put_int(json, "device_id", job->device);
    put_soc(json);
}

static int make_info(Text *text, const BoardJob *job, const SvpConfig *config, int state,
                     const BoardTotals *totals)
{
    char data[SVP_PATH_MAX];
    StrobeJsonWriter json;

    snprintf(data, sizeof data, "%.4080s/data", job->path);
    strobe_json_init(&json, append_bytes, text, STROBE_JSON_INDENTED);
    strobe_json_begin_object(&json);
    put_head(&json, job, state, totals);
    put_process(&json);
    put_clock(&json);
    put_config(&json, config);
    put_models(&json, totals);
    put_counters(&json, totals, count_bytes(data));
    strobe_json_key(&json, "begun_late");
    strobe_json_bool(&json, totals->is_late);
    strobe_json_key(&json, "simulated");
    strobe_json_bool(&json, totals->is_simulated);
    strobe_json_end_object(&json);
    return strobe_json_flush(&json);
}

int board_job_write_info(const BoardJob *job, const SvpConfig *config, int state,
                         const BoardTotals *totals)
{
    char path[SVP_PATH_MAX];
    Text *text = calloc(1, sizeof *text);
    int error = text ? make_info(text, job, config, state, totals) : ENOMEM;

    snprintf(path, sizeof path, "%.4000s/info.json.%u", job->path, job->device);
    if (!error)
        error = board_job_write_file(path, text->bytes, text->n);
    if (error == ENOSPC || error == EDQUOT) {
        give_back_reserve(job);
        error = board_job_write_file(path, text->bytes, text->n);
    }
    if (error)
        board_complain("%s: cannot be written: %s", path, strerror(error));
    else if (state == BOARD_COLLECTING)
        board_say("%s: created", path);
    free(text);
    return error;
}

/* ---- files .done ---- */

static int compute_checksum(const char *path, uint32_t *crc, uint64_t *size)
{
    char *bytes = malloc(65536);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = -1;

    *crc = 0;
    *size = 0;
    while (bytes && fd >= 0 && (n = read(fd, bytes, 65536)) > 0) {
        *crc = strobe_crc32c(*crc, bytes, (size_t)n);
        *size += (uint64_t)n;
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
    return n == 0 ? 0 : EIO;
}

int board_job_mark_done(const BoardJob *job, const char *name, uint64_t begin_ns, uint64_t records)
{
    char path[SVP_PATH_MAX], text[256];
    uint32_t crc;
    uint64_t size;
    int n, error;

    snprintf(path, sizeof path, "%.3800s/data/%.256s", job->path, name);
    error = compute_checksum(path, &crc, &size);
    if (error)
        return error;
    n = snprintf(text, sizeof text,
                 "filesize:%llu\nstarttime:%llu\nendtime:%llu\nrecords:%llu\ncrc32c:%08x\n",
                 (unsigned long long)size, (unsigned long long)begin_ns,
                 (unsigned long long)read_clock(CLOCK_MONOTONIC), (unsigned long long)records, crc);
    strcat(path, ".done");
    return board_job_write_file(path, text, (size_t)n);
}
