/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps records of any length in their order and reads them again from the begin. Records above the
 * memory limit go to a temporary file without a name, in blocks that libzstd compresses. One thread
 * adds all records. When all are added, there may be several readers, each used by one thread. libc
 * and libzstd only. Since 1.0.
 */
#ifndef STROBE_HELPERS_RECORD_LOG_H
#define STROBE_HELPERS_RECORD_LOG_H

#include <strobe/helpers/storage.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobeRecordLog StrobeRecordLog;
typedef struct StrobeRecordLogReader StrobeRecordLogReader;

/* Makes an empty log. `storage` must outlive the log. NULL: out of memory; the calls below accept
 * NULL and return ENOMEM or NULL. */
StrobeRecordLog *strobe_record_log_new(StrobeStorage *storage);
void strobe_record_log_free(StrobeRecordLog *log); /* NULL is allowed */

/* Adds a copy of the bytes. Returns 0 or an errno value; later calls repeat an error. */
int strobe_record_log_add(StrobeRecordLog *log, const void *bytes, size_t length);
/* Adds a record of `length` bytes and returns its memory, 8-byte aligned, which the caller must
 * fill before the next call. NULL: an error. */
void *strobe_record_log_reserve(StrobeRecordLog *log, size_t length);
uint64_t strobe_record_log_count(const StrobeRecordLog *log);
int strobe_record_log_error(const StrobeRecordLog *log); /* 0, or errno of the first failure */

/* Returns a mark that separates earlier records from later records. After the adding thread has
 * made this call as its last call, several threads may call strobe_record_log_read at the same
 * time. */
size_t strobe_record_log_mark(StrobeRecordLog *log);

/* Returns a reader of all records, or of the records between two marks. NULL: out of memory. The
 * log must outlive the reader. */
StrobeRecordLogReader *strobe_record_log_read(StrobeRecordLog *log);
StrobeRecordLogReader *strobe_record_log_read_part(StrobeRecordLog *log, size_t from, size_t until);
void strobe_record_log_reader_free(StrobeRecordLogReader *reader); /* NULL is allowed */
/* Returns the next record, 8-byte aligned, valid until the next call. NULL: the end, or an
 * error. */
void *strobe_record_log_next(StrobeRecordLogReader *reader, size_t *length);
int strobe_record_log_reader_error(const StrobeRecordLogReader *reader);

#if defined(__cplusplus)
}
#endif

#endif
