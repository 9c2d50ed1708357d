/* SPDX-License-Identifier: Apache-2.0 */
#include "svp-names.h"

#include <stdio.h>
#include <string.h>
#include <strobe/record.h>

#define CUT_AT 119u

void svp_job_name(const unsigned char random[SVP_JOB_LETTERS], char out[SVP_JOB_NAME_MAX])
{
    memcpy(out, "JOB", 3);
    for (unsigned i = 0; i < SVP_JOB_LETTERS; i++)
        out[3 + i] = (char)('A' + random[i] % 26);
    out[3 + SVP_JOB_LETTERS] = 0;
}

int svp_is_job_name(const char *name)
{
    size_t n = strlen(name);

    while (n && name[n - 1] == '/')
        n--;
    while (n && name[n - 1] != '/')
        n--;
    return strncmp(name + n, "JOB", 3) == 0;
}

/* Reads the whole text [from, to) as a decimal number of at most `max`. */
static int read_number(const char *from, const char *to, uint64_t max, uint64_t *value)
{
    uint64_t sum = 0;

    if (from == to || to - from > 20)
        return 0;
    for (; from < to; from++) {
        if (*from < '0' || *from > '9' || sum > (max - (uint64_t)(*from - '0')) / 10)
            return 0;
        sum = sum * 10 + (uint64_t)(*from - '0');
    }
    *value = sum;
    return sum <= max;
}

int svp_info_device(const char *name, uint32_t *device)
{
    const size_t n = strlen(SVP_INFO_PREFIX);
    uint64_t value;

    if (strncmp(name, SVP_INFO_PREFIX, n) ||
        !read_number(name + n, name + strlen(name), INT32_MAX, &value))
        return 0;
    *device = (uint32_t)value;
    return 1;
}

static int is_model_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.-", c));
}

static uint32_t compute_crc32c(const char *bytes, size_t length)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

void svp_model_name(const char *text, size_t length, char out[SVP_MODEL_MAX + 1])
{
    size_t begin = length, n;

    while (begin && text[begin - 1] != '/')
        begin--;
    text += begin;
    n = length - begin;
    if (n > 3 && memcmp(text + n - 3, ".om", 3) == 0)
        n -= 3;
    if (n == 0) {
        strcpy(out, "model");
        return;
    }
    const size_t kept = n > SVP_MODEL_MAX ? CUT_AT : n;
    for (size_t i = 0; i < kept; i++)
        out[i] = is_model_character(text[i]) ? text[i] : '_';
    out[kept] = 0;
    if (kept < n)
        snprintf(out + kept, SVP_MODEL_MAX + 1 - kept, "-%08x", compute_crc32c(text, n));
}

/* ---- files in data ---- */

static const struct {
    const char *prefix;
    int type;
} prefixes[] = {
    {"AAcore.", SVP_FILE_CORE},   {"aicore.", SVP_FILE_CORE}, {"AIcore.", SVP_FILE_CORE},
    {"AclModule.", SVP_FILE_ACL}, {"acl_api.", SVP_FILE_ACL}, {"Freq.", SVP_FILE_FREQUENCY},
};

/* Removes ".<number>" from the end of [from, *to). */
static int take_number(const char *from, const char **to, uint64_t max, uint64_t *value)
{
    const char *at = *to;

    while (at > from && at[-1] != '.')
        at--;
    if (at == from || !read_number(at, *to, max, value))
        return 0;
    *to = at - 1;
    return 1;
}

static void take_slice(const char *from, const char **to, uint64_t *slice)
{
    static const char mark[] = ".slice_";
    const char *at = *to;

    while (at > from && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at - from < (ptrdiff_t)strlen(mark) || memcmp(at - strlen(mark), mark, strlen(mark)) ||
        !read_number(at, *to, UINT32_MAX, slice))
        return;
    *to = at - strlen(mark);
}

/* Reads the device number at *from, up to a dot. */
static int take_device(const char **from, const char *to, uint32_t *device)
{
    const char *dot = memchr(*from, '.', (size_t)(to - *from));
    uint64_t value;

    if (!read_number(*from, dot ? dot : to, INT32_MAX, &value))
        return 0;
    *device = (uint32_t)value;
    *from = dot ? dot + 1 : to;
    return 1;
}

static int take_model(const char *from, const char *to, SvpFileName *out)
{
    uint64_t batch = 0, pics = 0, model;

    if (out->type == SVP_FILE_CORE &&
        (!take_number(from, &to, UINT64_MAX, &out->current_pic) ||
         !take_number(from, &to, UINT32_MAX, &pics) || !take_number(from, &to, UINT32_MAX, &batch)))
        return 0;
    if (!take_number(from, &to, UINT32_MAX, &model) || to == from)
        return 0;
    out->batch = (uint32_t)batch;
    out->pics = (uint32_t)pics;
    out->model_id = (uint32_t)model;
    memcpy(out->model, from, (size_t)(to - from));
    return 1;
}

int svp_file_name_read(const char *name, SvpFileName *out)
{
    const size_t length = strlen(name);
    const char *to = name + length;
    int type = SVP_FILE_OTHER;

    memset(out, 0, sizeof *out);
    if (length >= sizeof out->model)
        return type;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t n = strlen(prefixes[i].prefix);

        if (strncmp(name, prefixes[i].prefix, n))
            continue;
        out->type = prefixes[i].type;
        name += n;
        take_slice(name, &to, &out->slice);
        if (take_device(&name, to, &out->device) &&
            (out->type == SVP_FILE_FREQUENCY ? name == to : take_model(name, to, out)))
            type = out->type;
        break;
    }
    out->type = type;
    return type;
}

size_t svp_file_name_write(const SvpFileName *file, char out[SVP_FILE_NAME_MAX])
{
    int n = 0;

    if (file->type == SVP_FILE_CORE)
        n = snprintf(out, SVP_FILE_NAME_MAX, "AAcore.%u.%.128s.%u.%u.%u.%llu", file->device,
                     file->model, file->model_id, file->batch, file->pics,
                     (unsigned long long)file->current_pic);
    else if (file->type == SVP_FILE_ACL)
        n = snprintf(out, SVP_FILE_NAME_MAX, "AclModule.%u.%.128s.%u", file->device, file->model,
                     file->model_id);
    else
        n = snprintf(out, SVP_FILE_NAME_MAX, "Freq.%u", file->device);
    if (file->slice)
        n += snprintf(out + n, SVP_FILE_NAME_MAX - (size_t)n, ".slice_%llu",
                      (unsigned long long)file->slice);
    return (size_t)n;
}

/* ---- paths ---- */

int svp_path_check(const char *path, const char **at)
{
    int verdict = SVP_PATH_GOOD;

    for (const char *c = path; *c; c++) {
        const size_t after = strspn(c, ".");
        const int begins = c == path || c[-1] == '/';

        if (begins && (after == 1 || after == 2) && (c[after] == '/' || !c[after])) {
            c += after - 1;
            continue;
        }
        if (*c == '/' || *c == '_' || (is_model_character(*c) && *c != '.' && *c != '-'))
            continue;
        if (verdict == SVP_PATH_GOOD && at)
            *at = c;
        if (!strchr("-.+@,", *c)) {
            if (at)
                *at = c;
            return SVP_PATH_FORBIDDEN;
        }
        verdict = SVP_PATH_UNUSUAL;
    }
    return verdict;
}
