/* SPDX-License-Identifier: Apache-2.0 */
/* A storage for unit tests with record logs and external sorters. libc only. */
#ifndef STROBE_CHECK_MOCK_STORAGE_H
#define STROBE_CHECK_MOCK_STORAGE_H

#include <strobe/helpers/storage.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Makes a storage with these memory limits, whose files are in /tmp. */
StrobeStorage strobe_mock_storage(uint64_t log_bytes, uint64_t sorter_bytes);

#if defined(__cplusplus)
}
#endif

#endif
