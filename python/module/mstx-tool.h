/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the tool that receives the marks of strobe.mstx, as the dispatcher does that mstx's headers
 * compile into C programs. The caller must hold the interpreter's lock. */
#ifndef STROBE_PYTHON_MSTX_TOOL_H
#define STROBE_PYTHON_MSTX_TOOL_H

#include "module.h"

#include <strobe/helpers/mstx-abi.h>
#include "../../plugins/marker/python-tool.h"

enum { MSTX_UNKNOWN, MSTX_READY, MSTX_NONE }; /* no search yet; there is a tool; there is none */

/* A domain of the program; never freed. */
typedef struct MstxPythonDomain {
    void *handle;   /* the tool's handle of the domain; NULL for the default domain */
    int is_default; /* 1: the domain of calls that name no domain */
    char name[];
} MstxPythonDomain;

extern int mstx_tool_state;
/* The functions of the collector `marker` if it has become the tool through mstx_tool_adopt(),
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

/* Whether the tool accepts streams of devices that are not the vendor's, because it only records
 * whether there was a stream. It does not if it passes marks on to the vendor's library, which
 * dereferences the pointer. */
int mstx_tool_takes_any_stream(void);

/* Returns the domain with this name; `text` NULL: the default domain. Returns NULL if out of
 * memory, or if the tool does not support domains. */
const MstxPythonDomain *mstx_tool_domain(PyObject *name, const char *text);

void mstx_tool_mark(const MstxPythonDomain *domain, const char *message, void *stream);
uint64_t mstx_tool_start(const MstxPythonDomain *domain, const char *message, void *stream);
void mstx_tool_end(const MstxPythonDomain *domain, uint64_t id);

#endif
