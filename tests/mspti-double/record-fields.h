/* SPDX-License-Identifier: Apache-2.0 */
/* Sets fields of a record by their offsets, which are those in the documentation of the ABI. */
#ifndef STROBE_TESTS_MSPTI_FIELDS_H
#define STROBE_TESTS_MSPTI_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#define RECORD_BYTES_MAX 72

void put_32(uint8_t *record, size_t at, uint32_t value);
void put_64(uint8_t *record, size_t at, uint64_t value);
/* Sets a text of a record. Each text is stored once and never freed. "-" is an empty text, "NULL"
 * no text. A name gets a prefix that says that it is simulated. */
void put_text(uint8_t *record, size_t at, const char *text, int is_name);

/* fill_kernel fills the record of a kernel, fill_communication that of a communication operation
 * without type, count and algorithm. */
void fill_kernel(uint8_t *record, uint32_t device, uint32_t stream, uint64_t correlation,
                 const char *type, const char *name, uint64_t begin, uint64_t end);
void fill_call(uint8_t *record, uint32_t kind, uint32_t thread, uint64_t correlation,
               const char *name, uint64_t begin, uint64_t end);
void fill_communication(uint8_t *record, uint32_t device, uint32_t stream, uint64_t correlation,
                        const char *name, const char *group, uint64_t begin, uint64_t end);
void fill_external(uint8_t *record, uint32_t id_type, uint64_t id, uint64_t correlation);

#endif
