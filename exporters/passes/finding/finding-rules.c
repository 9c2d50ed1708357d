/* SPDX-License-Identifier: Apache-2.0 */
#include "finding-rules.h"

#include <glib.h>
#include <string.h>
#include <strobe/helpers/intervals.h>
#include <strobe/kinds.h>

#include "lock-rule.h"
#include "outlier-rule.h"

#define HIGH_SHARE 20.0 /* % of the time of all steps */
#define MEDIUM_SHARE 5.0
/* a first step that takes at least this many times the median is start-up and is omitted */
#define START_FACTOR 3.0
#define WITHOUT_STEPS 0.7 /* factor of the confidence if no steps are known */
#define WITH_LOSSES 0.6
#define MIB (1024.0 * 1024.0)

typedef gboolean (*Rule)(const Case *c, Finding *out);

void finding_free(gpointer data)
{
    Finding *finding = data;

    g_free(finding->summary);
    g_free(finding->evidence);
    g_free(finding);
}

/* ---- parts of the steps ---- */

static const struct {
    StepPart part;
    const char *id, *table, *what, *advice;
    double least_share, confidence; /* least_share: in % of the steps; confidence: in % */
} part_rules[] = {
    {PART_DATA, "data_loading", "cpu_op", "Steps wait for the next batch of data",
     "Load batches in other processes (num_workers of DataLoader above 0, persistent_workers, "
     "pin_memory), prefetch more of them, or make the transforms cheaper.",
     5, 90},
    {PART_GC, "gc", "gc", "Python's garbage collector interrupts the steps",
     "Take a gc.collect() out of the loop, or call it rarely; call gc.freeze() after the set-up "
     "and "
     "raise gc.set_threshold(); look for code that makes many objects in cycles.",
     3, 95},
    {PART_SYNCHRONIZATION, "synchronization", "cpu_op",
     "The program waits for the device inside the steps",
     "Do not wait for the device in each step (synchronize(), clFinish), nor read its values there "
     "(.item(), .cpu(), print of a tensor): gather them and read them every so many steps.",
     2, 85},
    {PART_COMPILE, "recompilation", "cpu_op", "Graphs or kernels are compiled inside the steps",
     "Keep shapes and types the same from step to step, mark sizes that change as dynamic, and let "
     "the first steps warm up before the recording.",
     2, 80},
};

static gboolean detect_part(const Case *c, guint rule, Finding *out)
{
    StepPart part = part_rules[rule].part;
    double share = share_of((double)c->parts_ns[part], (double)c->steps_ns);

    if (share < part_rules[rule].least_share)
        return FALSE;
    out->id = part_rules[rule].id;
    out->table = measures_top_kind(c->m, part, part_rules[rule].table);
    out->advice = part_rules[rule].advice;
    out->share = share;
    out->confidence = part_rules[rule].confidence;
    out->count = c->m->n_spans[part];
    out->summary =
        g_strdup_printf("%s: %.1f %% of their time (%.2f ms a step).", part_rules[rule].what, share,
                        (double)c->parts_ns[part] / c->n_steps / 1e6);
    out->evidence = measures_top_names(c->m, part);
    return TRUE;
}

/* ---- steps ---- */

static gboolean detect_no_steps(const Case *c, Finding *out)
{
    guint64 n_spans = 0;

    for (guint i = 0; i < N_PARTS; i++)
        n_spans += c->m->n_spans[i];
    if (busy_times_has_steps(c->m->times) || n_spans == 0)
        return FALSE;
    out->id = "steps";
    out->table = "step";
    out->severity = "unknown";
    out->share = STROBE_ABSENT_F64;
    out->confidence = 100;
    out->summary = g_strdup("Cannot tell how steps differ, because the program announced none; "
                            "shares are of the whole window.");
    out->evidence = g_strdup("no record of the kind step");
    out->advice = "Call step() of the profiler once an iteration, or strobe_step() in C.";
    return TRUE;
}

/* ---- devices ---- */

static gboolean detect_small_kernels(const Case *c, Finding *out)
{
    double small = share_of((double)c->m->n_small_kernels, (double)c->m->n_kernels);

    out->share = share_of(c->m->device_free_us, c->m->device_stage_us);
    if (c->m->n_kernels < 20 * (guint64)c->n_steps || small < 80 || out->share < 20)
        return FALSE;
    out->id = "small_kernels";
    out->table = "device_task";
    out->count = c->m->n_small_kernels;
    out->confidence = 75;
    out->summary = g_strdup_printf("%.0f %% of the kernels take less than %d us, and between them "
                                   "the device is idle for %.1f %% of the steps.",
                                   small, MEASURES_SMALL_KERNEL_NS / 1000, out->share);
    out->evidence = g_strdup_printf("%" G_GUINT64_FORMAT " kernels, mean %.2f us", c->m->n_kernels,
                                    (double)c->m->kernel_ns / 1e3 / (double)c->m->n_kernels);
    out->advice = "Fuse operators (torch.compile, fused optimizers, graphs), or make the batch "
                  "larger, so that a kernel does more.";
    return TRUE;
}

static gboolean detect_host_bound(const Case *c, Finding *out)
{
    out->share = share_of(c->m->device_free_us, c->m->device_stage_us);
    if (c->m->n_device_steps == 0 || out->share < 30)
        return FALSE;
    out->is_effect = TRUE;
    out->explained = share_of(
        (double)(c->parts_ns[PART_DATA] + c->parts_ns[PART_GC] + c->parts_ns[PART_COMPILE]),
        (double)c->steps_ns);
    out->id = "host_bound";
    out->table = "step_trace";
    out->count = c->m->n_device_steps;
    out->confidence = 85;
    out->summary = g_strdup_printf(
        "The device is idle for %.1f %% of the steps: the host launches too late.", out->share);
    out->evidence = g_strdup_printf("free %.2f ms of %.2f ms", c->m->device_free_us / 1e3,
                                    c->m->device_stage_us / 1e3);
    out->advice = "See what the host does meanwhile: first treat the findings on data, "
                  "synchronisation and garbage collection; if there are none, launch graphs "
                  "instead of single kernels.";
    return TRUE;
}

static gboolean detect_communication(const Case *c, Finding *out)
{
    out->share = share_of(c->m->device_communication_us, c->m->device_stage_us);
    if (c->m->n_device_steps == 0 || out->share < 5)
        return FALSE;
    out->id = "communication";
    out->table = "step_trace";
    out->count = c->m->n_device_steps;
    out->confidence = 90;
    out->summary = g_strdup_printf(
        "Communication takes %.1f %% of the steps while nothing is computed.", out->share);
    out->evidence = g_strdup_printf("%.2f ms of %.2f ms", c->m->device_communication_us / 1e3,
                                    c->m->device_stage_us / 1e3);
    out->advice =
        "Start the reduction of gradients earlier (bucket sizes of DDP), accumulate "
        "gradients over more batches, and look for a rank that is slower than the others.";
    return TRUE;
}

/* ---- memory ---- */

static gboolean detect_fragmentation(const Case *c, Finding *out)
{
    gint64 unused = c->m->peak_reserved - c->m->allocated_at_peak;
    double share = share_of((double)unused, (double)c->m->peak_reserved);

    if (c->m->n_memory == 0 || share < 25 || (double)unused < 64 * MIB)
        return FALSE;
    out->id = "fragmentation";
    out->table = "memory_event";
    out->count = c->m->n_memory;
    out->confidence = 70;
    out->severity = share >= 50 ? "high" : "medium";
    out->summary = g_strdup_printf("At the peak the allocator holds %.0f MiB, of which %.0f %% is "
                                   "not in use.",
                                   (double)c->m->peak_reserved / MIB, share);
    out->evidence =
        g_strdup_printf("reserved %.0f MiB, allocated %.0f MiB", (double)c->m->peak_reserved / MIB,
                        (double)c->m->allocated_at_peak / MIB);
    out->advice = "Let segments grow (expandable_segments:True of the allocator), and keep the "
                  "sizes of batches from changing.";
    return TRUE;
}

static gboolean detect_memory_limit(const Case *c, Finding *out)
{
    if (c->m->n_host_memory == 0 || c->m->peak_group_share < 90)
        return FALSE;
    out->id = "memory_peak";
    out->table = "host_mem";
    out->count = c->m->n_host_memory;
    out->confidence = 90;
    out->severity = c->m->peak_group_share >= 97 ? "high" : "medium";
    out->summary = g_strdup_printf("Memory of the control group reaches %.0f %% of its limit.",
                                   c->m->peak_group_share);
    out->evidence = g_strdup_printf("%" G_GUINT64_FORMAT " samples", c->m->n_host_memory);
    out->advice = "Raise the limit, or see which call paths hold memory at the peak: near the "
                  "limit the system first takes pages away, and then ends the program.";
    return TRUE;
}

/* ---- the machine ---- */

/* Appends the mean of a sampled measure, multiplied by `scale`, with `before` and `after` around
 * the number. Appends nothing if the measure has no samples. */
static void add_measure(GString *text, const WeightedMean *mean, const char *before, double scale,
                        int digits, const char *after)
{
    if (mean->count)
        g_string_append_printf(text, "%s%s%.*f%s", text->len ? "; " : "", before, digits,
                               scale * weighted_mean(mean), after);
}

static char *describe_contention(const Case *c)
{
    GString *text = g_string_new(NULL);

    add_measure(text, &c->m->processor_wait, "on average ", 0.01, 1,
                " threads were ready to run and had no processor");
    add_measure(text, &c->m->pressure[PRESSURE_CPU], "pressure on the system ", 1, 0, " %");
    add_measure(text, &c->m->throttled, "held up by the limit ", 1, 0, " % of the time");
    return g_string_free(text, FALSE);
}

/* The system's pressure includes all programs. It may be high although only other programs hold
 * each other up. So the pressure is used only if the program's own waiting time is unknown. */
static gboolean detect_contention(const Case *c, Finding *out)
{
    gboolean is_wait_known = c->m->processor_wait.count > 0;
    double pressure = weighted_mean(&c->m->pressure[PRESSURE_CPU]);
    double throttled = weighted_mean(&c->m->throttled);
    double wait = weighted_mean(&c->m->processor_wait);

    if ((is_wait_known || pressure < 20) && throttled < 5 && wait < 20)
        return FALSE;
    out->id = "contention";
    out->table = throttled >= 5 ? "host_throttle" : wait >= 20 ? "host_cpu" : "host_pressure";
    out->count = throttled >= 5 ? c->m->throttled.count
                 : wait >= 20   ? c->m->processor_wait.count
                                : c->m->pressure[PRESSURE_CPU].count;
    out->confidence = throttled >= 5 || wait >= 20 ? 80 : 60;
    out->severity = throttled >= 20 || wait >= 50 ? "high" : "medium";
    out->summary = g_strdup("Threads are ready and wait for a processor.");
    out->evidence = describe_contention(c);
    out->advice = "Move other programs away from this machine; if there are none, give the program "
                  "more processors or fewer threads (OMP_NUM_THREADS, num_workers).";
    return TRUE;
}

static gboolean detect_disk(const Case *c, Finding *out)
{
    double pressure = weighted_mean(&c->m->pressure[PRESSURE_IO]);
    double waiting = weighted_mean(&c->m->disk);

    if (pressure < 10 && waiting < 20)
        return FALSE;
    out->id = "disk";
    out->table = waiting >= 20 ? "host_disk" : "host_pressure";
    out->count = waiting >= 20 ? c->m->disk.count : c->m->pressure[PRESSURE_IO].count;
    out->confidence = waiting >= 20 ? 80 : 60;
    out->severity = MAX(pressure, waiting) >= 50 ? "high" : "medium";
    out->summary = g_strdup("The program, or the machine, waits for storage.");
    out->evidence = g_strdup_printf("the process waited %.0f %%, pressure on the system %.0f %%",
                                    waiting, pressure);
    out->advice = "Keep the data in memory or on a faster disk, read larger parts, and write "
                  "checkpoints outside the steps.";
    return TRUE;
}

/* ---- the recording ---- */

static gboolean detect_losses(const Case *c, Finding *out)
{
    const StrobeMetadata *metadata = c->m->host->metadata(c->m->self);
    guint64 n_lost = MAX(c->m->n_lost, metadata->n_lost);
    double share = share_of((double)n_lost, (double)n_lost + (double)metadata->n_stored);

    if (n_lost == 0)
        return FALSE;
    out->id = "losses";
    out->table = "loss";
    out->count = n_lost;
    out->confidence = 100;
    out->severity = share >= 1 ? "high" : "medium";
    out->summary = g_strdup_printf("%" G_GUINT64_FORMAT " records were lost: all numbers may be "
                                   "too small.",
                                   n_lost);
    out->evidence = g_strdup_printf("%.2f %% of all records", share);
    out->advice = "Record again with a larger buffer (--buffer), fewer collectors or fewer steps; "
                  "strobe info names the causes.";
    return TRUE;
}

/* Applies only if there are steps. Otherwise most calls into collectors are at the begin and the
 * end of the window, not in the work of the program. */
static gboolean detect_own_cost(const Case *c, Finding *out)
{
    gint64 cost = 0;

    if (!busy_times_has_steps(c->m->times))
        return FALSE;
    for (guint i = c->first; i < c->steps->len; i++) {
        const BusyStep *step = &g_array_index(c->steps, BusyStep, i);

        cost += strobe_intervals_covered(&c->m->own_calls, step->begin_ns, step->end_ns);
    }
    out->share = share_of((double)cost, (double)c->steps_ns);
    if (out->share < 2)
        return FALSE;
    out->id = "own_cost";
    out->table = "collector_call";
    out->count = c->m->n_own_calls;
    out->confidence = 80;
    out->summary = g_strdup_printf("Calls into Strobe's own collectors take %.1f %% of the steps.",
                                   out->share);
    out->evidence = g_strdup_printf("%.2f ms", (double)cost / 1e6);
    out->advice = "Turn off the collectors that you do not need, or sample less often.";
    return TRUE;
}

/* ---- all ---- */

static const Rule rules[] = {
    detect_losses,     outlier_rule_detect,  detect_no_steps,      detect_small_kernels,
    detect_host_bound, detect_communication, detect_fragmentation, detect_memory_limit,
    detect_contention, lock_rule_detect,     detect_disk,          detect_own_cost,
};

static guint weight_of(const char *severity)
{
    return !strcmp(severity, "high")     ? 3
           : !strcmp(severity, "medium") ? 2
           : !strcmp(severity, "low")    ? 1
                                         : 0;
}

/* Compares findings by severity. Losses come first, because they make all other findings unsure.
 * Within a severity, a finding that is only an effect of others comes last. */
static gint compare_findings(gconstpointer a, gconstpointer b)
{
    const Finding *x = *(Finding *const *)a, *y = *(Finding *const *)b;
    gboolean is_loss_x = !strcmp(x->id, "losses"), is_loss_y = !strcmp(y->id, "losses");
    guint weight_x = weight_of(x->severity), weight_y = weight_of(y->severity);

    if (is_loss_x != is_loss_y)
        return is_loss_x ? -1 : 1;
    if (weight_x != weight_y)
        return weight_x > weight_y ? -1 : 1;
    if (x->is_effect != y->is_effect)
        return x->is_effect ? 1 : -1;
    double share_x = x->share >= 0 ? x->share : -1, share_y = y->share >= 0 ? y->share : -1;

    if (share_x != share_y)
        return share_x > share_y ? -1 : 1;
    return strcmp(x->id, y->id);
}

static void add_finding(GPtrArray *found, const Case *c, Finding *finding, gboolean is_incomplete)
{
    double own_share = finding->share - finding->explained;

    if (!finding->severity)
        finding->severity = own_share >= HIGH_SHARE     ? "high"
                            : own_share >= MEDIUM_SHARE ? "medium"
                                                        : "low";
    if (strcmp(finding->severity, "unknown") != 0 && finding->confidence < 100) {
        finding->confidence *= busy_times_has_steps(c->m->times) ? 1 : WITHOUT_STEPS;
        finding->confidence *= is_incomplete ? WITH_LOSSES : 1;
    }
    g_ptr_array_add(found, finding);
}

static void sum_steps(Case *c)
{
    if (c->steps->len >= OUTLIER_STEPS_MIN &&
        (double)case_step_ns(c, 0) >= START_FACTOR * (double)case_median_step(c))
        c->first = 1;
    for (guint i = c->first; i < c->steps->len; i++) {
        const BusyStep *step = &g_array_index(c->steps, BusyStep, i);

        c->steps_ns += step->end_ns - step->begin_ns;
        for (guint part = 0; part <= N_PARTS; part++)
            c->parts_ns[part] += step->parts[part];
    }
    c->n_steps = MAX(c->steps->len - c->first, 1);
}

/* Returns a new finding whose share is absent. */
static Finding *new_finding(void)
{
    Finding *finding = g_new0(Finding, 1);

    finding->share = STROBE_ABSENT_F64;
    return finding;
}

GPtrArray *finding_rules_apply(const Measures *measures, const GArray *steps,
                               gboolean is_incomplete)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(finding_free);
    Case c = {.m = measures, .steps = steps};

    sum_steps(&c);
    for (guint i = 0; i < G_N_ELEMENTS(part_rules) + G_N_ELEMENTS(rules); i++) {
        Finding *finding = new_finding();
        gboolean is_found = i < G_N_ELEMENTS(part_rules)
                                ? detect_part(&c, i, finding)
                                : rules[i - G_N_ELEMENTS(part_rules)](&c, finding);

        if (is_found)
            add_finding(found, &c, finding, is_incomplete);
        else
            finding_free(finding);
    }
    g_ptr_array_sort(found, compare_findings);
    return found;
}
