/* SPDX-License-Identifier: Apache-2.0 */
/* Calls go the way of all of Strobe's records: thread buffers, pool, writer. The writer is a thread
 * of the program, which a board without Strobe's programs can have too. */
#include "board.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture-format.h"
#include "clock.h"
#include "thread-buffer.h"
#include "process.h"
#include "recorder.h"

#define POOL_BYTES ((size_t)16 << 20) /* bursts of all threads, until the writer has its turn */
#define FLUSH_NS 500000000
#define METADATA_MAX 16384u

static StrobeKindId call_kind;

typedef struct Metadata {
    char text[METADATA_MAX];
    size_t n;
} Metadata;

static int append_bytes(void *user, const char *bytes, size_t length)
{
    Metadata *metadata = user;

    if (length >= sizeof metadata->text - metadata->n)
        return ENOSPC;
    memcpy(metadata->text + metadata->n, bytes, length);
    metadata->n += length;
    metadata->text[metadata->n] = 0;
    return 0;
}

static void write_member(StrobeJsonWriter *json, const char *key, const char *value)
{
    strobe_json_key(json, key);
    strobe_json_string(json, value);
}

/* Recovery finds the pool by them. */
static int make_metadata(Metadata *metadata, int is_simulated)
{
    char command[4096], boot_id[64], pool_id[33], host[256] = "";
    StrobeJsonWriter json;
    int is_tmpfs;

    metadata->n = 0;
    gethostname(host, sizeof host - 1);
    strobe_process_command(getpid(), command, sizeof command);
    strobe_boot_id(boot_id);
    strobe_json_init(&json, append_bytes, metadata, 0);
    strobe_json_begin_object(&json);
    write_member(&json, "strobe_version", STROBE_VERSION);
    strobe_json_key(&json, "pid");
    strobe_json_int(&json, getpid());
    write_member(&json, "host", host);
    write_member(&json, "command", command);
    write_member(&json, "boot_id", boot_id);
    write_member(&json, "clock", strobe_clock_name());
    write_member(&json, "pool", strobe_recorder_pool(&is_tmpfs, pool_id));
    write_member(&json, "pool_id", pool_id);
    strobe_json_key(&json, "pool_in_memory");
    strobe_json_bool(&json, is_tmpfs);
    write_member(&json, "writer", "thread");
    strobe_json_key(&json, "simulated");
    strobe_json_bool(&json, is_simulated);
    strobe_json_end_object(&json);
    return strobe_json_flush(&json);
}

static int begin_window(const char *folder, int is_simulated)
{
    char path[SVP_PATH_MAX], made[SVP_PATH_MAX + 8], reason[256];
    static Metadata metadata;
    int fd, error;

    call_kind = strobe_recorder_kind(&svp_kind_api_call, reason, sizeof reason);
    error = call_kind ? make_metadata(&metadata, is_simulated) : EINVAL;
    if (error)
        return error;
    snprintf(path, sizeof path, "%.4000s/data/.calls", folder);
    snprintf(made, sizeof made, "%s" STROBE_CAPTURE_UNNAMED, path);
    fd = open(made, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (fd < 0)
        return errno;
    fchmod(fd, 0640); /* whatever the umask is */
    return strobe_recorder_begin_window(fd, path, metadata.text);
}

int board_calls_begin(const char *folder, int is_simulated)
{
    const StrobeRecorderSettings settings = {.pool_bytes = POOL_BYTES,
                                             .writer = {.policy = STROBE_POLICY_DROP,
                                                        .sync = STROBE_SYNC_INTERVAL,
                                                        .flush_interval_ns = FLUSH_NS},
                                             .fallback_dir = folder};
    int error = strobe_recorder_open(&settings);

    if (!error)
        error = begin_window(folder, is_simulated);
    if (error)
        strobe_recorder_close();
    return error;
}

uint64_t board_calls_now(void)
{
    return strobe_clock_now();
}

void board_calls_record(const char *name, const char *mode, uint64_t begin, int status,
                        const char *model, uint32_t model_id, uint64_t capture, uint32_t device)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    const uint64_t end = strobe_clock_now();

    if (!writer)
        return;
    const StrobeStringId of_name = strobe_thread_buffer_intern(writer, name, strlen(name), 0);
    const StrobeStringId of_level = strobe_thread_buffer_intern(writer, "acl", 3, 0);
    const StrobeStringId of_mode = strobe_thread_buffer_intern(writer, mode, strlen(mode), 0);
    const StrobeStringId of_model =
        model ? strobe_thread_buffer_intern(writer, model, strlen(model), 0) : 0;
    struct svp_api_call *call =
        strobe_thread_buffer_reserve(writer, call_kind, 0, of_name, begin, end);

    if (!call)
        return;
    call->level = of_level;
    call->mode = of_mode;
    call->item = of_model;
    call->connection = capture ? capture : STROBE_ABSENT_U64;
    call->exact_us = STROBE_ABSENT_F64;
    call->device = device;
    call->model = model ? model_id : STROBE_ABSENT_U32;
    call->status = status;
    strobe_thread_buffer_commit(writer);
}

int board_calls_end(uint64_t *n_lost)
{
    uint64_t lost[STROBE_LOSS_CAUSES];
    int error = strobe_recorder_end_window(-1);

    *n_lost = 0;
    strobe_recorder_losses(lost);
    for (int i = 0; i < STROBE_LOSS_CAUSES; i++)
        *n_lost += lost[i];
    strobe_recorder_close();
    return error;
}

void board_calls_forget(void)
{
    strobe_recorder_forget();
}
