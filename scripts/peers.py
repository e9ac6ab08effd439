"""The libraries that ours is timed against, each bound to private arrays and called directly.

A peer is a function of (workload, arrays, is_packed, threads) that returns a Contender, or raises
MissingPeerError with the reason why it has no entry for this workload. Nothing here times anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autotune.ops.base import Sizes, sizes_of
from autotune.pages import aligned_bytes
from autotune.trial import Workload

Arrays = Mapping[str, NDArray[Any]]


class MissingPeerError(Exception):
    """This peer cannot take part; the message says why."""


@dataclass(frozen=True)
class Contender:
    """Something that computes the workload: `call()` once, then `result()` is its output."""

    name: str
    call: Callable[[], object]
    result: Callable[[], NDArray[Any]]


Peer = Callable[[Workload, Arrays, int], Contender]


def peers(is_packed: bool) -> dict[str, Peer]:
    """Peers by name: with weights packed beforehand, or with both operands as they come."""
    if is_packed:
        return {
            "torch onednn": torch_packed,
            "torch mkl": torch_mkl_packed,
            "onnxruntime": onnxruntime_packed,
        }
    return {"torch eager": torch_eager, "onnxruntime": onnxruntime_plain, "numpy": numpy_plain}


def private(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that no other contender sees, aligned as every library allocates its own."""
    copy = aligned_bytes(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _plain_sizes(workload: Workload) -> Sizes:
    """Sizes of a workload that libraries know how to state; anything else is MissingPeerError."""
    sizes = sizes_of(workload)
    if sizes["bias"][0] or sizes["residual"][0] or not workload.shape.endswith("act=none"):
        raise MissingPeerError("a fused tail has no peer here")
    if workload.layout not in ("NCHW", "row"):
        raise MissingPeerError(f"layout {workload.layout} has no peer here")
    return sizes


def _symmetric_pad(sizes: Sizes) -> list[int]:
    top, left, bottom, right = sizes["pad"]
    if (top, left) != (bottom, right):
        raise MissingPeerError("asymmetric padding has no peer here")
    return [top, left]


def _torch(threads: int) -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingPeerError("torch is not installed") from error
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    return torch


def _stored(tensor: Any, is_transposed: int) -> Any:
    """The logical matrix of an operand that is stored transposed."""
    return tensor.transpose(-1, -2) if is_transposed else tensor


class _Kept:
    """Calls a function and keeps what it returned last, without copying it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.value: Any = None

    def __call__(self) -> None:
        # Given back first, so that the next output may take its place in the caches.
        self.value = None
        self.value = self._function()

    def array(self) -> NDArray[Any]:
        return np.asarray(self.value.contiguous().numpy())


def torch_eager(workload: Workload, arrays: Arrays, threads: int) -> Contender:
    """conv2d, mm or bmm as eager PyTorch dispatches them."""
    torch, sizes = _torch(threads), _plain_sizes(workload)
    x, weight = (torch.from_numpy(arrays[name]).clone() for name in ("x", "weight"))
    if workload.op == "conv2d":
        pad, stride = _symmetric_pad(sizes), list(sizes["stride"])
        dilation, groups = list(sizes["dilation"]), sizes["groups"][0]
        kept = _Kept(lambda: torch.conv2d(x, weight, None, stride, pad, dilation, groups))
    else:
        product = torch.mm if workload.op == "matmul" else torch.bmm
        left, right = _stored(x, sizes["ta"][0]), _stored(weight, sizes["tb"][0])
        out = product(left, right)
        kept = _Kept(lambda: product(left, right, out=out))
    return Contender("torch eager", kept, kept.array)


def torch_packed(workload: Workload, arrays: Arrays, threads: int) -> Contender:
    """Intel oneDNN through PyTorch with its weights reordered beforehand."""
    torch, sizes = _torch(threads), _plain_sizes(workload)
    if not torch.backends.mkldnn.is_available():
        raise MissingPeerError("this torch has no oneDNN")
    x, weight = (torch.from_numpy(arrays[name]).clone() for name in ("x", "weight"))
    if workload.op == "conv2d":
        pad, stride = _symmetric_pad(sizes), list(sizes["stride"])
        dilation, groups = list(sizes["dilation"]), sizes["groups"][0]
        packed = torch._C._nn.mkldnn_reorder_conv2d_weight(
            weight.to_mkldnn(), pad, stride, dilation, groups, list(x.shape)
        )
        convolve = torch.mkldnn_convolution
        kept = _Kept(lambda: convolve(x, packed, None, pad, stride, dilation, groups))
        return Contender("torch onednn", kept, kept.array)
    left, rows = _linear_operands(workload, sizes, x, weight)
    packed = torch.ops.mkldnn._reorder_linear_weight(rows, left.shape[0])
    linear = torch.ops.mkldnn._linear_pointwise.default
    kept = _Kept(lambda: linear(left, packed, None, "none", [], ""))
    return Contender("torch onednn", kept, kept.array)


def torch_mkl_packed(workload: Workload, arrays: Arrays, threads: int) -> Contender:
    """MKL's packed matrix product through PyTorch."""
    torch, sizes = _torch(threads), _plain_sizes(workload)
    if not torch.backends.mkl.is_available():
        raise MissingPeerError("this torch has no MKL")
    x, weight = (torch.from_numpy(arrays[name]).clone() for name in ("x", "weight"))
    left, rows = _linear_operands(workload, sizes, x, weight)
    packed = torch.ops.mkl._mkl_reorder_linear_weight(rows, left.shape[0])
    linear, batch = torch.ops.mkl._mkl_linear.default, left.shape[0]
    kept = _Kept(lambda: linear(left, packed, rows, None, batch))
    return Contender("torch mkl", kept, kept.array)


def _linear_operands(workload: Workload, sizes: Sizes, x: Any, weight: Any) -> tuple[Any, Any]:
    """Left matrix, and weights as [n, k] rows as a linear layer has them."""
    if workload.op != "matmul":
        raise MissingPeerError(f"no packed form of {workload.op}")
    if workload.dtype != "float32":
        raise MissingPeerError(f"no packed form for {workload.dtype}")
    left = _stored(x, sizes["ta"][0])
    return left, _stored(weight, sizes["tb"][0]).transpose(0, 1).contiguous()


def onnxruntime_packed(workload: Workload, arrays: Arrays, threads: int) -> Contender:
    """ONNX Runtime with the weights as an initialiser, which it packs when the session starts."""
    return _onnxruntime(workload, arrays, threads, is_packed=True)


def onnxruntime_plain(workload: Workload, arrays: Arrays, threads: int) -> Contender:
    """ONNX Runtime with the weights as an input."""
    return _onnxruntime(workload, arrays, threads, is_packed=False)


def _onnxruntime(workload: Workload, arrays: Arrays, threads: int, *, is_packed: bool) -> Contender:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPeerError("onnxruntime is not installed") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    model = _onnx_model(workload, arrays, is_packed)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    # ONNX Runtime allocates these itself: private and aligned as it likes them.
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(arrays["x"])]
    binding.bind_ortvalue_input("x", values[0])
    if not is_packed:
        values.append(onnxruntime.OrtValue.ortvalue_from_numpy(arrays["weight"]))
        binding.bind_ortvalue_input("weight", values[1])
    out = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
        arrays["out"].shape, arrays["out"].dtype.type
    )
    binding.bind_ortvalue_output("out", out)
    return Contender("onnxruntime", lambda: session.run_with_iobinding(binding), out.numpy)


def _onnx_model(workload: Workload, arrays: Arrays, is_packed: bool) -> bytes:
    try:
        from onnx import helper, numpy_helper
    except ImportError as error:
        raise MissingPeerError("onnx is not installed") from error
    node = _onnx_node(workload, _plain_sizes(workload))
    inputs = {"x": arrays["x"]} if is_packed else {n: arrays[n] for n in ("x", "weight")}
    infos = [_value(name, array) for name, array in inputs.items()]
    weights = [numpy_helper.from_array(np.ascontiguousarray(arrays["weight"]), "weight")]
    graph = helper.make_graph(
        [node], "one", infos, [_value("out", arrays["out"])], weights if is_packed else []
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    # Old versions on purpose: any ONNX Runtime of the last years reads them.
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def _onnx_node(workload: Workload, sizes: Sizes) -> Any:
    from onnx import helper

    names = ["x", "weight"], ["out"]
    if workload.op == "conv2d":
        return helper.make_node(
            "Conv",
            *names,
            pads=list(sizes["pad"]),
            strides=list(sizes["stride"]),
            dilations=list(sizes["dilation"]),
            group=sizes["groups"][0],
            kernel_shape=[sizes["r"][0], sizes["s"][0]],
        )
    left, right = sizes["ta"][0], sizes["tb"][0]
    if not left and not right:
        return helper.make_node("MatMul", *names)
    return helper.make_node(
        "FusedMatMul", *names, domain="com.microsoft", transA=left, transB=right
    )


def _value(name: str, array: NDArray[Any]) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(
        name, helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape)
    )


def numpy_plain(workload: Workload, arrays: Arrays, threads: int) -> Contender:
    """NumPy's matmul, which is OpenBLAS; a convolution has no fair NumPy form."""
    sizes = _plain_sizes(workload)
    if workload.op == "conv2d":
        raise MissingPeerError("NumPy has no convolution")
    try:
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingPeerError(
            "threadpoolctl is not installed, so its threads cannot be set"
        ) from error
    threadpool_limits(threads, user_api="blas")
    left, right, out = (private(arrays[name]) for name in ("x", "weight", "out"))
    left = left.swapaxes(-1, -2) if sizes["ta"][0] else left
    right = right.swapaxes(-1, -2) if sizes["tb"][0] else right
    return Contender("numpy", lambda: np.matmul(left, right, out=out), lambda: out)
