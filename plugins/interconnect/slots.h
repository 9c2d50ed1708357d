/* SPDX-License-Identifier: Apache-2.0 */
/* The system's description of the PCIe links of accelerators of any vendor: speed and width, as
 * facts of the run. The system does not report their traffic. */
#ifndef STROBE_PLUGINS_INTERCONNECT_SLOTS_H
#define STROBE_PLUGINS_INTERCONNECT_SLOTS_H

#include <strobe/collector.h>

/* How many there are. */
unsigned interconnect_count_slots(const char *sys_root);
/* One `metadata` record each, named pcie.ADDRESS. */
void interconnect_record_slots(const StrobeHost *host, const char *sys_root, StrobeWriter *writer,
                               StrobeKindId kind);

#endif
