/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps records of any length in the order in which they come, and reads them again from the begin.
 * What exceeds the memory goes to a temporary file without a name, in blocks that libzstd
 * compresses. One thread adds. When all is added, there may be several readers, each used by one
 * thread. libc and libzstd only. Since 1.0.
 */
#ifndef STROBE_HELPERS_RECORD_LOG_H
#define STROBE_HELPERS_RECORD_LOG_H

#include <strobe/helpers/storage.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeRecordLog StrobeRecordLog;
typedef struct StrobeRecordLogReader StrobeRecordLogReader;

/* `storage` must outlive the log. NULL: out of memory, which the calls below then report. */
StrobeRecordLog *strobe_record_log_new(StrobeStorage *storage);
void strobe_record_log_free(StrobeRecordLog *log); /* NULL is allowed */

/* Adds a copy of the bytes. Returns 0 or an errno value, which later calls repeat. */
int strobe_record_log_add(StrobeRecordLog *log, const void *bytes, size_t length);
/* Adds a record that the caller fills in before the next call; 8-byte aligned. NULL: an error. */
void *strobe_record_log_reserve(StrobeRecordLog *log, size_t length);
uint64_t strobe_record_log_count(const StrobeRecordLog *log);
int strobe_record_log_error(const StrobeRecordLog *log); /* 0, or errno of the first failure */

/* Returns a mark between what was added before and what will be added later. When it was the last
 * call of the thread that adds, several threads may begin to read at once. */
size_t strobe_record_log_mark(StrobeRecordLog *log);

/* Reads all records, or those between two marks. NULL: out of memory. The log must outlive it. */
StrobeRecordLogReader *strobe_record_log_read(StrobeRecordLog *log);
StrobeRecordLogReader *strobe_record_log_read_part(StrobeRecordLog *log, size_t from, size_t until);
void strobe_record_log_reader_free(StrobeRecordLogReader *reader); /* NULL is allowed */
/* The next record, 8-byte aligned, valid until the next call. NULL: there is none, or an error. */
void *strobe_record_log_next(StrobeRecordLogReader *reader, size_t *length);
int strobe_record_log_reader_error(const StrobeRecordLogReader *reader);

#if defined(__cplusplus)
}
#endif

#endif
