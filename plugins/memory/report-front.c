/* SPDX-License-Identifier: Apache-2.0 */
#include "report-front.h"

#include <sched.h>
#include <string.h>

#include <strobe/helpers/elf-object.h>

enum { CPU = 0 }; /* c10::DeviceType */

typedef struct Search {
    const char *name;
    void *found;
} Search;

/* Finds the function in libc10's file, because Python loads libc10 without making its symbols
 * global. */
static int find_c10(struct dl_phdr_info *info, size_t size, void *user)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    Search *search = user;
    StrobeElfObject object;
    (void)size;
    if (!slash || strncmp(slash, "/libc10.so", 10) != 0)
        return 0;
    if (strobe_elf_object_read(&object, info))
        search->found = strobe_elf_object_symbol(&object, search->name);
    return search->found != NULL;
}

Report *strobe_report_find(const char *name)
{
    Search search = {name, NULL};
    dl_iterate_phdr(find_c10, &search);
    return (Report *)search.found;
}

static const char *const names[N_REPORTS] = {REPORT_SIGNED_NAME, REPORT_UNSIGNED_NAME};
static Report *_Atomic real[N_REPORTS]; /* libc10's own functions; NULL: not known yet */
static _Atomic(const ReportHooks *) open_hooks;

static void forward_report(int which, void *address, int64_t size, int64_t allocated,
                           int64_t reserved, ReportDevice device);

#define TELL(name_, which_)                                                                        \
    static void name_(void *address, int64_t size, int64_t allocated, int64_t reserved,            \
                      ReportDevice device)                                                         \
    {                                                                                              \
        forward_report(which_, address, size, allocated, reserved, device);                        \
    }

TELL(tell_signed, REPORT_SIGNED)
TELL(tell_unsigned, REPORT_UNSIGNED)

static Report *const tellers[N_REPORTS] = {tell_signed, tell_unsigned};
Report *_Atomic strobe_report_next[N_REPORTS] = {tell_signed, tell_unsigned};

static Report *find_once(int which)
{
    Report *found = atomic_load_explicit(&real[which], memory_order_acquire);
    if (!found) {
        found = strobe_report_find(names[which]);
        atomic_store_explicit(&real[which], found, memory_order_release);
    }
    return found;
}

static atomic_flag is_changing = ATOMIC_FLAG_INIT;

/* Makes later reports call libc10's own function directly, if no session records. Does nothing if
 * another thread is changing strobe_report_next; the next report tries again. */
static void step_aside(int which, Report *found)
{
    if (atomic_flag_test_and_set(&is_changing))
        return;
    if (!atomic_load(&open_hooks))
        atomic_store(&strobe_report_next[which], found);
    atomic_flag_clear(&is_changing);
}

static void forward_report(int which, void *address, int64_t size, int64_t allocated,
                           int64_t reserved, ReportDevice device)
{
    const ReportHooks *hooks = atomic_load_explicit(&open_hooks, memory_order_acquire);
    Report *found = find_once(which);

    if (hooks && device.type != CPU)
        hooks->reported(address, size, allocated, reserved, device.index < 0 ? 0 : device.index);
    if (!found)
        return;
    if (!hooks)
        step_aside(which, found);
    found(address, size, allocated, reserved, device);
}

/* Sets or removes the hooks. Without hooks the next report calls step_aside; this function waits
 * while another thread is in step_aside. */
void strobe_report_set_hooks(const ReportHooks *hooks)
{
    while (atomic_flag_test_and_set(&is_changing))
        sched_yield();
    atomic_store(&open_hooks, hooks);
    for (int i = 0; i < N_REPORTS; i++)
        atomic_store(&strobe_report_next[i], tellers[i]);
    atomic_flag_clear(&is_changing);
}
