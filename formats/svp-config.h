/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The section "profiler" of a board's acl.json. The recorder on the board warns of errors and
 * continues, because a profile must not make a program fail. On other machines `strobe run` refuses
 * a file with an error. libc only.
 */
#ifndef STROBE_FORMATS_SVP_CONFIG_H
#define STROBE_FORMATS_SVP_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#define SVP_CONFIG_BYTES_MAX (1u << 20)
#define SVP_PATH_MAX 4096u
#define SVP_FLUSH_MS 500u
#define SVP_SLICE_MB 64u
#define SVP_SLICE_MB_MAX 65536u
#define SVP_API_LIMIT_MAX 1000000u
#define SVP_FLUSH_MS_MAX 60000u

typedef struct SvpConfig {
    int is_on;       /* 1: the key "switch" is "on" */
    int aacpu;       /* 1: record tasks of the processor */
    int has_metrics; /* 1: aac_metrics is ArithmeticUtilization */
    int acl_api;
    int is_each; /* 1: strobe_interval_zero is "every": with interval 0 each inference is captured
                  */
    int syncs;   /* 1 (strobe_sync): each flush is synced to the disk */
    int dumps;   /* 1: there is an active section "dump" */
    int has_section;   /* 1: the file has the section "profiler" */
    uint32_t interval; /* key "interval"; 0: capture once */
    /* acl_api_limit: only the last `api_limit` calls are kept; 0: all calls */
    uint32_t api_limit;
    uint32_t slice_mb; /* strobe_slice_mb: a file of calls is closed at this size; 0: never */
    uint32_t flush_ms; /* strobe_flush_ms: calls are written at least this often */
    char output[SVP_PATH_MAX]; /* "": not set */
} SvpConfig;

/* Reports an error: the key ("profiler.interval"; "": the whole file), and the reason. */
typedef void SvpConfigTell(void *user, const char *key, const char *why);

void svp_config_defaults(SvpConfig *config);
/* Reads the text. A wrong value is reported, and its default is used. Returns 0 if the text cannot
 * be read at all, which is also reported; the switch is then off. */
int svp_config_read(SvpConfig *config, const char *text, size_t length, SvpConfigTell *tell,
                    void *user);

/* Does the section "profiler" in the text have a key that only boards have? Returns 0 also if the
 * text cannot be read. */
int svp_config_is_board(const char *text, size_t length);

/* Copies the text to `out` (`size` bytes), for the vendor's runtime, with profiler.switch set to
 * off and everything else unchanged. Returns the length, 0 if it does not fit or is not JSON. */
size_t svp_config_switch_off(const char *text, size_t length, char *out, size_t size);

#endif
