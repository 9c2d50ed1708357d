/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the tool that receives the marks of strobe.mstx, as the dispatcher does that C programs
 * compile in with mstx's headers. The caller holds the interpreter's lock.
 */
#ifndef STROBE_PYTHON_MSTX_TOOL_H
#define STROBE_PYTHON_MSTX_TOOL_H

#include "module.h"

#include <strobe/helpers/mstx-abi.h>
#include "../../plugins/marker/python-tool.h"

enum { MSTX_UNKNOWN, MSTX_READY, MSTX_NONE }; /* not searched yet, tool found, no tool */

/* A domain of the program; never freed. */
typedef struct MstxPythonDomain {
    void *handle;   /* the tool's handle, NULL for the default domain */
    int is_default; /* calls without a domain mark it */
    char name[];
} MstxPythonDomain;

extern int mstx_tool_state;
/* The collector `marker`, if it is the tool and has called mstx_tool_adopt(); otherwise NULL. */
extern const MarkerPythonTool *mstx_tool_collector;

/* Looks for a tool, once, at the first call. */
void mstx_tool_look(void);

/* Whether there is a tool; costs one predictable check if there is none. */
static inline int mstx_tool_is_there(void)
{
    if (__builtin_expect(mstx_tool_state == MSTX_UNKNOWN, 0))
        mstx_tool_look();
    return mstx_tool_state == MSTX_READY;
}

/* Lets the collector be the tool; 0: another one is there already. */
int mstx_tool_adopt(const MarkerPythonTool *collector);

/* Whether the tool accepts streams that are not the vendor's. It then only notes that there was a
 * stream. A vendor's library that is chained after it would dereference the pointer. */
int mstx_tool_takes_any_stream(void);

/* The domain with that name; `text` NULL: the default domain. NULL if there is no memory, or the
 * tool does not support domains. */
const MstxPythonDomain *mstx_tool_domain(PyObject *name, const char *text);

void mstx_tool_mark(const MstxPythonDomain *domain, const char *message, void *stream);
uint64_t mstx_tool_start(const MstxPythonDomain *domain, const char *message, void *stream);
void mstx_tool_end(const MstxPythonDomain *domain, uint64_t id);

#endif
