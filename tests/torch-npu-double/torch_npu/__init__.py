# SPDX-License-Identifier: Apache-2.0
"""Replaces torch_npu, with the parts that a profiler uses: its version, the functions whose
operations are counted, its events. Each function returns its first argument."""

from . import npu

__all__ = ["npu"]

__version__ = "2.14.0 'double'"


def _first_argument(name):
    def function(first, *_, **__):
        return first

    function.__name__ = name
    return function


for _name in (
    "npu_fusion_attention", "npu_fused_infer_attention_score", "npu_all_gather_base_mm",
    "npu_transpose_batchmatmul", "npu_grouped_matmul", "npu_grouped_matmul_swiglu_quant_v2",
    "npu_quant_matmul_gelu", "npu_alltoallv_gmm", "npu_gmm_alltoallv",
):
    globals()[_name] = _first_argument(_name)
