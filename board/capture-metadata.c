/* SPDX-License-Identifier: Apache-2.0 */
#include "capture-metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include <unistd.h>

#include "clock.h"
#include "process.h"
#include "recorder.h"

typedef struct Text {
    char *bytes;
    size_t n;
} Text;

static int append_bytes(void *user, const char *bytes, size_t length)
{
    Text *text = user;
    char *longer = realloc(text->bytes, text->n + length + 1);

    if (!longer)
        return ENOMEM;
    memcpy(longer + text->n, bytes, length);
    text->n += length;
    longer[text->n] = 0;
    text->bytes = longer;
    return 0;
}

static void write_member(StrobeJsonWriter *json, const char *key, const char *value)
{
    strobe_json_key(json, key);
    strobe_json_string(json, value);
}

static void write_members(StrobeJsonWriter *json, pid_t pid, const char *command)
{
    const StrobeClockPair start = strobe_clock_pair();
    char found[4096], boot_id[64], pool_id[33], host[256] = "";
    int is_tmpfs;

    gethostname(host, sizeof host - 1);
    if (!command)
        strobe_process_command(pid, found, sizeof found);
    strobe_boot_id(boot_id);
    write_member(json, "strobe_version", STROBE_VERSION);
    strobe_json_key(json, "pid");
    strobe_json_int(json, pid);
    write_member(json, "host", host);
    write_member(json, "command", command ? command : found);
    write_member(json, "boot_id", boot_id);
    write_member(json, "clock", strobe_clock_name());
    write_member(json, "pool", strobe_recorder_pool(&is_tmpfs, pool_id));
    write_member(json, "pool_id", pool_id);
    strobe_json_key(json, "pool_in_memory");
    strobe_json_bool(json, is_tmpfs);
    write_member(json, "writer", "thread");
    strobe_json_key(json, "start_monotonic_ns");
    strobe_json_int(json, start.monotonic_ns);
    strobe_json_key(json, "start_raw_ns");
    strobe_json_int(json, strobe_clock_raw_ns(&start));
}

char *board_capture_metadata(pid_t pid, const char *command, const char *more)
{
    Text text = {0};
    StrobeJsonWriter json;
    int error;

    strobe_json_init(&json, append_bytes, &text, 0);
    strobe_json_begin_object(&json);
    write_members(&json, pid, command);
    strobe_json_end_object(&json);
    error = strobe_json_flush(&json);
    if (!error) { /* joins the objects "{...}" and "{...}" to one object */
        text.bytes[text.n - 1] = ',';
        error = append_bytes(&text, more + 1, strlen(more + 1));
    }
    if (error) {
        free(text.bytes);
        return NULL;
    }
    return text.bytes;
}
