/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool behind strobe.mstx: this module is one more dispatcher of mstx, as programs have them
 * compiled in. All calls hold the interpreter's lock.
 */
#ifndef STROBE_PYTHON_MSTX_TOOL_H
#define STROBE_PYTHON_MSTX_TOOL_H

#include "module.h"

#include <strobe/helpers/mstx-abi.h>
#include "../../plugins/marker/python-tool.h"

enum { MSTX_UNKNOWN, MSTX_READY, MSTX_NONE }; /* a tool: not searched yet, found, none */

/* A domain of the program's; never freed. */
typedef struct MstxPythonDomain {
    void *handle;   /* of the tool, NULL for the default one */
    int is_default; /* is marked by the calls without a domain */
    char name[];
} MstxPythonDomain;

extern int mstx_tool_state;
/* The collector `marker`, where it is the tool and has made itself known; else NULL. */
extern const MarkerPythonTool *mstx_tool_collector;

/* Looks for a tool, once, as every dispatcher does at its first call. */
void mstx_tool_look(void);

/* Is there a tool? One predictable check where there is none. */
static inline int mstx_tool_is_there(void)
{
    if (__builtin_expect(mstx_tool_state == MSTX_UNKNOWN, 0))
        mstx_tool_look();
    return mstx_tool_state == MSTX_READY;
}

/* Lets the collector be the tool; 0: another one is there already. */
int mstx_tool_adopt(const MarkerPythonTool *collector);

/* May streams that are not the vendor's be handed to the tool? It then only notes that there was
 * one; a vendor's library behind it would follow the pointer. */
int mstx_tool_takes_any_stream(void);

/* The domain of that name; `text` NULL: the default one. NULL where there is no memory, or the tool
 * knows no domains. */
const MstxPythonDomain *mstx_tool_domain(PyObject *name, const char *text);

void mstx_tool_mark(const MstxPythonDomain *domain, const char *message, void *stream);
uint64_t mstx_tool_start(const MstxPythonDomain *domain, const char *message, void *stream);
void mstx_tool_end(const MstxPythonDomain *domain, uint64_t id);

#endif
