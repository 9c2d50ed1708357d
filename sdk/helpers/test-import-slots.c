/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces functions of the C library that this program and GLib call. */
#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/import-slots.h>

static pid_t (*volatile real_getppid)(void);
static atomic_int n_calls;

static pid_t our_getppid(void)
{
    n_calls++;
    return real_getppid();
}

static StrobeImport import_of(void *real)
{
    return (StrobeImport){"getppid", real, (void *)our_getppid};
}

static void find_real(void)
{
    *(void **)&real_getppid = dlsym(RTLD_NEXT, "getppid");
    g_assert_nonnull(real_getppid);
    n_calls = 0;
}

static void test_replace_and_restore(void)
{
    find_real();
    pid_t expected = getppid();
    StrobeImport import = import_of((void *)real_getppid);
    g_assert_cmpuint(strobe_imports_replace(&import, 1), >=, 1);
    g_assert_cmpint(getppid(), ==, expected);
    g_assert_cmpint(n_calls, ==, 1);
    /* the slots already contain `ours` */
    g_assert_cmpuint(strobe_imports_replace(&import, 1), ==, 0);
    g_assert_cmpuint(strobe_imports_restore(&import, 1), >=, 1);
    g_assert_cmpint(getppid(), ==, expected);
    g_assert_cmpint(n_calls, ==, 1);
    g_assert_cmpuint(strobe_imports_restore(&import, 1), ==, 0);
}

static pid_t another_getppid(void)
{
    return 42;
}

/* Checks that strobe_imports_replace and strobe_imports_restore do not change a slot that another
 * tool has replaced. */
static void test_slot_of_another(void)
{
    find_real();
    /* a function of another object, like the function of a preloaded library */
    StrobeImport theirs = {"getppid", (void *)real_getppid, dlsym(RTLD_NEXT, "getpid")};
    g_assert_cmpuint(strobe_imports_replace(&theirs, 1), >=, 1);
    g_assert_cmpint(getppid(), ==, getpid());
    StrobeImport ours = import_of((void *)real_getppid);
    g_assert_cmpuint(strobe_imports_replace(&ours, 1), ==, 0);
    g_assert_cmpuint(strobe_imports_restore(&ours, 1), ==, 0);
    g_assert_cmpint(getppid(), ==, getpid());
    g_assert_cmpuint(strobe_imports_restore(&theirs, 1), >=, 1);
    g_assert_cmpint(getppid(), ==, real_getppid());
}

static void test_unknown(void)
{
    StrobeImport left_out = import_of(NULL);
    StrobeImport unknown = {"no_such_function_anywhere", (void *)another_getppid,
                            (void *)our_getppid};
    g_assert_cmpuint(strobe_imports_replace(&left_out, 1), ==, 0);
    g_assert_cmpuint(strobe_imports_replace(&unknown, 1), ==, 0);
}

static void *call_on(void *is_over)
{
    pid_t expected = real_getppid();
    while (!*(atomic_int *)is_over)
        g_assert_cmpint(getppid(), ==, expected);
    return NULL;
}

static void test_while_threads_call(void)
{
    atomic_int is_over = 0;
    pthread_t threads[2];
    find_real();
    StrobeImport import = import_of((void *)real_getppid);
    for (int i = 0; i < 2; i++)
        g_assert_cmpint(pthread_create(&threads[i], NULL, call_on, &is_over), ==, 0);
    for (int i = 0; i < 500; i++) {
        g_assert_cmpuint(strobe_imports_replace(&import, 1), >=, 1);
        g_assert_cmpuint(strobe_imports_restore(&import, 1), >=, 1);
    }
    is_over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void test_n_loaded(void)
{
    unsigned long long before = strobe_imports_n_loaded();
    g_assert_cmpuint(before, >, 0);
    g_assert_cmpuint(strobe_imports_n_loaded(), ==, before);
    void *library = dlopen("libm.so.6", RTLD_NOW);
    void *other = dlopen("libanl.so.1", RTLD_NOW); /* not loaded by any other library */
    if (other)
        g_assert_cmpuint(strobe_imports_n_loaded(), >, before);
    if (library)
        dlclose(library);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/import-slots/replace-and-restore", test_replace_and_restore);
    g_test_add_func("/import-slots/slot-of-another", test_slot_of_another);
    g_test_add_func("/import-slots/unknown", test_unknown);
    g_test_add_func("/import-slots/while-threads-call", test_while_threads_call);
    g_test_add_func("/import-slots/n-loaded", test_n_loaded);
    return g_test_run();
}
