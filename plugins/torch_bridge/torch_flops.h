/* SPDX-License-Identifier: Apache-2.0 */
/* Contains the formulas of PyTorch's own with_flops, for the operators that with_flops covers. Part
 * of torch_backend.cpp. */
#ifndef STROBE_TORCH_FLOPS_H
#define STROBE_TORCH_FLOPS_H

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace
{

using Values = c10::ArrayRef<const c10::IValue>;

/* Returns whether the tensor's sizes and type can be read without calling a subclass. */
bool is_plain(const at::Tensor &tensor)
{
    return tensor.defined() && !tensor.is_nested() &&
           !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

/* Sets `sizes` to those of the input at `place`. Returns false if the input is not a tensor with
 * `n_dimensions` (-1: any number). */
bool sizes_at(Values inputs, size_t place, int n_dimensions, c10::IntArrayRef &sizes)
{
    if (place >= inputs.size() || !inputs[place].isTensor() || !is_plain(inputs[place].toTensor()))
        return false;
    sizes = inputs[place].toTensor().sizes();
    return n_dimensions < 0 || sizes.size() == static_cast<size_t>(n_dimensions);
}

/* Returns the product of the sizes. An expanded tensor may have huge sizes, so the factors are
 * unsigned numbers, which wrap around on overflow. */
uint64_t product(c10::IntArrayRef sizes)
{
    uint64_t all = 1;
    for (int64_t size : sizes)
        all *= static_cast<uint64_t>(size);
    return all;
}

/* Returns 2 m n k, multiplied by the batch size, for the matrices in the inputs `first` and `first`
 * + 1. */
uint64_t flops_of_matrices(Values inputs, size_t first, int n_dimensions)
{
    c10::IntArrayRef a, b;
    if (!sizes_at(inputs, first, n_dimensions, a) || !sizes_at(inputs, first + 1, n_dimensions, b))
        return STROBE_ABSENT_U64;
    return 2 * product(a) * static_cast<uint64_t>(b.back());
}

uint64_t flops_of_elements(Values inputs)
{
    c10::IntArrayRef sizes;
    return sizes_at(inputs, 0, -1, sizes) ? product(sizes) : STROBE_ABSENT_U64;
}

/* Sets `pair` to the two integers of the input at `place`. Returns false if the input is not a list
 * of two integers. */
bool pair_at(Values inputs, size_t place, int64_t pair[2])
{
    if (!inputs[place].isIntList())
        return false;
    const auto list = inputs[place].toIntList();
    if (list.size() != 2)
        return false;
    pair[0] = list.get(0);
    pair[1] = list.get(1);
    return true;
}

/* Returns the count for conv2d, whose inputs are: input, weight, bias, stride, padding, dilation,
 * groups. */
uint64_t flops_of_conv2d(Values inputs)
{
    c10::IntArrayRef input, weight;
    int64_t stride[2], padding[2], dilation[2];
    if (inputs.size() != 7 || !sizes_at(inputs, 0, 4, input) || !sizes_at(inputs, 1, 4, weight) ||
        !pair_at(inputs, 3, stride) || !pair_at(inputs, 4, padding) ||
        !pair_at(inputs, 5, dilation) || !inputs[6].isInt() || inputs[6].toInt() <= 0)
        return STROBE_ABSENT_U64;
    uint64_t places = 1;
    for (size_t i = 0; i < 2; i++) {
        if (stride[i] <= 0)
            return STROBE_ABSENT_U64;
        const int64_t reach = dilation[i] * (weight[i + 2] - 1) + 1;
        places *= static_cast<uint64_t>((input[i + 2] + 2 * padding[i] - reach) / stride[i] + 1);
    }
    const uint64_t channels = static_cast<uint64_t>(input[1]) * static_cast<uint64_t>(weight[0]);
    const uint64_t kernel = static_cast<uint64_t>(weight[2]) * static_cast<uint64_t>(weight[3]);
    return 2 * static_cast<uint64_t>(input[0]) * places * kernel * channels /
           static_cast<uint64_t>(inputs[6].toInt());
}

/* Returns the number of floating point operations; STROBE_ABSENT_U64: there is no formula for the
 * operator or these inputs. */
uint64_t count_flops(const char *name, Values inputs)
{
    if (std::strncmp(name, "aten::", 6) != 0)
        return STROBE_ABSENT_U64;
    name += 6;
    if (std::strcmp(name, "mul") == 0 || std::strcmp(name, "add") == 0)
        return flops_of_elements(inputs);
    if (std::strcmp(name, "mm") == 0)
        return flops_of_matrices(inputs, 0, 2);
    if (std::strcmp(name, "addmm") == 0)
        return flops_of_matrices(inputs, 1, 2);
    if (std::strcmp(name, "bmm") == 0)
        return flops_of_matrices(inputs, 0, 3);
    if (std::strcmp(name, "baddbmm") == 0)
        return flops_of_matrices(inputs, 1, 3);
    if (std::strcmp(name, "conv2d") == 0)
        return flops_of_conv2d(inputs);
    return STROBE_ABSENT_U64;
}

} // namespace

#endif
