/* SPDX-License-Identifier: Apache-2.0 */
/* Records the speed and width of the PCIe links of accelerators of any vendor, as the system
 * describes them, as metadata. The system does not report the traffic on these links. */
#ifndef STROBE_PLUGINS_INTERCONNECT_SLOTS_H
#define STROBE_PLUGINS_INTERCONNECT_SLOTS_H

#include <strobe/collector.h>

/* Returns the number of PCIe links of accelerators. */
unsigned interconnect_count_slots(const char *sys_root);
/* Writes one `metadata` record for each link, named pcie.ADDRESS. */
void interconnect_record_slots(const StrobeHost *host, const char *sys_root, StrobeWriter *writer,
                               StrobeKindId kind);

#endif
