/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge to PyTorch as one file: reading libtorch's headers is most of what compiling costs. */
#include "torch_backend.cpp"
#include "torch_collectives.cpp"
#include "torch_memory.cpp"
#include "torch_tensors.cpp"
