/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of calls that older runtimes of the vendor wrote: records of 128 bytes,
 * little-endian. */
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

#include "svp_job.h"

#define MARK 0x5a5au
#define RECORD_BYTES 128u
#define RECORDS_AT_ONCE 512u

typedef struct VendorCall {
    guint16 mark, tag; /* always MARK and 0 */
    guint32 mode;
    guint64 begin, end; /* ns */
    guint32 pid, tid;
    char name[64];
    char reserved[32];
} VendorCall;

G_STATIC_ASSERT(sizeof(VendorCall) == RECORD_BYTES);

static const char *const modes[] = {NULL, "op", "model", "runtime", "others"};

gboolean job_calls_name_read(const char *name, SvpFileName *parts)
{
    static const char *const endings[] = {".done", ".complete", ".zip", ".tmp"};

    for (guint i = 0; i < G_N_ELEMENTS(endings); i++)
        if (g_str_has_suffix(name, endings[i]))
            return FALSE;
    *parts = (SvpFileName){.type = SVP_FILE_ACL, .device = G_MAXUINT32};
    return g_str_has_prefix(name, "AclModule.");
}

gboolean job_calls_are_in(const guchar *head, gssize n)
{
    VendorCall call = {0};

    memcpy(&call, head, (gsize)MIN(n, (gssize)sizeof call));
    return n >= 4 && GUINT16_FROM_LE(call.mark) == MARK && call.tag == 0;
}

static gboolean is_sound(const VendorCall *call)
{
    const guint32 mode = GUINT32_FROM_LE(call->mode);

    return GUINT16_FROM_LE(call->mark) == MARK && call->tag == 0 && mode > 0 &&
           mode < G_N_ELEMENTS(modes) && call->name[0] &&
           GUINT64_FROM_LE(call->begin) <= GUINT64_FROM_LE(call->end) &&
           GUINT64_FROM_LE(call->end) <= G_MAXINT64;
}

static StrobeStringId intern_text(const Job *job, const char *text, gsize length)
{
    return job->host->intern(job->self, text, length);
}

static gboolean emit_call(const Job *job, const SvpFileName *parts, const VendorCall *call)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .device = -1,
                               .id = GUINT32_FROM_LE(call->tid)};
    const char *mode = modes[GUINT32_FROM_LE(call->mode)];
    StrobeKindId kind;
    struct svp_api_call *fields = NULL;

    if (job->host->kind(job->self, &svp_kind_api_call, &kind) == STROBE_OK)
        fields = job->host->emit(
            job->self, kind, job->host->track(job->self, &track, GUINT32_FROM_LE(call->pid)),
            intern_text(job, call->name, strnlen(call->name, sizeof call->name)),
            (gint64)GUINT64_FROM_LE(call->begin), (gint64)GUINT64_FROM_LE(call->end));
    if (!fields)
        return FALSE;
    fields->level = intern_text(job, "acl", 3);
    fields->mode = intern_text(job, mode, strlen(mode));
    if (parts->device != G_MAXUINT32) /* the name of some files does not have the device */
        fields->device = parts->device;
    if (*parts->model) {
        fields->item = intern_text(job, parts->model, strlen(parts->model));
        fields->model = parts->model_id;
    }
    return TRUE;
}

guint64 job_calls_import(const Job *job, const char *name, const SvpFileName *parts, int file)
{
    g_autofree VendorCall *calls = g_new(VendorCall, RECORDS_AT_ONCE);
    guint64 n_rows = 0, n_bad = 0;
    gboolean goes_on = TRUE;
    off_t at = 0;
    gssize n;

    while (goes_on && (n = pread(file, calls, RECORDS_AT_ONCE * RECORD_BYTES, at)) > 0) {
        for (gsize i = 0; goes_on && i < (gsize)n / RECORD_BYTES; i++) {
            if (is_sound(&calls[i]))
                goes_on = emit_call(job, parts, &calls[i]), n_rows += goes_on;
            else
                n_bad++;
        }
        if (n % RECORD_BYTES)
            job->host->damage(job->self, name, "ends within a record");
        if (n < (gssize)(RECORDS_AT_ONCE * RECORD_BYTES))
            break;
        at += n;
    }
    if (n_bad)
        job->host->unknown(job->self, name, "records that are not calls", n_bad);
    return n_rows;
}
