/* SPDX-License-Identifier: Apache-2.0 */
/* What a trace says beside its events: the members of its outermost object. */
#ifndef STROBE_CHROME_TRACE_FACTS_H
#define STROBE_CHROME_TRACE_FACTS_H

#include "import.h"

Facts *facts_new(void);
void facts_free(Facts *facts);

void facts_take(Import *import, const Event *member);
/* Makes records of what was kept, at the begin of the trace. */
void facts_finish(Import *import);

#endif
