/* SPDX-License-Identifier: Apache-2.0 */
/* Names for simulated records: ordinary names, and "hostile" names, whose contents break careless
 * writers. */
#ifndef STROBE_PLUGINS_FAKE_NAMES_H
#define STROBE_PLUGINS_FAKE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_LONG_NAME (100 * 1024)

typedef struct FakeName {
    const char *bytes;
    size_t length;
} FakeName;

/* Returns the hostile name of this number. The names repeat; the last name before they repeat has
 * FAKE_LONG_NAME bytes. */
FakeName fake_hostile_name(uint64_t number);
uint32_t fake_n_hostile_names(void);

/* Writes "fake_<0..15>" to `buffer`, which has at least 16 bytes. */
FakeName fake_plain_name(uint64_t number, char *buffer);

#endif
