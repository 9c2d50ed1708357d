/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the tool that receives the marks of strobe.mstx, in the same way as the dispatcher that
 * mstx's headers compile into C programs. The caller holds the interpreter's lock.
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
    int is_default; /* this is the domain of calls without a domain */
    char name[];
} MstxPythonDomain;

extern int mstx_tool_state;
/* Functions of the collector `marker`, if it is the tool and has called mstx_tool_adopt();
 * otherwise NULL. */
extern const MarkerPythonTool *mstx_tool_collector;

/* Looks for a tool at the first call; does nothing at later calls. */
void mstx_tool_look(void);

/* Whether there is a tool. If there is none, this costs one predictable check. */
static inline int mstx_tool_is_there(void)
{
    if (__builtin_expect(mstx_tool_state == MSTX_UNKNOWN, 0))
        mstx_tool_look();
    return mstx_tool_state == MSTX_READY;
}

/* Makes the collector the tool. Returns 0 if there already is another tool. */
int mstx_tool_adopt(const MarkerPythonTool *collector);

/* Whether the tool accepts streams of other devices than the vendor's. Such a tool only records
 * that there was a stream. If marks are passed on to the vendor's library, this is not so, because
 * that library dereferences the pointer. */
int mstx_tool_takes_any_stream(void);

/* Returns the domain with this name; `text` NULL: the default domain. Returns NULL if out of
 * memory, or if the tool does not support domains. */
const MstxPythonDomain *mstx_tool_domain(PyObject *name, const char *text);

void mstx_tool_mark(const MstxPythonDomain *domain, const char *message, void *stream);
uint64_t mstx_tool_start(const MstxPythonDomain *domain, const char *message, void *stream);
void mstx_tool_end(const MstxPythonDomain *domain, uint64_t id);

#endif
