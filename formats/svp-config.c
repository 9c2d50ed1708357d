/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-config.h"

#include <stdio.h>
#include <string.h>
#include <strobe/helpers/json-scanner.h>

#define TEXT_MAX 256u
#define BOM "\xef\xbb\xbf"

typedef struct Parse {
    SvpConfig *config;
    StrobeJsonScanner *json;
    SvpConfigTell *tell;
    void *user;
    unsigned seen; /* one bit for each key that was read */
} Parse;

enum {
    KEY_SWITCH,
    KEY_OUTPUT,
    KEY_AACPU,
    KEY_METRICS,
    KEY_API,
    KEY_INTERVAL,
    KEY_EACH,
    KEY_LIMIT,
    KEY_SLICE,
    KEY_FLUSH,
    KEY_SYNC,
    KEYS
};

/* Each key as the manual spells it, and as real boards spell it. */
static const char *const names[KEYS][2] = {
    [KEY_SWITCH] = {"switch"},
    [KEY_OUTPUT] = {"output"},
    [KEY_AACPU] = {"aacpu", "aicpu"},
    [KEY_METRICS] = {"aac_metrics", "aic_metrics"},
    [KEY_API] = {"acl_api"},
    [KEY_INTERVAL] = {"interval"},
    [KEY_EACH] = {"strobe_interval_zero"},
    [KEY_LIMIT] = {"acl_api_limit"},
    [KEY_SLICE] = {"strobe_slice_mb"},
    [KEY_FLUSH] = {"strobe_flush_ms"},
    [KEY_SYNC] = {"strobe_sync"},
};

void svp_config_defaults(SvpConfig *config)
{
    memset(config, 0, sizeof *config);
    config->aacpu = 1;
    config->acl_api = 1;
    config->slice_mb = SVP_SLICE_MB;
    config->flush_ms = SVP_FLUSH_MS;
    config->syncs = 1;
}

/* ---- reading a key ---- */

/* A value: its type, and its NUL-terminated text, truncated to `size`. */
typedef struct Value {
    int type;
    char text[SVP_PATH_MAX];
    int is_cut;
} Value;

/* Reads the next value. Returns 0 if the text is invalid JSON here. */
static int read_value(Parse *parse, Value *value)
{
    const char *text;
    size_t length;

    value->type = strobe_json_scanner_next(parse->json, &text, &length);
    value->text[0] = 0;
    value->is_cut = 0;
    if (value->type == STROBE_JSON_STRING || value->type == STROBE_JSON_NUMBER) {
        value->is_cut = length >= sizeof value->text || memchr(text, 0, length) != NULL;
        if (length >= sizeof value->text)
            length = sizeof value->text - 1;
        memcpy(value->text, text, length);
        value->text[length] = 0;
    } else if (value->type == STROBE_JSON_OBJECT || value->type == STROBE_JSON_ARRAY) {
        return strobe_json_scanner_skip(parse->json, 1) == STROBE_JSON_END;
    }
    return value->type > 0;
}

static void report_key(const Parse *parse, int key, const char *why)
{
    char name[TEXT_MAX];

    snprintf(name, sizeof name, "profiler.%s", names[key][0]);
    parse->tell(parse->user, name, why);
}

static int is_text(const Value *value, const char *text)
{
    return value->type == STROBE_JSON_STRING && strcmp(value->text, text) == 0;
}

/* Returns 1 for "on" and 0 for any other value. Reports a value that is neither "on" nor "off". */
static int read_switch(const Parse *parse, int key, const Value *value)
{
    if (!is_text(value, "on") && !is_text(value, "off"))
        report_key(parse, key, "neither \"on\" nor \"off\": taken as off");
    return is_text(value, "on");
}

/* Reads a whole number. Returns 0 if the value is not a whole number up to `max`. */
static int read_whole(const Value *value, uint32_t max, uint32_t *whole)
{
    uint64_t number = 0;
    int is_good = value->text[0] != 0 &&
                  (value->type == STROBE_JSON_STRING || value->type == STROBE_JSON_NUMBER);

    for (const char *c = value->text; is_good && *c; c++) {
        is_good = *c >= '0' && *c <= '9' && number <= max;
        number = number * 10 + (uint64_t)(*c - '0');
    }
    *whole = (uint32_t)number;
    return is_good && number <= max;
}

static uint32_t read_interval(const Parse *parse, const Value *value)
{
    uint32_t number;

    if (read_whole(value, INT32_MAX, &number))
        return number;
    report_key(parse, KEY_INTERVAL, "not a whole number from 0 to 2147483647: taken as 0");
    return 0;
}

static uint32_t read_limit(const Parse *parse, const Value *value)
{
    uint32_t number;

    if (read_whole(value, SVP_API_LIMIT_MAX, &number))
        return number;
    report_key(parse, KEY_LIMIT, "not a whole number from 0 to 1000000: taken as 0");
    return 0;
}

static uint32_t read_slice(const Parse *parse, const Value *value)
{
    uint32_t number;

    if (read_whole(value, SVP_SLICE_MB_MAX, &number))
        return number;
    report_key(parse, KEY_SLICE, "not a whole number from 0 to 65536: taken as 64");
    return SVP_SLICE_MB;
}

static uint32_t read_flush(const Parse *parse, const Value *value)
{
    uint32_t number;

    if (read_whole(value, SVP_FLUSH_MS_MAX, &number) && number > 0)
        return number;
    report_key(parse, KEY_FLUSH, "not a whole number from 1 to 60000: taken as 500");
    return SVP_FLUSH_MS;
}

static void take_value(Parse *parse, int key, const Value *value)
{
    SvpConfig *config = parse->config;

    switch (key) {
    case KEY_SWITCH:
        config->is_on = read_switch(parse, key, value);
        break;
    case KEY_OUTPUT:
        if (value->type != STROBE_JSON_STRING || value->is_cut)
            report_key(parse, key, "not a path: the program's folder is used");
        else
            memcpy(config->output, value->text, sizeof config->output);
        break;
    case KEY_AACPU:
        config->aacpu = read_switch(parse, key, value);
        break;
    case KEY_METRICS:
        config->has_metrics = is_text(value, "ArithmeticUtilization");
        break;
    case KEY_API:
        config->acl_api = read_switch(parse, key, value);
        break;
    case KEY_INTERVAL:
        config->interval = read_interval(parse, value);
        break;
    case KEY_LIMIT:
        config->api_limit = read_limit(parse, value);
        break;
    case KEY_SLICE:
        config->slice_mb = read_slice(parse, value);
        break;
    case KEY_FLUSH:
        config->flush_ms = read_flush(parse, value);
        break;
    case KEY_SYNC:
        config->syncs = read_switch(parse, key, value);
        break;
    default:
        config->is_each = is_text(value, "every");
        if (!config->is_each && !is_text(value, "once"))
            report_key(parse, key, "neither \"once\" nor \"every\": taken as once");
    }
}

/* Returns the key, or KEYS if it is unknown. *is_alias receives whether the key is spelled as on
 * real boards. */
static int find_key(const char *text, size_t length, int *is_alias)
{
    for (int key = 0; key < KEYS; key++)
        for (int k = 0; k < 2; k++)
            if (names[key][k] && strlen(names[key][k]) == length &&
                memcmp(names[key][k], text, length) == 0) {
                *is_alias = k;
                return key;
            }
    return KEYS;
}

static void tell_unknown(const Parse *parse, const char *text, size_t length)
{
    char name[TEXT_MAX];

    snprintf(name, sizeof name, "profiler.%.*s", (int)(length > 200 ? 200 : length), text);
    parse->tell(parse->user, name, "unknown key: it has no effect");
}

/* Reads a key and its value. The manual's spelling takes precedence; if a key is repeated, the last
 * value is used. */
static int read_member(Parse *parse, const char *text, size_t length)
{
    int is_alias = 0;
    const int key = find_key(text, length, &is_alias);
    static const unsigned alias_shift = 16;
    Value value;

    if (key == KEYS)
        tell_unknown(parse, text, length);
    else if (parse->seen & 1u << (key + (is_alias ? alias_shift : 0)))
        report_key(parse, key, "is given twice: the last value is used");
    else if (parse->seen & (1u << key | 1u << (key + alias_shift)))
        report_key(parse, key,
                   "is given in two spellings: the value with the manual's spelling is used");
    if (!read_value(parse, &value))
        return 0;
    if (key < KEYS && !(is_alias && parse->seen & 1u << key))
        take_value(parse, key, &value);
    if (key < KEYS)
        parse->seen |= 1u << (key + (is_alias ? alias_shift : 0));
    return 1;
}

/* ---- reading a file ---- */

static int read_section(Parse *parse)
{
    const char *text;
    size_t length;
    int token;

    parse->config->has_section = 1;
    while ((token = strobe_json_scanner_next(parse->json, &text, &length)) == STROBE_JSON_KEY)
        if (!read_member(parse, text, length))
            return 0;
    return token == STROBE_JSON_OBJECT_END;
}

static int is_active_dump(const Value *value)
{
    return value->type == STROBE_JSON_OBJECT || value->type == STROBE_JSON_ARRAY ||
           (value->type == STROBE_JSON_STRING && value->text[0]) || value->type == STROBE_JSON_TRUE;
}

static int read_sections(Parse *parse)
{
    const char *text;
    size_t length;
    Value value;
    int token = strobe_json_scanner_next(parse->json, &text, &length);

    if (token != STROBE_JSON_OBJECT)
        return 0;
    while ((token = strobe_json_scanner_next(parse->json, &text, &length)) == STROBE_JSON_KEY) {
        const int is_profiler = length == 8 && memcmp(text, "profiler", 8) == 0;
        const int is_dump = length == 4 && memcmp(text, "dump", 4) == 0;

        if (is_profiler) {
            token = strobe_json_scanner_next(parse->json, &text, &length);
            if (token != STROBE_JSON_OBJECT) {
                parse->tell(parse->user, "profiler", "not an object");
                return 0;
            }
            if (!read_section(parse))
                return 0;
        } else if (!read_value(parse, &value)) {
            return 0;
        } else if (is_dump) {
            parse->config->dumps = is_active_dump(&value);
        }
    }
    return token == STROBE_JSON_OBJECT_END &&
           strobe_json_scanner_next(parse->json, &text, &length) == STROBE_JSON_END;
}

static void tell_place(const Parse *parse)
{
    char why[TEXT_MAX];
    const char *expected = strobe_json_scanner_error(parse->json);

    snprintf(why, sizeof why, "not JSON at byte %llu: %s",
             (unsigned long long)strobe_json_scanner_offset(parse->json),
             expected ? expected : "not in the expected form");
    parse->tell(parse->user, "", why);
}

/* Skips a byte order mark. */
static void pass_mark(const char **text, size_t *length)
{
    if (*length >= 3 && memcmp(*text, BOM, 3) == 0) {
        *text += 3;
        *length -= 3;
    }
}

int svp_config_read(SvpConfig *config, const char *text, size_t length, SvpConfigTell *reported,
                    void *user)
{
    Parse parse = {.config = config, .tell = reported, .user = user};
    int is_good;

    svp_config_defaults(config);
    if (length > SVP_CONFIG_BYTES_MAX) {
        reported(user, "", "over 1 MiB");
        return 0;
    }
    pass_mark(&text, &length);
    parse.json = strobe_json_scanner_new_bytes(text, length);
    if (!parse.json)
        return 0;
    is_good = read_sections(&parse);
    if (!is_good) {
        tell_place(&parse);
        config->is_on = 0;
    }
    strobe_json_scanner_free(parse.json);
    return is_good;
}

static void tell_nobody(void *user, const char *key, const char *why)
{
    (void)user;
    (void)key;
    (void)why;
}

int svp_config_is_board(const char *text, size_t length)
{
    static const unsigned own =
        1u << KEY_AACPU | 1u << KEY_METRICS | 1u << KEY_API | 1u << KEY_INTERVAL;
    SvpConfig config;
    Parse parse = {.config = &config, .tell = tell_nobody};
    int is_good;

    svp_config_defaults(&config);
    pass_mark(&text, &length);
    parse.json =
        length <= SVP_CONFIG_BYTES_MAX ? strobe_json_scanner_new_bytes(text, length) : NULL;
    if (!parse.json)
        return 0;
    is_good = read_sections(&parse);
    strobe_json_scanner_free(parse.json);
    return is_good && parse.seen & own;
}

/* ---- copying with the switch off ---- */

/* Finds the range [*from, *to) of the last value of profiler.switch. Returns 0 if there is no such
 * key. */
static int find_switch(StrobeJsonScanner *json, size_t *from, size_t *to)
{
    const char *text;
    size_t length;
    int token, found = 0;

    if (strobe_json_scanner_next(json, &text, &length) != STROBE_JSON_OBJECT)
        return 0;
    while ((token = strobe_json_scanner_next(json, &text, &length)) == STROBE_JSON_KEY ||
           token == STROBE_JSON_OBJECT_END) {
        if (token == STROBE_JSON_OBJECT_END) {
            if (strobe_json_scanner_depth(json) == 0)
                break;
            continue;
        }
        const int depth = (int)strobe_json_scanner_depth(json);
        const int is_section = depth == 1 && length == 8 && memcmp(text, "profiler", 8) == 0;
        const int is_switch = depth == 2 && length == 6 && memcmp(text, "switch", 6) == 0;

        token = strobe_json_scanner_next(json, &text, &length);
        if (is_section && token == STROBE_JSON_OBJECT)
            continue;
        if (is_switch && token == STROBE_JSON_STRING) {
            *from = (size_t)strobe_json_scanner_token_offset(json);
            *to = (size_t)strobe_json_scanner_offset(json);
            found = 1;
        } else if (token == STROBE_JSON_OBJECT || token == STROBE_JSON_ARRAY) {
            strobe_json_scanner_skip(json, 1);
        }
    }
    return found;
}

size_t svp_config_switch_off(const char *text, size_t length, char *out, size_t size)
{
    static const char off[] = "\"off\"";
    StrobeJsonScanner *json;
    size_t from = 0, to = 0;
    int found;

    pass_mark(&text, &length);
    json = strobe_json_scanner_new_bytes(text, length);
    found = json && find_switch(json, &from, &to);
    strobe_json_scanner_free(json);
    if (!found)
        from = to = length;
    const size_t n = length - (to - from) + (found ? strlen(off) : 0);
    if (n >= size)
        return 0;
    memcpy(out, text, from);
    if (found)
        memcpy(out + from, off, strlen(off));
    memcpy(out + from + (found ? strlen(off) : 0), text + to, length - to);
    out[n] = 0;
    return n;
}
