/* SPDX-License-Identifier: Apache-2.0 */
/* Names of a board's JOB directories and their files. A model's name may contain dots, so names
 * are parsed from the right. libc only. */
#ifndef STROBE_FORMATS_SVP_NAMES_H
#define STROBE_FORMATS_SVP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define SVP_JOB_LETTERS 29u
#define SVP_JOB_NAME_MAX (3u + SVP_JOB_LETTERS + 1u)
#define SVP_MODEL_MAX 128u
#define SVP_FILE_NAME_MAX 256u
#define SVP_INFO_PREFIX "info.json."

/* Writes the name of a JOB: "JOB" and 29 letters A to Z, derived from as many random bytes. */
void svp_job_name(const unsigned char random[SVP_JOB_LETTERS], char out[SVP_JOB_NAME_MAX]);
/* Does the last part of a path begin with JOB? */
int svp_is_job_name(const char *name);

/* Does the name have the form "info.json.<decimal>"? *device receives the number. */
int svp_info_device(const char *name, uint32_t *device);

/* Writes the model's part of a file name to `out`: the last part of the path in `text`, without
 * ".om". Bytes outside of [A-Za-z0-9_.-] become "_". A name that is too long is truncated and ends
 * in a checksum. An empty name becomes "model". */
void svp_model_name(const char *text, size_t length, char out[SVP_MODEL_MAX + 1]);

enum { SVP_FILE_OTHER, SVP_FILE_CORE, SVP_FILE_ACL, SVP_FILE_FREQUENCY };

/* The parts of a file name in `data`. */
typedef struct SvpFileName {
    int type;       /* SVP_FILE_* */
    uint64_t slice; /* 0 if the name has no ".slice_<n>" */
    uint32_t device;
    uint32_t model_id;
    uint32_t batch, pics; /* only for SVP_FILE_CORE */
    uint64_t current_pic;
    char model[SVP_FILE_NAME_MAX];
} SvpFileName;

/* Parses the name of a file in `data`. The prefixes aicore. and AIcore. mean the same as AAcore.,
 * and acl_api. the same as AclModule. A file .done and a temporary file are SVP_FILE_OTHER. */
int svp_file_name_read(const char *name, SvpFileName *out);
/* Writes the name of a file with these parts; returns its length. Writes `slice` if it is not 0. */
size_t svp_file_name_write(const SvpFileName *file, char out[SVP_FILE_NAME_MAX]);

/* Result of the check of a path for profiling. */
enum { SVP_PATH_GOOD, SVP_PATH_UNUSUAL, SVP_PATH_FORBIDDEN };
/* Checks a path. *at (`at` may be NULL) receives the position of the first byte that caused the
 * result. */
int svp_path_check(const char *path, const char **at);

#endif
