/* SPDX-License-Identifier: Apache-2.0 */
#include "mstx-tool.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int mstx_tool_state = MSTX_UNKNOWN;
const MarkerPythonTool *mstx_tool_collector;

static MstxFunction core[MSTX_CORE_SIZE], domain[MSTX_DOMAIN_SIZE];
static MstxFunction *core_places[MSTX_CORE_SIZE], *domain_places[MSTX_DOMAIN_SIZE];
static PyObject *domains; /* dict that maps a name to a capsule with the MstxPythonDomain */
static MstxInit *present; /* init function of the tool; NULL: no tool was found */

static int get_table(int module, MstxFunction ***table, unsigned *size)
{
    if (!table || !size || (module != MSTX_CORE && module != MSTX_DOMAIN))
        return MSTX_FAIL;
    *table = module == MSTX_CORE ? core_places : domain_places;
    *size = module == MSTX_CORE ? MSTX_CORE_SIZE : MSTX_DOMAIN_SIZE;
    return MSTX_SUCCESS;
}

static void lay_out(MstxFunction **places, MstxFunction *functions, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        places[i] = &functions[i];
        functions[i] = NULL;
    }
}

/* Calls the tool's init function. The caller must have released the interpreter's lock, because the
 * tool may start a session, whose collectors take the lock. */
static int let_in(MstxInit *init)
{
    if (!init)
        return 0;
    lay_out(core_places, core, MSTX_CORE_SIZE);
    lay_out(domain_places, domain, MSTX_DOMAIN_SIZE);
    return init(get_table) == MSTX_SUCCESS;
}

static MstxInit *find_tool(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;

    return (MstxInit *)dlsym(library ? library : RTLD_DEFAULT, "InitInjectionMstx");
}

/* Notifies the Python module strobe.run.attach, if it is imported, that the first mark was made,
 * which may have begun a session. */
static void tell_of_mark(void)
{
    /* a borrowed reference, as are those to its items */
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *attach = modules ? PyDict_GetItemString(modules, "strobe.run.attach") : NULL;
    PyObject *answer = attach ? PyObject_CallMethod(attach, "woken", NULL) : NULL;

    Py_XDECREF(answer);
    PyErr_Clear();
}

void mstx_tool_look(void)
{
    int is_in;

    if (mstx_tool_state != MSTX_UNKNOWN)
        return;
    /* until init returns, other threads and marks inside init see that there is no tool */
    mstx_tool_state = MSTX_NONE;
    Py_BEGIN_ALLOW_THREADS present = find_tool();
    is_in = let_in(present);
    Py_END_ALLOW_THREADS if (!is_in) return;
    mstx_tool_state = MSTX_READY;
    tell_of_mark();
}

int mstx_tool_adopt(const MarkerPythonTool *collector)
{
    if (mstx_tool_state == MSTX_READY && present != collector->init)
        return 0;
    if (mstx_tool_state != MSTX_READY && !let_in(collector->init))
        return 0;
    present = collector->init;
    mstx_tool_collector = collector;
    mstx_tool_state = MSTX_READY;
    return 1;
}

int mstx_tool_takes_any_stream(void)
{
    static int is_known, is_alone;
    MstxGetTool *get_tool = (MstxGetTool *)core[MSTX_GET_TOOL];
    uint64_t id = 0;

    if (mstx_tool_state != MSTX_READY)
        return 1;
    if (is_known)
        return is_alone;
    is_known = 1;
    if (get_tool && get_tool(&id) == MSTX_SUCCESS && id == MSTX_TOOL_STROBE)
        is_alone = !dlopen("libprofapi.so", RTLD_NOLOAD | RTLD_LAZY);
    return is_alone;
}

/* ---- domains ---- */

static MstxPythonDomain *make_domain(const char *name)
{
    MstxDomainCreate *create = (MstxDomainCreate *)domain[MSTX_DOMAIN_CREATE];
    size_t length = strlen(name);
    void *handle = create ? create(name) : NULL;
    MstxPythonDomain *made = handle ? malloc(sizeof *made + length + 1) : NULL;

    if (!made)
        return NULL;
    *made = (MstxPythonDomain){.handle = handle};
    memcpy(made->name, name, length + 1);
    return made;
}

static const MstxPythonDomain *store_domain(PyObject *name, MstxPythonDomain *made)
{
    PyObject *capsule = made ? PyCapsule_New(made, NULL, NULL) : NULL;

    if (!capsule || PyDict_SetItem(domains, name, capsule) < 0) {
        PyErr_Clear();
        free(made);
        made = NULL;
    }
    Py_XDECREF(capsule);
    return made;
}

const MstxPythonDomain *mstx_tool_domain(PyObject *name, const char *text)
{
    static const MstxPythonDomain standard = {.is_default = 1};

    if (!text || strcmp(text, "default") == 0)
        return &standard;
    if (!domains && !(domains = PyDict_New()))
        return NULL;
    PyObject *known = PyDict_GetItemWithError(domains, name); /* borrowed */
    if (known)
        return PyCapsule_GetPointer(known, NULL);
    return PyErr_Occurred() ? NULL : store_domain(name, make_domain(text));
}

/* ---- calls ---- */

void mstx_tool_mark(const MstxPythonDomain *in, const char *message, void *stream)
{
    MstxMark *mark = (MstxMark *)core[MSTX_MARK];
    MstxDomainMark *domain_mark = (MstxDomainMark *)domain[MSTX_DOMAIN_MARK];

    if (in->is_default && mark)
        mark(message, stream);
    else if (!in->is_default && domain_mark)
        domain_mark(in->handle, message, stream);
}

uint64_t mstx_tool_start(const MstxPythonDomain *in, const char *message, void *stream)
{
    MstxRangeStart *start = (MstxRangeStart *)core[MSTX_RANGE_START];
    MstxDomainRangeStart *domain_start = (MstxDomainRangeStart *)domain[MSTX_DOMAIN_RANGE_START];

    if (in->is_default)
        return start ? start(message, stream) : 0;
    return domain_start ? domain_start(in->handle, message, stream) : 0;
}

void mstx_tool_end(const MstxPythonDomain *in, uint64_t id)
{
    MstxRangeEnd *end = (MstxRangeEnd *)core[MSTX_RANGE_END];
    MstxDomainRangeEnd *domain_end = (MstxDomainRangeEnd *)domain[MSTX_DOMAIN_RANGE_END];

    if (in->is_default && end)
        end(id);
    else if (!in->is_default && domain_end)
        domain_end(in->handle, id);
}
