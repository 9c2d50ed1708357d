/* SPDX-License-Identifier: Apache-2.0 */
/* A board's JOB directory into records. */
#ifndef STROBE_SVP_JOB_H
#define STROBE_SVP_JOB_H

#include <glib.h>
#include <strobe/importer.h>
#include <svp-names.h>
#include <svp.h>

#define SVP_JOB_KINDS 7u
extern const StrobeKind *const svp_job_kinds[SVP_JOB_KINDS];
extern const StrobeImporterOps svp_job_ops;

typedef struct Job {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    int folder; /* lent */
    guint64 pid;
    guint n_captures; /* files that are captures */
    guint n_vendor;   /* of the vendor's files that were read */
    guint n_files;    /* that were told of as facts */
    char *external;   /* the first file in data that is none; NULL: there is none */
    char *head;       /* its first bytes, in hexadecimal */
} Job;

/* ---- job-info.c ---- */

/* Names of the files info.json.<n>, sorted. */
GPtrArray *job_info_names(const GPtrArray *names);
/* Tells the facts of the run. FALSE: `fail` has said why none of it can be read. */
gboolean job_info_import(Job *job, const char *name);
/* The models that `data` describes (<model>.<id>.net.info). */
void job_models_import(Job *job, int data);

/* ---- job-files.c ---- */

/* Is a file of a known name in it, with something in it? */
gboolean job_files_are_in(int data);
/* All captures in `data`; what is none is kept in mind. */
void job_files_import(Job *job, int data);

/* ---- vendor-timeline.c ---- */

gboolean job_timeline_is_in(int top);
/* Reads the output of the vendor's tool for data that only the tool can read. */
void job_timeline_import(Job *job);

#endif
