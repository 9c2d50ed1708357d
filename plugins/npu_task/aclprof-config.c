/* SPDX-License-Identifier: Apache-2.0 */
#include "aclprof-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEVEL_0 (ACLPROF_TASK_TIME_L0 | ACLPROF_ACL_API)
#define LEVEL_1 (ACLPROF_TASK_TIME | ACLPROF_ACL_API | ACLPROF_HCCL_TRACE)
#define LEVEL_2 (LEVEL_1 | ACLPROF_RUNTIME_API | ACLPROF_AICPU)

#define STORAGE_MIN_MB 200
#define BY_LEVEL "level"

static const char *const metric_names[] = {NPU_METRIC_NAMES, NULL};
#define FIRST_METRIC 2 /* index in `metric_names` of the metric whose number in CANN is 0 */

static int is_on(const StrobeHost *host, StrobeInstance *self, const char *option)
{
    return host->option_bool(self, option) != 0;
}

/* Returns whether the option's value, a list, contains the word. */
static int has_word(const StrobeHost *host, StrobeInstance *self, const char *option,
                    const char *word)
{
    size_t length = strlen(word);

    for (const char *at = host->option_text(self, option); *at;) {
        size_t n = strcspn(at, "+");

        if (n == length && strncmp(at, word, n) == 0)
            return 1;
        at += n + (at[n] == '+');
    }
    return 0;
}

static int wants_memory(const StrobeHost *host, StrobeInstance *self)
{
    return is_on(host, self, "task_memory") || has_word(host, self, "details", "module_memory");
}

/* ---- mask and metrics ---- */

static uint64_t of_level(const char *level)
{
    if (strcmp(level, "Level_none") == 0)
        return ACLPROF_MSPROFTX;
    return strcmp(level, "Level0") == 0   ? LEVEL_0
           : strcmp(level, "Level1") == 0 ? LEVEL_1
                                          : LEVEL_2;
}

static int32_t metric_of(const char *name, int has_tasks)
{
    if (strcmp(name, BY_LEVEL) == 0)
        return has_tasks ? ACLPROF_PIPE_UTILIZATION : ACLPROF_METRICS_NONE;
    for (int32_t i = FIRST_METRIC; metric_names[i]; i++)
        if (strcmp(metric_names[i], name) == 0)
            return i - FIRST_METRIC;
    return ACLPROF_METRICS_NONE;
}

/* Reads the metrics. Metrics belong to tasks, which CANN reports in enough detail only at Level1
 * and Level2. */
static void read_metrics(const StrobeHost *host, StrobeInstance *self, AclprofWish *wish)
{
    const char *name = host->option_text(self, "aic_metrics");
    int has_tasks = (wish->mask & ACLPROF_TASK_TIME) != 0;

    wish->metrics = metric_of(name, has_tasks);
    if (wish->metrics != ACLPROF_METRICS_NONE && !has_tasks) {
        host->log(self, STROBE_LOG_WARNING,
                  "aic_metrics=%s is ignored: it needs profiler_level=Level1 or Level2", name);
        wish->metrics = ACLPROF_METRICS_NONE;
    }
    if (wish->metrics != ACLPROF_METRICS_NONE)
        wish->mask |= ACLPROF_AICORE_METRICS;
}

static void read_mask(const StrobeHost *host, StrobeInstance *self, AclprofWish *wish)
{
    static const struct {
        const char *option;
        uint64_t bit;
    } switches[] = {
        {"l2_cache", ACLPROF_L2CACHE},
        {"op_attr", ACLPROF_OP_ATTR},
        {"msproftx", ACLPROF_MSPROFTX},
    };
    const char *details = host->option_text(self, "details");

    wish->mask = of_level(host->option_text(self, "profiler_level"));
    int is_level_0 = wish->mask == LEVEL_0;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (is_on(host, self, switches[i].option))
            wish->mask |= switches[i].bit;
    if (wants_memory(host, self))
        wish->mask |= ACLPROF_TASK_MEMORY;
    if (is_level_0 && has_word(host, self, "details", "shapes"))
        wish->mask |= ACLPROF_AICORE_SHAPE;
    else if (*details && strcmp(details, "module_memory") != 0 && !(wish->mask & ACLPROF_TASK_TIME))
        host->log(self, STROBE_LOG_WARNING,
                  "details=%s: CANN reports these only with profiler_level=Level1 or Level2",
                  details);
}

/* ---- settings ---- */

static void add_setting(AclprofWish *wish, int32_t type, const char *text)
{
    wish->settings[wish->n_settings].type = type;
    snprintf(wish->settings[wish->n_settings++].text, ACLPROF_CONFIG_MAX, "%s", text);
}

static void set_rate(AclprofWish *wish, int32_t type, int64_t rate)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, rate);
    if (rate > 0)
        add_setting(wish, type, text);
}

/* Adds a setting whose value is a list. Strobe joins the words of a list by '+', aclprof by ','. */
static void set_list(AclprofWish *wish, int32_t type, const char *list)
{
    char text[ACLPROF_CONFIG_MAX];

    snprintf(text, sizeof text, "%s", list);
    for (char *at = text; *at; at++)
        if (*at == '+')
            *at = ',';
    if (*text)
        add_setting(wish, type, text);
}

static void read_rates(const StrobeHost *host, StrobeInstance *self, AclprofWish *wish)
{
    static const struct {
        const char *option, *rate; /* NULL: a positive rate alone turns the setting on */
        int32_t type;
    } rates[] = {
        {"sys_io", "sys_io_freq", ACLPROF_SYS_IO_FREQ},
        {"sys_interconnection", "sys_interconnection_freq", ACLPROF_SYS_INTERCONNECTION_FREQ},
        {NULL, "dvpp_freq", ACLPROF_DVPP_FREQ},
        {NULL, "low_power_freq", ACLPROF_LOW_POWER_FREQ},
        {NULL, "sys_cpu_freq", ACLPROF_SYS_CPU_FREQ},
    };

    if (wants_memory(host, self))
        set_rate(wish, ACLPROF_SYS_HARDWARE_MEM_FREQ, host->option_int(self, "hardware_mem_freq"));
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!rates[i].option || is_on(host, self, rates[i].option))
            set_rate(wish, rates[i].type, host->option_int(self, rates[i].rate));
}

static void read_settings(const StrobeHost *host, StrobeInstance *self, AclprofWish *wish)
{
    int64_t megabytes = host->option_int(self, "storage_limit") >> 20;
    const char *llc = host->option_text(self, "llc_mode");
    char text[32];

    wish->n_settings = 0;
    if (megabytes > 0 && megabytes < STORAGE_MIN_MB) {
        host->log(self, STROBE_LOG_WARNING, "storage_limit is set to %dMB, the minimum of aclprof",
                  STORAGE_MIN_MB);
        megabytes = STORAGE_MIN_MB;
    }
    snprintf(text, sizeof text, "%" PRId64 "MB", megabytes);
    if (megabytes > 0)
        add_setting(wish, ACLPROF_STORAGE_LIMIT, text);
    if (strcmp(llc, "none") != 0)
        add_setting(wish, ACLPROF_LLC_MODE, llc);
    read_rates(host, self, wish);
    set_list(wish, ACLPROF_HOST_SYS, host->option_text(self, "host_sys"));
    set_list(wish, ACLPROF_HOST_SYS_USAGE, host->option_text(self, "host_sys_usage"));
    if (*host->option_text(self, "host_sys_usage"))
        set_rate(wish, ACLPROF_HOST_SYS_USAGE_FREQ, host->option_int(self, "host_sys_usage_freq"));
}

void npu_aclprof_wish(const StrobeHost *host, StrobeInstance *self, AclprofWish *wish)
{
    read_mask(host, self, wish);
    read_metrics(host, self, wish);
    read_settings(host, self, wish);
}

const char *npu_aclprof_needed_by(const StrobeHost *host, StrobeInstance *self)
{
    static const char *const switches[] = {"l2_cache", "op_attr", "task_memory", "sys_io",
                                           "sys_interconnection"};
    static const char *const rates[] = {"dvpp_freq", "low_power_freq", "sys_cpu_freq"};
    static const char *const lists[] = {"details", "host_sys", "host_sys_usage"};
    const char *metrics = host->option_text(self, "aic_metrics");

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (is_on(host, self, switches[i]))
            return switches[i];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (host->option_int(self, rates[i]) > 0)
            return rates[i];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (*host->option_text(self, lists[i]))
            return lists[i];
    if (strcmp(host->option_text(self, "llc_mode"), "none") != 0)
        return "llc_mode";
    return strcmp(metrics, BY_LEVEL) != 0 && strcmp(metrics, "none") != 0 ? "aic_metrics" : NULL;
}
