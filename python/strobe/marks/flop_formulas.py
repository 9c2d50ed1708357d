# SPDX-License-Identifier: Apache-2.0
"""Formulas for the number of floating point operations of a call: 2 * m * n * k for each matrix
product in the call. A formula takes the call's arguments. It returns None if the number is unknown;
the call then gets no range.
"""

import math


def product(left, right):
    """Number of operations of matmul on vectors, matrices, and broadcast batches."""
    a, b = tuple(left.shape), tuple(right.shape)
    if not a or not b:
        return None
    rows = a[-2] if len(a) > 1 else 1
    columns = b[-1] if len(b) > 1 else 1
    return 2 * _batch(a[:-2], b[:-2]) * rows * a[-1] * columns


def _batch(a, b):
    """Number of elements of the shape to which the two shapes are broadcast."""
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + a, (1,) * (length - len(b)) + b
    return math.prod(y if x == 1 else x for x, y in zip(a, b))


def mm(input, mat2, **others):
    return product(input, mat2)


def matmul(input, other, **others):
    return product(input, other)


def addmm(input, mat1, mat2, **others):
    return product(mat1, mat2)


def linear(input, weight, bias=None):
    return 2 * input.numel() * (weight.shape[0] if weight.dim() > 1 else 1)


# ---- torch_npu: rows of any shape times a weight whose last dimension is n ----


def rows(x, weight, *args, **others):
    return 2 * x.numel() * weight.shape[-1]


def grouped(x, weight, *args, **others):
    """Number of operations if each row is multiplied by one of the weights, which have equal sizes,
    or by the weight of its group."""
    xs = x if isinstance(x, (list, tuple)) else [x]
    weights = weight if isinstance(weight, (list, tuple)) else [weight]
    if len(weights) not in (1, len(xs)):
        weights = weights[:1] if len({w.shape for w in weights}) == 1 else []
    if not weights:
        return None
    weights = list(weights) * (len(xs) // len(weights))
    return sum(rows(each, w) for each, w in zip(xs, weights))


def all_gather(input, x2, hcom, world_size, *args, gather_index=0, **others):
    return rows(input, x2) * (world_size if gather_index == 0 else 1)


def gathered_groups(gmm_x, gmm_weight, hcom, ep_world_size, send_counts, recv_counts, **others):
    """Number of operations for the received rows, which the call multiplies."""
    return 2 * sum(recv_counts) * gmm_weight.shape[-2] * gmm_weight.shape[-1]


# ---- attention: queries times keys, and the result times values ----

# Orders of the dimensions: batch (B), length (S), heads (N), size of a head (D); H: heads times
# size.
_LAYOUTS = ("BSH", "SBH", "BSND", "BNSD")
# Modes that keep only pairs below a diagonal, which begins in the upper left or ends in the lower
# right corner.
_LEFT_UP, _RIGHT_DOWN = 2, 3


def _pairs(queries, keys, sparse_mode):
    """The number of (query, key) pairs that are multiplied; None: the mode's rule is unknown."""
    if sparse_mode in (0, 1):
        return queries * keys
    if sparse_mode not in (_LEFT_UP, _RIGHT_DOWN):
        return None
    shift = keys - queries if sparse_mode == _RIGHT_DOWN else 0
    return sum(min(max(i + 1 + shift, 0), keys) for i in range(queries))


def _sizes(tensor, layout):
    """(batch, length, heads * size of a head) of a tensor with this layout."""
    sizes = dict(zip(layout, tensor.shape))
    width = sizes["H"] if "H" in sizes else sizes["N"] * sizes["D"]
    return sizes["B"], sizes["S"], width


def _lengths(sums):
    """Lengths of sequences, from the cumulative sums of the lengths."""
    return [b - a for a, b in zip([0, *sums], sums)]


def _attention(query, value, heads, kv_heads, layout, sparse_mode, q_sums, kv_sums):
    if layout == "TND":
        if not q_sums or not kv_sums:
            return None
        pairs = [_pairs(q, k, sparse_mode) for q, k in zip(_lengths(q_sums), _lengths(kv_sums))]
        sizes = query.shape[-2] * (query.shape[-1] + value.shape[-1])
        return None if None in pairs else 2 * sum(pairs) * sizes
    if layout not in _LAYOUTS:
        return None
    batch, queries, width = _sizes(query, layout)
    _, keys, value_width = _sizes(value, layout)
    pairs = _pairs(queries, keys, sparse_mode)
    # several query heads may share one head of keys and values
    return None if pairs is None else 2 * batch * pairs * (width + value_width * heads // kv_heads)


def _kv_heads(key, heads, layout, width):
    """Number of heads of the keys. It is lower than the number of query heads if several query
    heads share a key head."""
    sizes = dict(zip(layout, key.shape))
    return sizes.get("N") or max(sizes.get("H", width) * heads // width, 1)


def fusion_attention(query, key, value, head_num, input_layout, *args, sparse_mode=0,
                     actual_seq_qlen=None, actual_seq_kvlen=None, **others):  # fmt: skip
    layout = input_layout.upper()
    width = query.shape[-1]
    kv_heads = _kv_heads(key, head_num, layout, width)
    return _attention(query, value, head_num, kv_heads, layout, sparse_mode,
                      actual_seq_qlen, actual_seq_kvlen)  # fmt: skip


def infer_attention(query, key, value, *args, num_heads=1, num_key_value_heads=0,
                    input_layout="BSH", sparse_mode=0, **others):  # fmt: skip
    layout = input_layout.upper().split("_")[0]
    if isinstance(value, (list, tuple)):
        if len(value) != 1:
            return None
        value = value[0]
    return _attention(query, value, num_heads, num_key_value_heads or num_heads, layout,
                      sparse_mode, None, None)  # fmt: skip
