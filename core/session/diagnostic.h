/* SPDX-License-Identifier: Apache-2.0 */
/* Records that say what of the result is missing, and why. */
#ifndef STROBE_CORE_DIAGNOSTIC_H
#define STROBE_CORE_DIAGNOSTIC_H

/* Records it for the component, in the window that records; without one nothing happens. */
void strobe_diagnostic_record(const char *component, const char *text);

#endif
