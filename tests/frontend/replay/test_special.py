"""Does the kernel handle what random programs lack: exceptions, setjmp, crashes, va_arg?"""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.frontend.replay.assembler import Assembled, assemble, stream
from tests.frontend.replay.machine import Address, External, Function, K, Machine, Op
from tests.frontend.replay.test_replay import check_activations, check_everything
from whence.errors import UserError
from whence.frontend.c.replay import Mismatch, Replay, Status

GLOB = Address("glob")


def build(*functions: Function, **externals: External) -> tuple[Machine, Assembled]:
    names = [f.name for f in functions]
    symbols = {name: 0x400000 + 0x100 * i for i, name in enumerate([*names, *externals])}
    fids = {name: 1000 + i for i, name in enumerate(names)}
    m = Machine(functions, externals, symbols | {"glob": 0x10000000}, fids)
    return m, assemble(m, [names])


def entry(m: Machine, name: str) -> bytes:
    return b"\0" + struct.pack("<Q", m.fids[name])[:6]


def nothing(_m: Machine, _v: list[int]) -> bytes:
    return b""


def opened(made: Assembled, log: bytes, out: Path, crash: int | None = None) -> Replay:
    return Replay.open(made.program, stream(bytes(4096) + log, crash=crash), out)


def call(name: str, *items: tuple[int | K | Address, int, int], **more: object) -> Op:
    return Op("CALL", a=Address(name), items=items, **more)  # type: ignore[arg-type]


def test_an_exception_controls_the_landing_pad(tmp_path: Path) -> None:
    def raises(m: Machine, _: list[int]) -> bytes:
        m.throw(m.stack[0].address, 0, b"")
        return b""

    middle = Function("middle", ((call("raises"), Op("RET")),), 1)
    pad = Op("LANDINGPAD", 0, bits=12, slots=2, effect=lambda _m, _v: bytes(range(12)))
    main = Function(
        "main",
        (
            (call("middle", sure=True, invoke=True, targets=(1,)),),
            (Op("BR", targets=(3,)),),
            (pad, Op("STORE", a=0, b=GLOB, x=8), Op("BR", targets=(3,))),
            (Op("LOAD", 2, GLOB, x=8), Op("RET")),
        ),
        4, lands=True, landings=(2,),
    )  # fmt: skip
    m, made = build(main, middle, raises=raises)
    m.run("main")
    replay = Replay.open(made.program, stream(m.log), tmp_path)
    assert replay.meta.status == Status.OK
    check_everything(m, made, replay)
    assert [a.unwound for a in m.activations] == [False, True]
    # the landing pad is controlled by the throw
    assert replay.column("control.u32").tolist()[2] == 2


def test_longjmp_returns_from_setjmp_again(tmp_path: Path) -> None:
    jump = Function("jump", ((call("longjmp"), Op("UNREACHABLE")),), 1)
    main = Function(
        "main",
        (
            (Op("CALL", 0, Address("setjmp"), x=4, twice=0),
             Op("ICMP", 1, 0, K((0,)), bits=32), Op("CBR", a=1, targets=(1, 2))),
            (call("jump", sure=True), Op("RET")),
            (Op("RET", a=0, x=1),),
        ),
        2, lands=True, setjmps=((0, 0),),
    )  # fmt: skip
    m, made = build(main, jump, setjmp=nothing, longjmp=nothing)
    back = struct.pack("<BQH", 2, 0x7000, 0)
    log = entry(m, "main") + struct.pack("<Q", 0x7000) + back + struct.pack("<I", 0) + b"\1"
    log += entry(m, "jump") + back + struct.pack("<I", 7) + b"\2"
    replay = opened(made, log, tmp_path)
    assert (replay.meta.status, replay.meta.mismatch_count) == (Status.OK, 0)
    window = replay.window(1, replay.meta.steps + 1)
    assert window.value.tolist() == [0, 1, 1, 0, 0, 0, 0, 7]
    # 1 setjmp, 2-3 test, 4 call jump, 5 call longjmp, 6-7 test again, 8 ret
    assert replay.column("control.u32").tolist() == [0, 0, 3, 4, 5, 7]
    assert replay.column("activations")["flags"].tolist() == [0, 0, 1 | 2]


def test_the_log_wins_over_the_computed_condition(tmp_path: Path) -> None:
    main = Function(
        "main", ((Op("CBR", a=K((1,)), targets=(1, 2)),), (Op("RET"),), (Op("RET"),)), 1
    )
    m, made = build(main)
    replay = opened(made, entry(m, "main") + b"\2", tmp_path)
    assert replay.meta.status == Status.OK
    assert replay.meta.mismatches == (Mismatch(1, logged=2, computed=1),)
    assert replay.column("stretch.u32").tolist() == [0, 2]


def test_a_checked_value_that_differs_is_a_mismatch(tmp_path: Path) -> None:
    add = Op("ADD", 0, K((2,)), K((3,)), bits=16, checked=True)
    m, made = build(Function("main", ((add, Op("RET")),), 1))
    replay = opened(made, entry(m, "main") + struct.pack("<H", 6), tmp_path)
    assert replay.meta.mismatches == (Mismatch(1, logged=6, computed=5),)


def crashing(op: Op) -> tuple[Machine, Assembled]:
    ops = (Op("MOVE", 0, K((7,)), x=1), op, Op("MOVE", 0, K((8,)), x=1), Op("RET"))
    return build(Function("main", (ops,), 2))


def test_a_store_that_crashed_did_not_happen(tmp_path: Path) -> None:
    m, made = crashing(Op("STORE", a=0, b=K((0x10,)), x=8))
    replay = opened(made, entry(m, "main"), tmp_path, crash=0x14)
    assert (replay.meta.status, replay.meta.steps) == (Status.CUT, 1)
    assert (replay.meta.stop_op, replay.meta.stop_address) == (1, 0x10)


def test_a_division_that_crashed_did_not_happen(tmp_path: Path) -> None:
    m, made = crashing(Op("SDIV", 1, 0, K((0,)), bits=32))
    replay = opened(made, entry(m, "main"), tmp_path, crash=0x14)
    assert (replay.meta.status, replay.meta.steps, replay.meta.stop_op) == (Status.CUT, 1, 1)


def test_a_load_that_crashed_has_its_address(tmp_path: Path) -> None:
    m, made = crashing(Op("LOAD", 1, K((0x18,)), x=4))
    replay = opened(made, entry(m, "main"), tmp_path)
    assert (replay.meta.status, replay.meta.steps) == (Status.CUT, 1)
    assert (replay.meta.stop_op, replay.meta.stop_address) == (1, 0x18)


def test_a_program_that_exits_ends_in_its_call(tmp_path: Path) -> None:
    m, made = build(Function("main", ((call("exit"), Op("UNREACHABLE")),), 1), exit=nothing)
    log = entry(m, "main") + struct.pack("<BBi", 3, 9, 3)
    replay = opened(made, log, tmp_path)
    assert (replay.meta.status, replay.meta.steps) == (Status.OK, 1)
    effect = replay.column("effects")[0]
    assert (effect["step"], effect["kind"], effect["arg"]) == (1, 9, 3)


def test_variable_arguments_come_from_the_call(tmp_path: Path) -> None:
    """Even if another external call comes between: the bytes behind the va_list are the call's."""
    area = 0x20000000
    body = (
        Op("VASTART", a=GLOB, x=24), call("puts"),
        Op("LOAD", 0, Address("glob", 16), x=8), Op("LOAD", 1, 0, x=4),
        Op("LOAD", 2, K((0x30000000,)), x=4), Op("RET"),
    )  # fmt: skip
    printer = Function("printer", (body,), 4, variadic=True)
    main = Function("main", ((call("printer", (K((5,)), 1, 0), sure=True), Op("RET")),), 1)
    m, made = build(main, printer, puts=nothing)
    log = entry(m, "main") + entry(m, "printer") + b"\1" + struct.pack("<QII", area, 5, 6)
    replay = opened(made, log, tmp_path)
    assert replay.meta.status == Status.OK
    # steps: 1 call, 2 va_start, 3 puts, 4 the pointer, 5 the argument, 6 something else
    assert replay.column("links.u32").tolist() == [2, 1, 3]


def test_input_output_and_sources_are_effects(tmp_path: Path) -> None:
    ops = (call("read"), call("write"), Op("RET"))
    m, made = build(Function("main", (ops,), 1), read=nothing, write=nothing)
    source = struct.pack("<BBIBH", 3, 8, 9, 2, 5) + b"stdin"
    log = source + entry(m, "main")
    log += struct.pack("<BBIQQQ", 3, 4, 9, 100, 4, 0x5000) + b"\1"
    log += struct.pack("<BBIQQQiI", 3, 5, 1, 0, 6, 0x4FFF, -1, 6) + b"abcdef" + b"\1"
    replay = opened(made, log, tmp_path)
    assert replay.meta.status == Status.OK, replay.meta.message
    announced, got, put = replay.column("effects")
    data = bytes(4096) + log
    name = int(announced["offset"])
    assert data[name : name + int(announced["len"])] == b"stdin"
    assert data[int(put["addr2"]) :][:6] == b"abcdef"
    assert (got["step"], got["source"], got["offset"], got["addr"]) == (1, 9, 100, 0x5000)
    runs = replay.column("runs")[put["first_run"] : put["first_run"] + put["n_runs"]]
    assert runs.tolist() == [(0, 1, 1), (1, 4, 1), (5, 1, 1)] or runs.tolist() == [(0, 6, 1)]


def test_gigabytes_take_no_memory(tmp_path: Path) -> None:
    big = 0xF0000000
    ops = (
        Op("FILL", a=K((0x100000001,)), b=K((7,)), c=K((big,))),
        Op("LOAD", 0, K((0x100000001 + big - 8,)), x=8), Op("RET"),
    )  # fmt: skip
    m, made = build(Function("main", (ops,), 1))
    log = entry(m, "main") + bytes([7] * 8)
    replay = Replay.open(made.program, stream(bytes(4096) + log), tmp_path, memory=1 << 20)
    assert (replay.meta.status, replay.column("links.u32").tolist()) == (Status.OK, [1])


@pytest.mark.parametrize("size", [2, 4, 8])
@pytest.mark.parametrize("odd", range(8))
def test_a_value_defined_by_two_writes_has_both(size: int, odd: int, tmp_path: Path) -> None:
    """Byte `odd` is written after the rest, in memory and in a local variable."""
    odd %= size
    ops = (
        Op("STORE", a=K((0,)), b=GLOB, x=size), Op("STORE", a=K((0,)), b=Address("glob", odd), x=1),
        Op("LOAD", 0, GLOB, x=size),
        Op("LSTORE", a=K((0,)), x=size), Op("LSTORE", a=K((0,)), x=1, number=odd),
        Op("LLOAD", 0, x=size), Op("RET"),
    )  # fmt: skip
    m, made = build(Function("main", (ops,), 1, 8))
    m.run("main")
    replay = Replay.open(made.program, stream(m.log), tmp_path)
    check_everything(m, made, replay)
    assert len(replay.column("mixed.u32")) == 2


def test_a_write_of_another_thread_is_not_blamed_on_an_earlier_call(tmp_path: Path) -> None:
    ops = (call("puts"), Op("STORE", a=K((1,)), b=GLOB, x=4), Op("LOAD", 0, GLOB, x=4), Op("RET"))
    m, made = build(Function("main", (ops,), 1), puts=nothing)
    replay = opened(made, entry(m, "main") + b"\1" + struct.pack("<I", 0x01010102), tmp_path)
    assert replay.column("links.u32").tolist() == [0]


@pytest.mark.parametrize("by", [-5000, -20, -1, 1, 20, 5000])
def test_an_overlapping_copy_moves_the_old_contents(by: int, tmp_path: Path) -> None:
    size, start = 10_000, 0x10001234
    fill = (Op("STORE", a=K((i,)), b=K((start + 8 * i,)), x=8) for i in range(size // 8))
    copy = Op("COPY", a=K((start + by,)), b=K((start,)), c=K((size,)))
    load = (Op("LOAD", 0, K((start + by + 8 * i,)), x=8) for i in range(size // 8))
    m, made = build(Function("main", ((*fill, copy, *load, Op("RET")),), 1))
    log = entry(m, "main") + b"".join(i.to_bytes(8, "little") for i in range(size // 8))
    replay = opened(made, log, tmp_path)
    assert set(replay.column("links.u32").tolist()) == {size // 8 + 1}


def loop() -> tuple[Machine, Assembled, bytes]:
    """Return a loop that runs as long as the log says: three million steps."""
    blocks = ((Op("BR", targets=(1,)),), (Op("CBR", a=K((1,)), targets=(1, 2)),), (Op("RET"),))
    m, made = build(Function("main", blocks, 1))
    return m, made, entry(m, "main") + bytes([1]) * 3_000_000


def test_progress_is_reported_and_can_cancel(tmp_path: Path) -> None:
    _, made, log = loop()
    seen: list[tuple[int, int]] = []

    def progress(steps: int, used: int) -> bool:
        seen.append((steps, used))
        return len(seen) < 2

    replay = Replay.open(made.program, stream(bytes(4096) + log), tmp_path, progress)
    assert (replay.meta.status, replay.meta.message) == (Status.STOPPED, "cancelled")
    assert len(seen) == 2
    assert replay.meta.steps == seen[-1][0]


def test_an_exception_of_progress_is_raised(tmp_path: Path) -> None:
    _, made, log = loop()

    def progress(_steps: int, _used: int) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Replay.open(made.program, stream(bytes(4096) + log), tmp_path, progress)


def test_an_endless_loop_that_logs_nothing_is_damage(tmp_path: Path) -> None:
    m, made = build(Function("main", ((Op("BR", targets=(1,)),), (Op("BR", targets=(1,)),)), 1))
    made.program.blocks["flags"] = 0  # the checked tables exclude this
    replay = opened(made, entry(m, "main"), tmp_path)
    assert replay.meta.status == Status.DAMAGED
    assert "too many ops" in replay.meta.message


def test_recursion_as_deep_as_the_log_says(tmp_path: Path) -> None:
    m, made = build(Function("main", ((call("main", sure=True), Op("RET")),), 3, 100))
    replay = opened(made, entry(m, "main") * 20_000, tmp_path)
    assert (replay.meta.status, replay.meta.activations) == (Status.CUT, 20_001)
    assert replay.column("activations")["depth"].tolist() == list(range(20_001))


def test_wrong_tables_are_refused(tmp_path: Path) -> None:
    m, made = build(Function("main", ((Op("MOVE", 9, K((1,)), x=1), Op("RET")),), 1))
    with pytest.raises(ValueError, match="slot of the result"):
        opened(made, entry(m, "main"), tmp_path)


def test_functions_with_the_same_number_are_refused() -> None:
    f = Function("f", ((Op("RET"),),), 1)
    m = Machine([f], {}, {"f": 1}, {"f": 5})
    with pytest.raises(ValueError, match="same fid"):
        assemble(m, [["f"], ["f"]])


def test_a_file_that_is_not_a_log_is_refused(tmp_path: Path) -> None:
    _, made = build(Function("main", ((Op("RET"),),), 1))
    with pytest.raises(UserError) as error:
        Replay.open(made.program, b"hello", tmp_path)
    assert error.value.slug == "not-a-recording"


def test_outside_code_enters_functions_several_times(tmp_path: Path) -> None:
    m, made = build(Function("main", ((Op("RET"),),), 1))
    for _ in range(3):
        m.run("main")
    replay = Replay.open(made.program, stream(m.log), tmp_path)
    check_activations(m, made, replay)
