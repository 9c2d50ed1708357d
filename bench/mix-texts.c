/* SPDX-License-Identifier: Apache-2.0 */
#include "mix.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

#define FRAMES_MAX 22
#define FRAMES 85 /* number of different frames in all stacks */

/* The first texts of a type are its stems and `rest`. Further texts are a stem, a number and
 * `rest`, with each stem in turn. */
typedef struct Names {
    uint32_t n;
    const char *rest;
    const char *stems[8];
} Names;

static const Names names[MIX_TEXTS] = {
    [MIX_OPERATORS] = {108,
                       "",
                       {"aten::as_strided", "empty_tensor", "aten::empty", "aten::transpose",
                        "aten::linear", "npu::npu_dtype_cast", "aten::convolution", "aclnnAddmm"}},
    [MIX_GRADIENTS] = {26,
                       "",
                       {"autograd::engine::evaluate_function: AddmmBackward",
                        "MaxPool2DWithIndicesBackward", "torch::autograd::AccumulateGrad"}},
    [MIX_FUNCTIONS] = {299,
                       "",
                       {"torch/nn/modules/module.py: _call_impl", "nn.Module: Conv2d_",
                        "<built-in function isinstance>", "torch/autograd/profiler.py: __exit__",
                        "torch/nn/parallel/distributed.py: will_sync_module_buffers"}},
    [MIX_OBJECTS] = {8192,
                     ">",
                     {"<built-in method size of Tensor object at 0xfffc81c",
                      "<built-in method get of dict object at 0xffffac05"}},
    [MIX_ENQUEUE] = {1, "", {"Enqueue"}},
    [MIX_WORK] = {36,
                  "",
                  {"Dequeue@aclnnInplaceCopy", "Dequeue@aclnnMuls", "Dequeue@record_event",
                   "Dequeue@aclnnAddmm"}},
    [MIX_CALLS] = {39,
                   "",
                   {"aclnnInplaceCopy", "aclnnMuls", "aclnnAddmm", "aclrtRecordEvent",
                    "aclrtStreamWaitEvent"}},
    [MIX_INNER_CALLS] =
        {4, "", {"opCompile", "TransData_Tiling", "RealDiv_Tiling", "MaxPoolWithArgmaxV1_Tiling"}},
    [MIX_REQUESTS] = {12,
                      "",
                      {"aclCreateTensorDesc", "aclCreateDataBuffer", "aclopCreateAttr",
                       "aclrtQueryEventStatus", "aclnnInplaceCopyGetWorkspaceSize"}},
    [MIX_RELEASES] = {2, "", {"aclDestroyTensorDesc", "aclopDestroyAttr"}},
    [MIX_LEVELS] = {3, "", {"node", "acl", "hccl"}},
    [MIX_LAUNCHES] = {2, "", {"launch", "Launch_Ffts"}},
    [MIX_KERNELS] = {77,
                     "",
                     {"aclnnAddmm_MatMulCommon_MatMulV2", "trans_TransData_",
                      "aclnnInplaceRelu_Relu_Relu", "Conv2D"}},
    [MIX_KERNEL_TYPES] = {33, "", {"MatMulV2", "TransData", "Relu", "Cast"}},
    [MIX_TASK_TYPES] = {6,
                        "",
                        {"MEMCPY_ASYNC", "EVENT_RECORD", "EVENT_WAIT", "SDMA", "KERNEL_AIVEC",
                         "KERNEL_AICORE"}},
    [MIX_CORES] = {2, "", {"AI_VECTOR_CORE", "AI_CORE"}},
    [MIX_METRICS] = {1,
                     "",
                     {"aic_total_time;aic_total_cycles;aic_mac_time;aic_mac_ratio;"
                      "aic_scalar_time;aic_scalar_ratio;aic_mte1_time;aic_mte1_ratio;"
                      "aic_mte2_time;aic_mte2_ratio;aic_fixpipe_time;aic_fixpipe_ratio;"
                      "aic_icache_miss_rate;aiv_total_time;aiv_total_cycles;aiv_vec_time;"
                      "aiv_vec_ratio;aiv_mac_time;aiv_mac_ratio;aiv_scalar_time;"
                      "aiv_scalar_ratio;aiv_mte1_time;aiv_mte1_ratio;aiv_mte2_time;"
                      "aiv_mte2_ratio;aiv_mte3_time;aiv_mte3_ratio;aiv_icache_miss_rate"}},
    [MIX_ALLOCATORS] = {2, "", {"GE", "PTA"}},
    [MIX_ACCESSES] = {2, "", {"read", "write"}},
    [MIX_OWNERS] = {2, "", {"app", "device"}},
    [MIX_PARTS] = {77, "", {"SLOG", "IDEDD", "HCCL", "RUNTIME"}},
    [MIX_TRANSFERS] = {4, "", {"Notify_Record", "Notify_Wait", "Reduce_Inline", "Memcpy"}},
    [MIX_LINKS] = {4, "", {"INVALID_TYPE", "HCCS", "SDMA", "LOCAL"}},
    [MIX_NOTIFIES] = {30, "", {"429496"}},
    [MIX_COMMUNICATOR] =
        {4, "", {"10.0.0.1%eth0_60000_0_1736410538306028", "hcom_allReduce_", "MESH-RING", "FP32"}},
};

uint32_t mix_text(Mix *mix, const char *format, ...)
{
    char text[1024];
    va_list values;
    int n;

    va_start(values, format);
    n = g_vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return strobe_import_capture_intern(mix->capture, text, (gsize)n, FALSE);
}

static MixPool *begin_pool(Mix *mix, MixText which, uint32_t n)
{
    mix->texts[which] = (MixPool){.n = n, .ids = g_new(uint32_t, n)};
    return &mix->texts[which];
}

static void fill_pool(Mix *mix, MixText which)
{
    const Names *name = &names[which];
    MixPool *pool = begin_pool(mix, which, name->n);
    uint32_t n_stems = 0;

    while (n_stems < G_N_ELEMENTS(name->stems) && name->stems[n_stems])
        n_stems++;
    for (uint32_t i = 0; i < pool->n; i++)
        pool->ids[i] =
            i < n_stems ? mix_text(mix, "%s%s", name->stems[i], name->rest)
                        : mix_text(mix, "%s%u%s", name->stems[i % n_stems], 1000 + i, name->rest);
}

/* Makes texts that are lists of one to five parts, for example "float;Scalar". A part that ends in
 * a comma gets a number, as in a shape. */
static void fill_lists(Mix *mix, MixText which, uint32_t n, const char *parts, const char *quote)
{
    g_auto(GStrv) part = g_strsplit(parts, ";", 0);
    const guint n_parts = g_strv_length(part);
    g_autoptr(GString) text = g_string_new(NULL);
    MixPool *pool = begin_pool(mix, which, n);

    for (uint32_t i = 0; i < n; i++) {
        g_string_assign(text, quote);
        for (uint32_t k = 0, rest = i; k <= i % 5; k++, rest = rest / n_parts + 1) {
            g_string_append_printf(text, "%s%s", k ? ";" : "", part[rest % n_parts]);
            if (g_str_has_suffix(text->str, ","))
                g_string_append_printf(text, "%u", 8 + i);
        }
        pool->ids[i] = mix_text(mix, "%s%s", text->str, quote);
    }
}

/* Makes call stacks of at least 8 frames, which share their outermost frames. */
static void fill_stacks(Mix *mix, uint32_t n)
{
    MixPool *pool = begin_pool(mix, MIX_STACKS, n);
    uint32_t frames[FRAMES_MAX];

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t depth = 8 + i * 7 % (FRAMES_MAX - 7);

        for (uint32_t k = 0; k < depth; k++) {
            const uint32_t frame = (depth - k) * (k < depth / 2 ? i + 1 : 1) % FRAMES;

            frames[k] = mix_text(mix,
                                 "/usr/local/lib/python3.9/site-packages/torch/nn/modules/"
                                 "module_%u.py(%u): _call_impl",
                                 frame, 1100 + frame);
        }
        pool->ids[i] = strobe_import_capture_intern(mix->capture, (const char *)frames,
                                                    depth * sizeof *frames, TRUE);
    }
}

void mix_texts_make(Mix *mix)
{
    for (MixText which = 0; which < MIX_TEXTS; which++)
        if (names[which].n)
            fill_pool(mix, which);
    fill_lists(mix, MIX_SHAPES, 192, "32,;192,64,3,;;32,192,13,;4096,", "");
    fill_lists(mix, MIX_TYPES, 59, "float;Scalar;ScalarList;None;long int", "");
    fill_lists(mix, MIX_KERNEL_SHAPES, 110, "32,1,224,224,;121,4,;64,;32,8,55,", "\"");
    fill_lists(mix, MIX_KERNEL_DATA, 18, "FLOAT;INT32;INT64", "");
    fill_lists(mix, MIX_FORMATS, 16, "NCHW;NC1HWC0;FRACTAL_Z;ND", "");
    fill_stacks(mix, 36);
}

void mix_texts_clear(Mix *mix)
{
    for (MixText which = 0; which < MIX_TEXTS; which++)
        g_free(mix->texts[which].ids);
}
