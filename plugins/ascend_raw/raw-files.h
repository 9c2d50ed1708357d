/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files of a source: the files in FRAMEWORK, the side files, and the folders PROF_*. */
#ifndef STROBE_ASCEND_RAW_RAW_FILES_H
#define STROBE_ASCEND_RAW_RAW_FILES_H

#include <glib.h>
#include <strobe/importer.h>

typedef enum RawFileType {
    RAW_OP_RANGE,
    RAW_OP_MARK,
    RAW_MEMORY_USAGE,
    RAW_TRACER_FUNC,
    RAW_TRACER_HASH,
    RAW_PARAM_TENSOR,
    RAW_GC_RECORD,
    RAW_FILES
} RawFileType;

typedef struct RawFile {
    char *name; /* NULL: there is no such file */
    int fd;
    guint64 size;
} RawFile;

typedef struct RawFiles {
    int top;       /* the result directory */
    int framework; /* its folder FRAMEWORK */
    int prof;      /* the folder PROF_* that is used; -1: none */
    char *prof_name;
    int output; /* its folder ASCEND_PROFILER_OUTPUT; -1: none */
    RawFile files[RAW_FILES];
    guint64 size;       /* total size of `files` */
    GPtrArray *unknown; /* names of the other files in FRAMEWORK */
    GPtrArray *others;  /* names of the other PROF_* directories that are not empty */
} RawFiles;

/* Sources of device activities, best first. */
typedef enum DeviceSource {
    DEVICE_NONE,
    DEVICE_PROF_DB,   /* PROF_*\/msprof_*.db */
    DEVICE_PROF_TEXT, /* PROF_*\/mindstudio_profiler_output */
    DEVICE_OUTPUT_DB  /* ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler*.db */
} DeviceSource;

extern const char *const device_source_words[];

#define DEVICE_TEXT_FOLDER "mindstudio_profiler_output" /* in PROF_* */

extern const char *const raw_file_names[RAW_FILES];

/* Opens the files. The source is a result directory or its FRAMEWORK. Returns FALSE if there is no
 * raw file. */
gboolean raw_files_open(RawFiles *files, const StrobeSource *source);
/* Returns the first source of device activities that exists, beginning with `from`. */
DeviceSource raw_files_find_device(const RawFiles *files, DeviceSource from);
/* Returns the name of a source's database and sets `folder` to its folder. Returns NULL if there is
 * none. */
char *raw_files_find_database(const RawFiles *files, DeviceSource source, int *folder);
/* Returns the begin of the name of a source's database. */
const char *device_source_prefix(DeviceSource source);
/* Returns whether the profiler's output has a trace. */
gboolean raw_files_have_trace(const RawFiles *files);

void raw_files_clear(RawFiles *files);

#endif
