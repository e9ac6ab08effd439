"""The libraries that ours is timed against, each bound to private arrays and called directly.

A peer is a function of (workload, arrays, threads) that returns a binder, or raises
MissingPeerError with the reason why it has no entry for this workload. Each call of the binder
makes one more private set of operands. Nothing here times anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
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
class Call:
    """A bound call: operands are checked and placed, `run()` does nothing but compute."""

    run: Callable[[], Any]
    array: Callable[[Any], NDArray[Any]]
    """The output, from what `run` returned last."""


Binder = Callable[[], Call]
Peer = Callable[[Workload, Arrays, int], Binder]


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


def plain_sizes(workload: Workload) -> Sizes:
    """Sizes of a workload that libraries know how to state; anything else is MissingPeerError."""
    sizes = sizes_of(workload)
    if sizes["bias"][0] or sizes["residual"][0] or not workload.shape.endswith("act=none"):
        raise MissingPeerError("a fused tail has no peer here")
    if workload.layout not in ("NCHW", "row"):
        raise MissingPeerError(f"layout {workload.layout} has no peer here")
    return sizes


def _torch(threads: int) -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingPeerError("torch is not installed") from error
    torch.set_num_threads(threads)
    _never_differentiate()
    return torch


@cache
def _never_differentiate() -> None:
    """From here on, in this thread; a call from Python gets a fifth cheaper by it."""
    import torch

    torch.inference_mode().__enter__()


def _stored(tensor: Any, is_transposed: int) -> Any:
    """The logical matrix of an operand that is stored transposed."""
    return tensor.transpose(-1, -2) if is_transposed else tensor


def _array(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.contiguous().numpy())


def torch_eager(workload: Workload, arrays: Arrays, threads: int) -> Binder:
    """conv2d, mm or bmm as eager PyTorch dispatches them."""
    torch, sizes = _torch(threads), plain_sizes(workload)

    def convolution() -> Call:
        x, weight = _tensors(torch, arrays)
        return Call(partial(torch.conv2d, x, weight, None, *_window(sizes)), _array)

    def product() -> Call:
        x, weight = _tensors(torch, arrays)
        multiply = torch.mm if workload.op == "matmul" else torch.bmm
        left, right = _stored(x, sizes["ta"][0]), _stored(weight, sizes["tb"][0])
        out = multiply(left, right)
        return Call(partial(multiply, left, right, out=out), _array)

    return _wanting_symmetry(sizes, convolution) if workload.op == "conv2d" else product


def torch_packed(workload: Workload, arrays: Arrays, threads: int) -> Binder:
    """Intel oneDNN through PyTorch with its weights reordered beforehand."""
    torch, sizes = _torch(threads), plain_sizes(workload)
    if not torch.backends.mkldnn.is_available():
        raise MissingPeerError("this torch has no oneDNN")

    def convolution() -> Call:
        x, weight = _tensors(torch, arrays)
        stride, pad, dilation, groups = _window(sizes)
        packed = torch._C._nn.mkldnn_reorder_conv2d_weight(
            weight.to_mkldnn(), pad, stride, dilation, groups, list(x.shape)
        )
        convolve = torch.mkldnn_convolution
        return Call(partial(convolve, x, packed, None, pad, stride, dilation, groups), _array)

    def product() -> Call:
        left, rows = _linear_operands(sizes, *_tensors(torch, arrays))
        packed = torch.ops.mkldnn._reorder_linear_weight(rows, left.shape[0])
        linear = torch.ops.mkldnn._linear_pointwise.default
        return Call(partial(linear, left, packed, None, "none", [], ""), _array)

    if workload.op == "conv2d":
        return _wanting_symmetry(sizes, convolution)
    _check_linear(workload)
    return product


def torch_mkl_packed(workload: Workload, arrays: Arrays, threads: int) -> Binder:
    """MKL's packed matrix product through PyTorch."""
    torch, sizes = _torch(threads), plain_sizes(workload)
    if not torch.backends.mkl.is_available():
        raise MissingPeerError("this torch has no MKL")
    _check_linear(workload)

    def product() -> Call:
        left, rows = _linear_operands(sizes, *_tensors(torch, arrays))
        packed = torch.ops.mkl._mkl_reorder_linear_weight(rows, left.shape[0])
        linear, batch = torch.ops.mkl._mkl_linear.default, left.shape[0]
        return Call(partial(linear, left, packed, rows, None, batch), _array)

    return product


def _tensors(torch: Any, arrays: Arrays) -> tuple[Any, Any]:
    """Private copies of both operands, where PyTorch allocates them."""
    x, weight = (torch.from_numpy(arrays[name]).clone() for name in ("x", "weight"))
    return x, weight


def _window(sizes: Sizes) -> tuple[list[int], list[int], list[int], int]:
    """Stride, padding, dilation and groups as PyTorch takes them."""
    top, left, _, _ = sizes["pad"]
    return list(sizes["stride"]), [top, left], list(sizes["dilation"]), sizes["groups"][0]


def _wanting_symmetry(sizes: Sizes, binder: Binder) -> Binder:
    top, left, bottom, right = sizes["pad"]
    if (top, left) != (bottom, right):
        raise MissingPeerError("asymmetric padding has no peer here")
    return binder


def _check_linear(workload: Workload) -> None:
    if workload.op != "matmul":
        raise MissingPeerError(f"no packed form of {workload.op}")
    if workload.dtype != "float32":
        raise MissingPeerError(f"no packed form for {workload.dtype}")


def _linear_operands(sizes: Sizes, x: Any, weight: Any) -> tuple[Any, Any]:
    """Left matrix, and weights as [n, k] rows as a linear layer has them."""
    left = _stored(x, sizes["ta"][0])
    return left, _stored(weight, sizes["tb"][0]).transpose(0, 1).contiguous()


def onnxruntime_packed(workload: Workload, arrays: Arrays, threads: int) -> Binder:
    """ONNX Runtime with the weights as an initialiser, which it packs when the session starts."""
    open_session = _onnx_sessions(workload, arrays, threads, is_packed=True)
    # The weights belong to the session: another set of operands is another session.
    return lambda: _onnx_call(open_session(), arrays, ("x",))


def onnxruntime_plain(workload: Workload, arrays: Arrays, threads: int) -> Binder:
    """ONNX Runtime with the weights as an input."""
    session = _onnx_sessions(workload, arrays, threads, is_packed=False)()
    return lambda: _onnx_call(session, arrays, ("x", "weight"))


def _onnx_sessions(
    workload: Workload, arrays: Arrays, threads: int, *, is_packed: bool
) -> Callable[[], Any]:
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingPeerError("onnxruntime is not installed") from error
    options = onnxruntime.SessionOptions()
    if threads > 1:
        # Threads that all sessions share, or those of the last session would spin beside the next.
        _share_onnx_threads(threads)
        options.use_per_session_threads = False
    else:
        options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    model = _onnx_model(workload, arrays, is_packed)
    providers = ["CPUExecutionProvider"]
    return lambda: onnxruntime.InferenceSession(model, options, providers=providers)


@cache
def _share_onnx_threads(threads: int) -> None:
    """Once a process: ONNX Runtime has no second set of shared threads, and none beside it."""
    import onnxruntime

    onnxruntime.set_global_thread_pool_sizes(threads, 1)


def _onnx_call(session: Any, arrays: Arrays, inputs: Sequence[str]) -> Call:
    from onnxruntime import OrtValue

    # ONNX Runtime allocates these itself: private and aligned as it likes them.
    binding = session.io_binding()
    for name in inputs:
        binding.bind_ortvalue_input(name, OrtValue.ortvalue_from_numpy(arrays[name]))
    out = OrtValue.ortvalue_from_shape_and_type(arrays["out"].shape, arrays["out"].dtype.type)
    binding.bind_ortvalue_output("out", out)
    return Call(partial(session.run_with_iobinding, binding), lambda _: out.numpy())


def _onnx_model(workload: Workload, arrays: Arrays, is_packed: bool) -> bytes:
    try:
        from onnx import helper, numpy_helper
    except ImportError as error:
        raise MissingPeerError("onnx is not installed") from error
    node = _onnx_node(workload, plain_sizes(workload))
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


def numpy_plain(workload: Workload, arrays: Arrays, threads: int) -> Binder:
    """NumPy's matrix product, which is OpenBLAS; a convolution has no fair NumPy form."""
    sizes = plain_sizes(workload)
    if workload.op == "conv2d":
        raise MissingPeerError("NumPy has no convolution")
    try:
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingPeerError(
            "threadpoolctl is not installed, so its threads cannot be set"
        ) from error
    threadpool_limits(threads, user_api="blas")
    # The same product; `dot` takes half as long to get there, and has no batches.
    multiply = np.dot if workload.op == "matmul" else np.matmul

    def product() -> Call:
        left, right, out = (private(arrays[name]) for name in ("x", "weight", "out"))
        left = left.swapaxes(-1, -2) if sizes["ta"][0] else left
        right = right.swapaxes(-1, -2) if sizes["tb"][0] else right
        return Call(partial(multiply, left, right, out=out), lambda _: out)

    return product
