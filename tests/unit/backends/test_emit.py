from __future__ import annotations

import re
import struct

import pytest

from autotune.backends.cpu.emit import Emitter, number


def emitter(lanes=8, scalar="float"):
    return Emitter(scalar, lanes)


# --- index arithmetic --------------------------------------------------------------------------


def test_known_indices_are_folded_and_write_nothing():
    made = emitter()
    assert (made.add(2, 3), made.mul(4, 5), made.divide(12, 4)) == (5, 20, 3)
    assert made.add("%i", 0) == made.add(0, "%i") == "%i"
    assert made.mul("%i", 1) == made.divide("%i", 1) == "%i"
    assert made.mul("%i", 0) == 0
    assert made.move("%p", 0) == "%p"
    assert made.lines == []


def test_unknown_indices_are_written_in_64_bits():
    made = emitter()
    made.add("%i", 3)
    made.mul("%i", 2**40)
    made.divide("%i", 8)
    made.move("%p", "%i")
    assert made.lines == [
        "  %v1 = add i64 %i, 3",
        f"  %v2 = mul i64 %i, {2**40}",
        "  %v3 = udiv exact i64 %i, 8",
        "  %v4 = mul i64 %i, 4",
        "  %v5 = getelementptr i8, ptr %p, i64 %v4",
    ]


def test_moves_count_bytes_of_the_element():
    made = emitter(scalar="double")
    made.move("%p", -3)
    assert made.lines == ["  %v1 = getelementptr i8, ptr %p, i64 -24"]


def test_conditions_are_folded():
    made = emitter()
    assert made.both(True, True) is True
    assert made.both(True, "%a") == made.both("%a", True) == "%a"
    assert made.both(False, "%a") is made.both("%a", False) is False
    assert made.lines == []
    assert made.both("%a", "%b") == "%v1"


# --- control flow ------------------------------------------------------------------------------


def test_loop_counts_from_start_to_end():
    made = emitter()
    with made.loop(24, 8, start="%begin") as i:
        made.do(f"use {i}")
    text = "\n".join(made.lines)
    assert re.search(rf"{i} = phi i64 \[ %begin, %entry \], \[ (%\w+), %\w+ \]", text)
    assert re.search(rf"%\w+ = add i64 {i}, 8", text)
    assert re.search(r"icmp slt i64 %\w+, 24", text)


def test_loop_that_holds_another_closes_from_the_block_it_ended_in():
    made = emitter()
    with made.loop(4, 1) as outer, made.loop(4, 1):
        made.do("body")
    text = "\n".join(made.lines)
    (back,) = re.findall(rf"{outer} = phi i64 \[ 0, %entry \], \[ %\w+, %(\w+) \]", text)
    assert back.startswith("after")
    assert text.index(f"{back}:") < text.rindex("icmp slt")


def test_carried_values_come_from_the_last_iteration():
    made = emitter()
    with made.carried_loop(4, 1, ["%zero"], ["<8 x float>"]) as (_, (total,), following):
        following.append(made.arithmetic("fadd", total, total))
    phi = next(line for line in made.lines if f"{total} = phi" in line)
    assert f"[ %zero, %entry ], [ {following[0]}, %" in phi


def test_condition_that_holds_makes_no_branch():
    made = emitter()
    with made.when(True):
        made.do("inside")
    assert made.lines == ["  inside"]
    with made.when(False):
        made.do("never")
    assert any("br i1 false" in line for line in made.lines)


# --- vectors -----------------------------------------------------------------------------------


def test_whole_vectors_are_plain_and_parts_of_a_load_are_masked():
    made = emitter(4)
    made.load("%p", 4)
    made.store("%v", "%p", 9)
    assert made.declarations == set()
    made.load("%p", 3)
    assert made.lines[0] == "  %v1 = load <4 x float>, ptr %p, align 4"
    assert made.lines[1] == "  store <4 x float> %v, ptr %p, align 4"
    assert "i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 0>" in made.lines[2]
    assert len(made.declarations) == 1


def test_parts_of_a_vector_are_stored_in_pieces():
    made = emitter(8)
    made.store("%v", "%p", 7)
    stores = [line.split(",")[0].split("%")[0] for line in made.lines if "store" in line]
    assert stores == [f"  store <{n} x float> " for n in (4, 2, 1)]
    picked = [line.rpartition("<")[2] for line in made.lines if "shufflevector" in line]
    assert picked == ["i32 0, i32 1, i32 2, i32 3>", "i32 4, i32 5>", "i32 6>"]
    assert [line for line in made.lines if "getelementptr" in line] == [
        "  %v3 = getelementptr i8, ptr %p, i64 16",
        "  %v5 = getelementptr i8, ptr %p, i64 24",
    ]
    assert made.declarations == set()


def test_parts_of_the_longest_vectors_are_stored_through_a_mask():
    made = emitter(16)
    made.store("%v", "%p", 5)
    assert "llvm.masked.store.v16f32" in made.lines[-1]
    assert len(made.declarations) == 1


@pytest.mark.parametrize(("lanes", "scalar"), [(1, "float"), (2, "double"), (8, "float")])
def test_names_of_intrinsics_follow_the_vector(lanes, scalar):
    made = emitter(lanes, scalar)
    made.multiply_add("%a", "%b", "%c")
    suffix = f"v{lanes}f{8 * made.item}"
    kind = f"<{lanes} x {scalar}>"
    assert made.declarations == {f"declare {kind} @llvm.fmuladd.{suffix}({kind}, {kind}, {kind})"}


def test_function_of_the_module_is_declared_once():
    made = emitter()
    for _ in range(3):
        made.define("twice", lambda inner, name, x: inner.arithmetic("fadd", x, x))
    (text,) = made.declarations
    assert text.startswith("define internal <8 x float> @twice(<8 x float> %x) noinline {\n")
    assert made.lines == []


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 16])
def test_transpose_turns_a_square(lanes):
    made = emitter(lanes)
    rows = [f"%r{i}" for i in range(lanes)]
    known = {row: [(i, lane) for lane in range(lanes)] for i, row in enumerate(rows)}
    columns = made.transpose(rows)
    for line in made.lines:
        name, a, b, picks = re.fullmatch(
            r"  (%\w+) = shufflevector <\d+ x float> (%\w+), <\d+ x float> (%\w+), "
            r"<\d+ x i32> <(.*)>",
            line,
        ).groups()
        both = known[a] + known[b]
        known[name] = [both[int(pick.removeprefix("i32 "))] for pick in picks.split(", ")]
    assert [known[c] for c in columns] == [[(i, c) for i in range(lanes)] for c in range(lanes)]
    assert len(made.lines) == lanes * (lanes.bit_length() - 1)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, 0.1, -2.5e-40, 1.0e38])
def test_numbers_are_written_exactly(value):
    for scalar, code in (("float", "f"), ("double", "d")):
        text = number(value, scalar)
        assert re.fullmatch(r"0x[0-9A-F]{16}", text)
        (read,) = struct.unpack(">d", bytes.fromhex(text[2:]))
        (stored,) = struct.unpack(code, struct.pack(code, value))
        assert struct.pack("d", read) == struct.pack("d", stored)
