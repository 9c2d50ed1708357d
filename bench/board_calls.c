/* SPDX-License-Identifier: Apache-2.0 */
/* board_calls CONFIG [REPEATS]: measures the ns of one call of a camera board's runtime,
 * svp_acl_rt_get_device, with the profiler that CONFIG selects. LD_PRELOAD has the test double of
 * the runtime, with or without libstrobe-board.so before it. */
#include <dlfcn.h>

#include "measure.h"

#define CALLS 20000

static void *find_function(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);

    if (!function)
        fail("the runtime's double is not preloaded: there is no", name);
    return function;
}

/* Runs an inference, because a JOB without an inference is not kept. */
static void run_model(void)
{
    int (*load)(const void *, uint32_t *) =
        (int (*)(const void *, uint32_t *))find_function("svp_acl_mdl_load_with_config");
    int (*execute)(uint32_t, const void *, const void *) =
        (int (*)(uint32_t, const void *, const void *))find_function("svp_acl_mdl_execute");
    uint32_t model = 0;

    if (load(&model, &model) || execute(model, NULL, NULL))
        fail("the double", "runs no model");
}

int main(int argc, char **argv)
{
    static Samples samples = {.name = "call"};
    const long repeats = number_argument(argc, argv, 2, 20);
    int (*init)(const char *) = (int (*)(const char *))find_function("svp_acl_init");
    int (*finalize)(void) = (int (*)(void))find_function("svp_acl_finalize");
    int (*call)(int32_t *) = (int (*)(int32_t *))find_function("svp_acl_rt_get_device");
    const struct timespec pause = {0, 100000000}; /* time for the writer to empty the pool */

    init(argc > 1 && *argv[1] ? argv[1] : NULL);
    run_model();
    for (long i = 0; i < repeats; i++) {
        int32_t device;
        const double begin = now_ns();

        for (int k = 0; k < CALLS; k++)
            call(&device);
        samples_add(&samples, (now_ns() - begin) / CALLS);
        nanosleep(&pause, NULL);
    }
    finalize();
    samples_print(&samples);
    return 0;
}
