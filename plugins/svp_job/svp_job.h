/* SPDX-License-Identifier: Apache-2.0 */
/* A board's JOB directory into records. */
#ifndef STROBE_SVP_JOB_H
#define STROBE_SVP_JOB_H

#include <glib.h>
#include <strobe/importer.h>
#include <svp-names.h>
#include <svp-numbers.h>
#include <svp.h>

#define SVP_JOB_KINDS 7u
extern const StrobeKind *const svp_job_kinds[SVP_JOB_KINDS];
extern const StrobeImporterOps svp_job_ops;

typedef struct Job {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    int folder;       /* lent */
    const char *path; /* lent, for messages */
    guint64 pid;
    guint n_captures;   /* files that are captures */
    guint n_vendor;     /* of the vendor's files that were read */
    guint n_files;      /* that were told of as facts */
    char *external;     /* the first file in data that is none; NULL: there is none */
    char *head;         /* its first bytes, in hexadecimal */
    char *unread;       /* why the vendor's tables are not read; NULL: they are */
    guint n_call_files; /* of the vendor's files of calls that were read */
    GPtrArray
        *summaries; /* of VendorSummary, those of a model in order; NULL until they are read */
} Job;

/* ---- job-info.c ---- */

/* Names of the files info.json.<n>, sorted. */
GPtrArray *job_info_names(const GPtrArray *names);
/* Tells the facts of the run. FALSE: `fail` has said why none of it can be read. */
gboolean job_info_import(Job *job, const char *name);
/* Pictures in a batch of one model, for the names of files. The last call counts. */
void job_batch_tell(const Job *job, gint64 model, gint64 batch);
/* The models that `data` describes (<model>.<id>.net.info), which has no checksum: call it before
 * what is better known. */
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

/* ---- vendor-export.c ---- */

/* Has the vendor's tool make timeline and summary in a copy of the JOB, and calls `read_tables`
 * with the copy as the JOB's folder. Where that fails `unread` has the reason. */
void job_vendor_export(Job *job, void (*read_tables)(Job *job));

/* ---- vendor-calls.c ---- */

/* Is it the name of a file of calls of an older runtime? Then fills in its parts; the device may be
 * missing (G_MAXUINT32). */
gboolean job_calls_name_read(const char *name, SvpFileName *parts);
/* Does a file begin as such records do? */
gboolean job_calls_are_in(const guchar *head, gssize n);
/* Imports the calls in it and reports other records. Returns the number of calls. */
guint64 job_calls_import(const Job *job, const char *name, const SvpFileName *parts, int file);

/* ---- vendor-summary.c ---- */

/* A layer of a table. */
typedef struct VendorRow {
    char *ori_name, *name, *type; /* NULL: not there, but for `name` */
    guint32 layer_id;             /* G_MAXUINT32: not there */
    gint64 ns;
    guint64 counters[SVP_COUNTERS]; /* SVP_ABSENT: not there */
} VendorRow;

/* The table of one captured inference. */
typedef struct VendorSummary {
    char *part;
    SvpFileName parts; /* as of a data file */
    char rate[16];     /* misses of the instruction cache, as the name has them */
    guint64 mhz;       /* SVP_ABSENT: not known */
    GPtrArray *rows;   /* of VendorRow */
    guint64 n_unread;  /* shares */
    gboolean is_used;  /* its layers are in the capture */
} VendorSummary;

gboolean job_summary_is_in(int top);
/* Reads the folder, once. */
void job_summaries_read(Job *job);
/* Those that no timeline has. */
void job_summaries_lay_out(Job *job);
/* "1.5" to 1500, cut behind three decimals; -1: no number, or out of range. */
gint64 job_read_thousandths(const char *text, gsize length);

#endif
