/* SPDX-License-Identifier: Apache-2.0 */
#include "intercepts.h"

#include <stddef.h>

#include <strobe/helpers/import-slots.h>
#include "new-threads.h"
#include "python-other-profilers.h"
#include "python-api.h"

static StrobeImport imports[] = {
    {"PyGILState_Ensure", NULL, (void *)new_threads_ensure},
    {"PyEval_AcquireThread", NULL, (void *)new_threads_acquire},
    {"PyEval_SetProfile", NULL, (void *)other_profilers_set},
    {"_PyEval_SetProfile", NULL, (void *)other_profilers_set_in},
};
enum { N_ENTRIES = 2, N_IMPORTS = sizeof imports / sizeof *imports };

/* number of loaded objects when intercepts_cover_libraries last covered libraries; 0: no library is
 * covered */
static unsigned long long n_covered;

void intercepts_cover_libraries(void)
{
    unsigned long long n = strobe_imports_n_loaded();

    if (n == n_covered)
        return;
    imports[0].real = (void *)python_api.lock;
    imports[1].real = (void *)python_api.acquire_thread;
    imports[2].real = (void *)python_api.set_profile;
    imports[3].real = (void *)python_api.set_profile_in;
    strobe_imports_replace(imports, N_IMPORTS);
    n_covered = n;
}

void intercepts_uncover_entries(void)
{
    if (n_covered)
        strobe_imports_restore(imports, N_ENTRIES);
    n_covered = 0;
}
