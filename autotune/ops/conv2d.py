"""2-D convolution (cross-correlation, as in every ML framework), grouped and depthwise included.

    out[n, g, oc, oh, ow] = sum over ic, kh, kw of
        x[n, g, ic, oh*stride_h + kh*dilation_h - top, ow*stride_w + kw*dilation_w - left]
        * weight[g, oc, ic, kh, kw]

Weights are stored [k, c/groups, r, s]; with NHWC data [r, s, c/groups, k]. NCHW16c data is
[n, c/16, h, w, 16] in and out, with plain weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autotune.errors import UsageError
from autotune.ir.contraction import Access, Affine, Axis, Contraction, affine
from autotune.ops.base import Key, Sizes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 16
"""Channels in a block of the NCHW16c layout."""


class Conv2d:
    """Stride, asymmetric padding, dilation and groups; depthwise is groups = c."""

    name = "conv2d"
    keys = (
        Key("n", (1,)),
        Key("c"),
        Key("h"),
        Key("w", "h"),
        Key("k"),
        Key("r"),
        Key("s", "r"),
        Key("stride", (1, 1), width=2),
        Key("pad", (0, 0, 0, 0), low=0, width=4),
        Key("dilation", (1, 1), width=2),
        Key("groups", (1,)),
    )
    layouts: tuple[str, ...] = ("NCHW", "NHWC", "NCHW16c")
    prepack_default = 1
    short_form: tuple[str, ...] = ()

    def validate(self, sizes: Sizes, layout: str) -> None:
        groups, channels, filters = sizes["groups"][0], sizes["c"][0], sizes["k"][0]
        for name, value in (("c", channels), ("k", filters)):
            if value % groups:
                raise UsageError(
                    f"shape key groups={groups} does not divide {name}={value}; "
                    f"allowed: a divisor of both c and k"
                )
        padded = (
            ("h", "r", sizes["h"][0] + sizes["pad"][0] + sizes["pad"][2], 0),
            ("w", "s", sizes["w"][0] + sizes["pad"][1] + sizes["pad"][3], 1),
        )
        for image, kernel, available, side in padded:
            reach = (sizes[kernel][0] - 1) * sizes["dilation"][side] + 1
            if reach > available:
                raise UsageError(
                    f"shape key {kernel}={sizes[kernel][0]} reaches over {reach} elements with its "
                    f"dilation but {image} with padding has {available}; the output is empty; "
                    f"allowed: a reach of at most {available}"
                )
        if layout == "NCHW16c":
            self._validate_blocked(channels, filters, groups)

    def _validate_blocked(self, channels: int, filters: int, groups: int) -> None:
        for name, value in (("c", channels), ("k", filters)):
            if value % BLOCK:
                raise UsageError(
                    f"shape key {name}={value} does not fit layout NCHW16c; "
                    f"allowed: a multiple of {BLOCK}"
                )
            share = value // groups
            if share % BLOCK and BLOCK % share:
                raise UsageError(
                    f"shape key groups={groups} gives {name}/groups={share}, which does not fit "
                    f"layout NCHW16c; allowed: a multiple or a divisor of {BLOCK}"
                )
        share_in, share_out = channels // groups, filters // groups
        if share_in != share_out and max(share_in, share_out) < BLOCK:
            raise UsageError(
                f"shape key groups={groups} gives c/groups={share_in} and k/groups={share_out}, "
                f"which do not fit layout NCHW16c; allowed: equal, or one of at least {BLOCK}"
            )

    def contraction(self, sizes: Sizes, layout: str, dtype: str) -> Contraction:
        if layout == "NCHW16c":
            return _blocked(sizes, dtype)
        axes, extents = _axes(sizes)
        group_in = sizes["c"][0] // sizes["groups"][0]
        group_out = sizes["k"][0] // sizes["groups"][0]
        image = affine(extents, [("n", 1)])
        channel_in = affine(extents, [("g", group_in), ("ic", 1)])
        channel_out = affine(extents, [("g", group_out), ("oc", 1)])
        height, width = _window(sizes, extents)
        oh, ow = affine(extents, [("oh", 1)]), affine(extents, [("ow", 1)])
        ic, kh, kw = (affine(extents, [(name, 1)]) for name in ("ic", "kh", "kw"))
        n, c, h, w, k = (sizes[key][0] for key in ("n", "c", "h", "w", "k"))
        r, s, out_h, out_w = sizes["r"][0], sizes["s"][0], extents["oh"], extents["ow"]
        if layout == "NHWC":
            x = Access("x", (n, h, w, c), (image, height, width, channel_in))
            weight = Access("weight", (r, s, group_in, k), (kh, kw, ic, channel_out))
            out = Access("out", (n, out_h, out_w, k), (image, oh, ow, channel_out))
        else:
            x = Access("x", (n, c, h, w), (image, channel_in, height, width))
            weight = Access("weight", (k, group_in, r, s), (channel_out, ic, kh, kw))
            out = Access("out", (n, k, out_h, out_w), (image, channel_out, oh, ow))
        return Contraction(axes, out, (x, weight), dtype, dtype, dtype)

    def bias_axes(self, layout: str) -> tuple[int, ...]:
        return {"NCHW": (1,), "NHWC": (3,), "NCHW16c": (1, 4)}[layout]

    def reduction_length(self, sizes: Sizes) -> int:
        return sizes["c"][0] // sizes["groups"][0]

    def reference(
        self, sizes: Sizes, layout: str, x: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        import numpy as np

        n, c, h, w, k = (sizes[key][0] for key in ("n", "c", "h", "w", "k"))
        if layout == "NHWC":
            x, weight = x.transpose(0, 3, 1, 2), weight.transpose(3, 2, 0, 1)
        elif layout == "NCHW16c":
            x = x.transpose(0, 1, 4, 2, 3).reshape(n, c, h, w)
        groups = sizes["groups"][0]
        top, left, bottom, right = sizes["pad"]
        padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
        grouped = padded.reshape(n, groups, c // groups, *padded.shape[2:])
        filters = weight.reshape(groups, k // groups, c // groups, *weight.shape[2:])
        (stride_h, stride_w), (dilation_h, dilation_w) = sizes["stride"], sizes["dilation"]
        out_h, out_w = output_size(sizes)
        out = np.zeros((n, groups, k // groups, out_h, out_w))
        for i in range(sizes["r"][0]):
            for j in range(sizes["s"][0]):
                y0, x0 = i * dilation_h, j * dilation_w
                window = grouped[
                    :,
                    :,
                    :,
                    y0 : y0 + (out_h - 1) * stride_h + 1 : stride_h,
                    x0 : x0 + (out_w - 1) * stride_w + 1 : stride_w,
                ]
                flat = window.reshape(n, groups, c // groups, out_h * out_w)
                out += (filters[None, :, :, :, i, j] @ flat).reshape(out.shape)
        plain = out.reshape(n, k, out_h, out_w)
        if layout == "NHWC":
            return np.ascontiguousarray(plain.transpose(0, 2, 3, 1))
        if layout == "NCHW16c":
            blocked = plain.reshape(n, k // BLOCK, BLOCK, out_h, out_w)
            return np.ascontiguousarray(blocked.transpose(0, 1, 3, 4, 2))
        return plain

    def reference_bytes(self, sizes: Sizes, layout: str) -> int:
        n, c, h, w, k = (sizes[key][0] for key in ("n", "c", "h", "w", "k"))
        top, left, bottom, right = sizes["pad"]
        out_h, out_w = output_size(sizes)
        out = n * k * out_h * out_w
        padded = n * c * (h + top + bottom) * (w + left + right)
        # Each tap's window is copied beside the last one's, unless NumPy can look at it in place.
        taps = sizes["r"][0] * sizes["s"][0]
        window = n * c * out_h * out_w
        if 1 in (out_h, out_w) or window == padded:
            window = 0
        blocked = n * c * h * w if layout == "NCHW16c" and c > BLOCK else 0
        return 8 * (blocked + padded + out + window + max(window if taps > 1 else 0, out))


def output_size(sizes: Sizes) -> tuple[int, int]:
    """Height and width of the output."""
    top, left, bottom, right = sizes["pad"]
    reach_h = (sizes["r"][0] - 1) * sizes["dilation"][0] + 1
    reach_w = (sizes["s"][0] - 1) * sizes["dilation"][1] + 1
    return (
        (sizes["h"][0] + top + bottom - reach_h) // sizes["stride"][0] + 1,
        (sizes["w"][0] + left + right - reach_w) // sizes["stride"][1] + 1,
    )


def _axes(sizes: Sizes) -> tuple[tuple[Axis, ...], dict[str, int]]:
    groups = sizes["groups"][0]
    out_h, out_w = output_size(sizes)
    axes = (
        Axis("n", sizes["n"][0], "parallel"),
        Axis("g", groups, "parallel"),
        Axis("oc", sizes["k"][0] // groups, "parallel"),
        Axis("oh", out_h, "parallel"),
        Axis("ow", out_w, "parallel"),
        Axis("ic", sizes["c"][0] // groups, "reduction"),
        Axis("kh", sizes["r"][0], "reduction"),
        Axis("kw", sizes["s"][0], "reduction"),
    )
    return axes, {axis.name: axis.extent for axis in axes}


def _window(sizes: Sizes, extents: dict[str, int]) -> tuple[Affine, Affine]:
    (stride_h, stride_w), (dilation_h, dilation_w) = sizes["stride"], sizes["dilation"]
    top, left, _, _ = sizes["pad"]
    return (
        affine(extents, [("oh", stride_h), ("kh", dilation_h)], -top),
        affine(extents, [("ow", stride_w), ("kw", dilation_w)], -left),
    )


def _blocked(sizes: Sizes, dtype: str) -> Contraction:
    """NCHW16c: channel axes are split at 16, so that every index stays affine.

    A group of fewer than 16 channels shares its block with its neighbours: g becomes (go, gi).
    """
    groups = sizes["groups"][0]
    group_in, group_out = sizes["c"][0] // groups, sizes["k"][0] // groups
    shared = min(groups, max(BLOCK // min(group_in, BLOCK), BLOCK // min(group_out, BLOCK)))
    out_h, out_w = output_size(sizes)
    lanes_in, lanes_out = min(group_in, BLOCK), min(group_out, BLOCK)
    axes = (
        Axis("n", sizes["n"][0], "parallel"),
        Axis("go", groups // shared, "parallel"),
        Axis("gi", shared, "parallel"),
        Axis("oco", group_out // lanes_out, "parallel"),
        Axis("oh", out_h, "parallel"),
        Axis("ow", out_w, "parallel"),
        Axis("oc", lanes_out, "parallel"),
        Axis("ico", group_in // lanes_in, "reduction"),
        Axis("ic", lanes_in, "reduction"),
        Axis("kh", sizes["r"][0], "reduction"),
        Axis("kw", sizes["s"][0], "reduction"),
    )
    extents = {axis.name: axis.extent for axis in axes}
    height, width = _window(sizes, extents)

    def channels(share: int, lanes: int, block: str, lane: str) -> tuple[Affine, Affine, Affine]:
        """Block index, lane index and flat index of a channel."""
        if share >= BLOCK:
            blocks = share // BLOCK
            block_index = [("go", shared * blocks), ("gi", blocks), (block, 1)]
            lane_index = [(lane, 1)]
        else:
            block_index = [("go", shared * share // BLOCK)]
            lane_index = [("gi", share), (lane, 1)]
        flat = [("go", shared * share), ("gi", share), (block, lanes), (lane, 1)]
        return affine(extents, block_index), affine(extents, lane_index), affine(extents, flat)

    in_block, in_lane, _ = channels(group_in, lanes_in, "ico", "ic")
    out_block, out_lane, out_flat = channels(group_out, lanes_out, "oco", "oc")
    n, c, h, w, k = (sizes[key][0] for key in ("n", "c", "h", "w", "k"))
    image = affine(extents, [("n", 1)])
    oh, ow = affine(extents, [("oh", 1)]), affine(extents, [("ow", 1)])
    within = affine(extents, [("ico", lanes_in), ("ic", 1)])
    kh, kw = affine(extents, [("kh", 1)]), affine(extents, [("kw", 1)])
    return Contraction(
        axes,
        Access("out", (n, k // BLOCK, out_h, out_w, BLOCK), (image, out_block, oh, ow, out_lane)),
        (
            Access("x", (n, c // BLOCK, h, w, BLOCK), (image, in_block, height, width, in_lane)),
            Access(
                "weight", (k, group_in, sizes["r"][0], sizes["s"][0]), (out_flat, within, kh, kw)
            ),
        ),
        dtype,
        dtype,
        dtype,
    )


OPERATOR = Conv2d()
