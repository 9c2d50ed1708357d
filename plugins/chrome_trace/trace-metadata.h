/* SPDX-License-Identifier: Apache-2.0 */
/* Imports the metadata of a trace: the members of its outermost object. */
#ifndef STROBE_CHROME_TRACE_METADATA_H
#define STROBE_CHROME_TRACE_METADATA_H

#include "trace-import.h"

Metadata *metadata_new(void);
void metadata_free(Metadata *metadata);

void metadata_take(Import *import, const Event *member);
/* Makes records from the members that were kept, with the time of the trace's begin. */
void metadata_finish(Import *import);

#endif
