/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a board's JOB directory to records. */
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
    int folder;       /* descriptor of the folder, which the caller closes */
    const char *path; /* name of the folder, for messages; belongs to the caller */
    guint64 pid;
    guint n_captures;   /* number of files that are captures */
    guint n_vendor;     /* number of files of the vendor that were read */
    guint n_files;      /* number of files that the metadata lists */
    char *external;     /* the first file in `data` that is not a capture; NULL: there is none */
    char *head;         /* the first bytes of that file, in hexadecimal */
    char *unread;       /* reason why the vendor's tables are not read; NULL: they are read */
    guint n_call_files; /* number of files with calls, of the vendor, that were read */
    GPtrArray
        /* tables of type VendorSummary, those of one model in order; NULL until they are read */
        *summaries;
} Job;

/* ---- job-info.c ---- */

/* Returns the names of the files info.json.<n>, sorted. */
GPtrArray *job_info_names(const GPtrArray *names);
/* Records the metadata of the run. Returns FALSE if the JOB cannot be read, after a call of `fail`
 * with the reason. */
gboolean job_info_import(Job *job, const char *name);
/* Records the number of pictures in a batch of a model, which exporters need for file names. A
 * later call for the same model replaces the number. */
void job_batch_tell(const Job *job, gint64 model, gint64 batch);
/* Reads the models that `data` describes (<model>.<id>.net.info). These files have no checksum, so
 * this function must be called first: functions with more reliable sources then replace its
 * values. */
void job_models_import(Job *job, int data);

/* ---- job-files.c ---- */

/* Returns whether the folder contains a file with a known name that is not empty. */
gboolean job_files_are_in(int data);
/* Imports all captures in `data`. Stores the name of the first file that is not a capture in
 * `external`. */
void job_files_import(Job *job, int data);

/* ---- vendor-timeline.c ---- */

gboolean job_timeline_is_in(int top);
/* Reads the timelines that the vendor's tool wrote for data that only the tool can read. */
void job_timeline_import(Job *job);

/* ---- vendor-export.c ---- */

/* Makes the vendor's tool write timeline and summary in a copy of the JOB, and calls `read_tables`
 * with the copy as the JOB's folder. If that fails, `unread` has the reason. */
void job_vendor_export(Job *job, void (*read_tables)(Job *job));

/* ---- vendor-calls.c ---- */

/* Returns whether this is the name of a file with calls of an older runtime. If so, sets `parts`,
 * in which the device may be missing (G_MAXUINT32). */
gboolean job_calls_name_read(const char *name, SvpFileName *parts);
/* Returns whether a file with these first bytes contains calls of an older runtime. */
gboolean job_calls_are_in(const guchar *head, gssize n);
/* Imports the calls in a file of an older runtime, and reports other records. Returns the number of
 * calls. */
guint64 job_calls_import(const Job *job, const char *name, const SvpFileName *parts, int file);

/* ---- vendor-summary.c ---- */

/* A layer, which is a row of a table. */
typedef struct VendorRow {
    char *ori_name, *name, *type; /* NULL: absent, except `name` */
    guint32 layer_id;             /* G_MAXUINT32: absent */
    gint64 ns;
    guint64 counters[SVP_COUNTERS]; /* SVP_ABSENT: absent */
} VendorRow;

/* The table of one captured inference. */
typedef struct VendorSummary {
    char *part;
    SvpFileName parts; /* parts of the table's name, which are those of a data file's name */
    char rate[16];     /* miss rate of the instruction cache, as text in the file's name */
    guint64 mhz;       /* SVP_ABSENT: unknown */
    GPtrArray *rows;   /* elements of type VendorRow */
    guint64 n_unread;  /* number of shares that could not be converted */
    gboolean is_used;  /* its layers have been assigned to a capture */
} VendorSummary;

gboolean job_summary_is_in(int top);
/* Reads all summaries of the folder. Only the first call has an effect. */
void job_summaries_read(Job *job);
/* Imports the layers of summaries for which there is no timeline. */
void job_summaries_lay_out(Job *job);
/* Converts a text to thousandths; for example, "1.5" to 1500. Ignores digits after the third
 * decimal. Returns -1 if the text is not a number, or out of range. */
gint64 job_read_thousandths(const char *text, gsize length);

#endif
