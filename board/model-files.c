/* SPDX-License-Identifier: Apache-2.0 */
/* Writes files that describe a model, for people and other tools. Each data file contains the same
 * description. */
#include "board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/json-writer.h>
#include <unistd.h>

typedef struct Text {
    char *bytes;
    size_t n, size;
} Text;

static int append_bytes(void *user, const char *bytes, size_t length)
{
    Text *text = user;

    if (length > text->size - text->n) {
        const size_t size = (text->size + length) * 2;
        char *larger = realloc(text->bytes, size);

        if (!larger)
            return ENOMEM;
        text->bytes = larger;
        text->size = size;
    }
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

static void make_path(const BoardJob *job, const BoardModel *model, const char *ending,
                      char path[SVP_PATH_MAX])
{
    snprintf(path, SVP_PATH_MAX, "%.3800s/data/%s.%u.%s", job->path, model->name, model->id,
             ending);
}

static int is_there(const BoardJob *job, const BoardModel *model)
{
    char path[SVP_PATH_MAX];

    make_path(job, model, "net.info", path);
    return access(path, F_OK) == 0;
}

static int write_text(const BoardJob *job, const BoardModel *model, const char *ending, Text *text,
                      int error)
{
    char path[SVP_PATH_MAX];

    make_path(job, model, ending, path);
    if (!error)
        error = board_job_write_file(path, text->bytes, text->n);
    free(text->bytes);
    if (error)
        board_complain("%s: cannot be written: %s", path, strerror(error));
    else
        board_say("%s: created", path);
    return error;
}

static int write_net(const BoardJob *job, const BoardModel *model, uint32_t n_layers)
{
    StrobeJsonWriter json;
    Text text = {0};

    strobe_json_init(&json, append_bytes, &text, STROBE_JSON_INDENTED);
    strobe_json_begin_object(&json);
    put_text(&json, "format", "SVPR");
    put_int(&json, "version", 1);
    put_text(&json, "model", model->name);
    put_int(&json, "model_id", model->id);
    put_int(&json, "batch_num", model->batch);
    put_int(&json, "input_pic_num", model->batch);
    put_int(&json, "net_count", n_layers);
    strobe_json_end_object(&json);
    return write_text(job, model, "net.info", &text, strobe_json_flush(&json));
}

/* Writes a layer as one object on one line, so that a file that was not written completely still
 * contains complete objects. */
static int put_layer(Text *text, const BoardLayer *layer, uint32_t index)
{
    StrobeJsonWriter json;
    int error;

    strobe_json_init(&json, append_bytes, text, STROBE_JSON_SPACED);
    strobe_json_begin_object(&json);
    put_int(&json, "layer_id", index);
    put_text(&json, "ori_name", layer->name);
    put_text(&json, "name", layer->name);
    put_text(&json, "type", layer->type);
    put_text(&json, "task_type", layer->unit);
    put_int(&json, "stream_id", 0);
    strobe_json_end_object(&json);
    error = strobe_json_flush(&json);
    return error ? error : append_bytes(text, "\n", 1);
}

int board_model_write(const BoardJob *job, const BoardModel *model, const BoardLayer *layers,
                      uint32_t n)
{
    Text text = {0};
    int error, failed = 0;

    if (is_there(job, model))
        return 0;
    error = write_net(job, model, n);
    for (uint32_t i = 0; i < n && !failed; i++)
        failed = put_layer(&text, &layers[i], i);
    failed = write_text(job, model, "layer.info", &text, failed);
    return error ? error : failed;
}
