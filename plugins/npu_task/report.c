/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "buffers.h"
#include "npu-metadata.h"
#include "mspti-library.h"

static void report_loss(const NpuEmitter *emitter, uint32_t cause, uint64_t n)
{
    if (n)
        emitter->host->lost(emitter->self, cause, n);
}

#define WARN(count_, ...)                                                                          \
    do {                                                                                           \
        if (count_)                                                                                \
            emitter->host->log(emitter->self, STROBE_LOG_WARNING, __VA_ARGS__);                    \
    } while (0)

static void report_buffers(const NpuEmitter *emitter)
{
    NpuBufferFaults faults = npu_buffers_take_faults();

    report_loss(emitter, STROBE_LOSS_COLLECTOR_DROPPED, faults.n_refused);
    WARN(faults.n_refused,
         "%" PRIu64 " records were dropped: all buffers were full; use more with buffers=N",
         faults.n_refused);
    WARN(faults.n_external,
         "%" PRIu64 " buffers that MSPTI handed over are not Strobe's: they are not used",
         faults.n_external);
    WARN(faults.n_size,
         "%" PRIu64
         " buffers came back with a wrong size: only the bytes inside their memory are read",
         faults.n_size);
}

static void report_marks(const NpuEmitter *emitter, const NpuCounts *counts)
{
    WARN(counts->n_unpaired,
         "%" PRIu64 " ends of marks have no begin or an unknown type: they are not recorded",
         counts->n_unpaired);
    report_loss(emitter, STROBE_LOSS_COLLECTOR_DROPPED, counts->n_crowded + counts->n_unheld);
    WARN(counts->n_crowded, "%" PRIu64 " marks are lost: more than %u marks were open at once",
         counts->n_crowded, NPU_MARKS_OPEN);
    WARN(counts->n_unheld,
         "%" PRIu64 " external ids are lost: a window has room for %u external ids",
         counts->n_unheld, NPU_EXTERNALS);
    if (counts->n_open)
        emitter->host->log(emitter->self, STROBE_LOG_INFO,
                           "%" PRIu64 " marked ranges were open when the window ended: they are "
                           "recorded as ending with the window",
                           counts->n_open);
    WARN(counts->n_externals,
         "%" PRIu64 " external ids are not recorded: more than one thread launches, and MSPTI "
         "keeps the ids of all threads on one stack: use external_ids=false",
         counts->n_externals);
}

void npu_report_flush(NpuRecords *records, int32_t code, int64_t hangs_ns)
{
    const NpuEmitter *emitter = &records->emitter;

    report_loss(emitter, STROBE_LOSS_COLLECTOR_DROPPED, hangs_ns > 0 || code != MSPTI_SUCCESS);
    WARN(hangs_ns > 0,
         "MSPTI has not come back from msptiActivityFlushAll for %" PRId64
         " ms: the records that it had not handed over are lost, and counted as one record",
         hangs_ns / 1000000);
    WARN(hangs_ns == 0 && code != MSPTI_SUCCESS,
         "MSPTI does not hand over its records: msptiActivityFlushAll: code=%d, reason=\"%s\": "
         "they are lost, and counted as one record",
         code, npu_mspti_error(code));
}

/* Writes a warning to the log and to the result. A reader of the result cannot see the problem from
 * the records. */
__attribute__((format(printf, 2, 3))) static void tell(const NpuRecords *records,
                                                       const char *format, ...)
{
    const NpuEmitter *emitter = &records->emitter;
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    emitter->host->log(emitter->self, STROBE_LOG_WARNING, "%s", text);
    npu_diagnostic_record(emitter->host, emitter->self, records->kinds.diagnostic, text);
}

/* Reports that no device task came although the program launched tasks. There are two known causes,
 * neither of which MSPTI reports. */
static void report_no_tasks(NpuRecords *records)
{
    if (!records->counts.n_launches || records->launches.n_tasks ||
        records->has_reported_no_tasks || !records->launches.is_watching)
        return;
    records->has_reported_no_tasks = 1;
    tell(records,
         "The program launched tasks, but MSPTI has reported none on a device: a CANN from before "
         "March "
         "2026 does not show it devices that the program had opened before it was attached%s",
         records->may_need_preload
             ? ", nor, where it is not preloaded, of kernels: use strobe run --preload "
               "$ASCEND_HOME_PATH/lib64/libmspti.so"
             : ": record the program from its start, or update CANN");
}

static void report_what_is_not_seen(NpuRecords *records)
{
    const NpuCounts *counts = &records->counts;

    report_no_tasks(records);

    report_loss(&records->emitter, STROBE_LOSS_LATE, counts->n_awaited);
    if (counts->n_awaited)
        tell(records,
             "The tasks of %" PRIu64 " launches were not reported within the time for late "
             "records: they are missing, and counted as lost",
             counts->n_awaited);
    if (counts->n_unplaced)
        tell(records,
             "The wall clock was set, and MSPTI uses it: %" PRIu64 " records may have times from "
             "before or after the step, and may be off by %.3f ms",
             counts->n_unplaced, (double)counts->unplaced_ns / 1e6);
}

void npu_report(NpuRecords *records)
{
    const NpuEmitter *emitter = &records->emitter;
    NpuCounts *counts = &records->counts;
    uint64_t n_reported = counts->n_reported;

    report_buffers(emitter);
    report_loss(emitter, STROBE_LOSS_COLLECTOR_DROPPED,
                counts->n_unknown + counts->n_newer + counts->n_mistimed + counts->n_overdue +
                    counts->n_gone + counts->n_dropped);
    WARN(counts->n_dropped,
         "MSPTI reports that it has dropped %" PRIu64
         " records, which did not fit the end of a buffer; use larger buffers with "
         "buffer_size=BYTES",
         counts->n_dropped);
    WARN(counts->n_gone,
         "%" PRIu64 " buffers went to another client of MSPTI in this process%s, which has "
         "replaced Strobe's callbacks: their records are lost, and counted as one "
         "record for each buffer; the next window registers the callbacks again",
         counts->n_gone, records->client);
    WARN(counts->n_overdue,
         "%" PRIu64 " buffers have not come back from MSPTI for 1 s: their records are lost or "
         "will be late, and are counted as one record for each buffer; until these "
         "buffers come back, Strobe waits for no other buffer",
         counts->n_overdue);
    report_loss(emitter, STROBE_LOSS_LATE, counts->n_late);
    WARN(counts->n_unknown,
         "%" PRIu64 " buffers end in %" PRIu64
         " bytes that are not a record of a known kind: their contents are lost",
         counts->n_unknown, counts->unknown_bytes);
    WARN(counts->n_newer,
         "%" PRIu64 " records are of kinds that are newer than this collector: they are not "
         "recorded",
         counts->n_newer);
    WARN(counts->n_mistimed && records->bad_device != MSPTI_NO_DEVICE,
         "%" PRIu64 " records have impossible times, of device %u too: MSPTI does not know "
         "the rate of its clock",
         counts->n_mistimed, records->bad_device);
    WARN(counts->n_mistimed && records->bad_device == MSPTI_NO_DEVICE,
         "%" PRIu64 " records have impossible times: they are not recorded", counts->n_mistimed);
    WARN(counts->n_late, "%" PRIu64 " records came after their window was sealed", counts->n_late);
    report_what_is_not_seen(records);
    report_marks(emitter, counts);
    *counts = (NpuCounts){.n_reported = n_reported};
    records->bad_device = MSPTI_NO_DEVICE;
}
