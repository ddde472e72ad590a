"""Random small programs for the machine: every op, every width, loops, calls, memory."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from tests.frontend.replay.arithmetic import mask
from tests.frontend.replay.machine import Address, External, Function, K, Machine, Op, Operand

GLOBAL = 0x10000FF0  # a page ends 16 bytes after it
SIZE = 40
WIDTHS = (1, 7, 8, 16, 32, 33, 64)
EACH = 3  # number of slots of every width
WIDE = len(WIDTHS) * EACH  # first of the two-slot values, of which there are 2
N_SLOTS = WIDE + 4
LOCAL = 24

BINARY = (
    "ADD", "SUB", "MUL", "UDIV", "SDIV", "UREM", "SREM", "SHL", "LSHR", "ASHR", "AND", "OR", "XOR",
    "SMAX", "SMIN", "UMAX", "UMIN",
)  # fmt: skip
FBINARY = ("FADD", "FSUB", "FMUL", "FDIV", "FREM", "COPYSIGN")
FUNARY = ("FNEG", "FABS", "SQRT", "FLOOR", "CEIL", "TRUNCF", "RINT")
MEMORY = (
    "LOAD", "LOAD", "STORE", "STORE", "LLOAD", "LSTORE", "LFILL", "LCOPY", "LCOPYOUT", "COPY",
    "FILL", "RMW",
)  # fmt: skip
LAYOUT = ((0, 1), (8, 4))  # struct { char; int at 8; }


@dataclass
class Writer:
    """Writes the ops of one function."""

    r: random.Random
    checked: bool
    callees: list[Function]
    ops: list[Op] = field(default_factory=list)

    def slot(self, bits: int) -> int:
        return WIDTHS.index(bits) * EACH + self.r.randrange(EACH)

    def bits(self) -> int:
        return self.r.choice(WIDTHS)

    def value(self, bits: int) -> Operand:
        if self.r.random() < 0.25:
            edges = (0, 1, -1, 1 << bits - 1, (1 << bits - 1) - 1, self.r.getrandbits(64))
            return K((mask(self.r.choice(edges), bits),))
        return self.slot(bits)

    def pair(self) -> int:
        return WIDE + 2 * self.r.randrange(2)

    def address(self, size: int) -> Operand:
        return Address("glob", self.r.randrange(SIZE - size))

    def add(self, op: Op) -> None:
        several = op.name in ("MOVE", "SELECT", "EXTRACT", "INSERT") and op.x != 1
        pure = (
            op.dst is not None and not several and op.name not in ("LOAD", "RMW", "OPAQUE", "CALL")
        )
        wide = op.name == "LLOAD" and (op.x > 8 or op.layout)
        self.ops.append(replace(op, checked=self.checked and pure and not wide))

    def integer(self) -> None:
        bits, r = self.bits(), self.r
        dst, a, b = self.slot(bits), self.value(bits), self.value(bits)
        kind = r.randrange(9)
        if kind < 3:
            name = r.choice(BINARY)
            if name[1:] in ("DIV", "REM") and r.random() < 0.95:  # most should not trap
                b = K((r.randrange(1, max(2, (1 << bits) - 1)),))
            self.add(Op(name, dst, a, b, bits=bits))
        elif kind == 3:
            self.add(Op("ICMP", self.slot(1), a, b, bits=bits, number=r.randrange(10)))
        elif kind == 4:
            to = r.choice([w for w in WIDTHS if w <= bits])
            self.add(Op("TRUNC", self.slot(to), a, bits=to))
        elif kind == 5:
            source = r.choice([w for w in WIDTHS if w <= bits])
            self.add(Op("SEXT", dst, self.value(source), bits=bits, number=source))
        elif kind == 6:
            names = ["ABS", "CTPOP", "CTLZ", "CTTZ", "BITREVERSE", "MOVE"]
            name = r.choice([*names, *(["BSWAP"] if bits in (16, 32, 64) else [])])
            self.add(Op(name, dst, a, bits=bits, x=1))
        elif kind == 7:
            self.add(Op(r.choice(["FSHL", "FSHR"]), dst, a, b, self.value(bits), bits=bits))
        elif bits in (8, 64):
            self.add(Op("OVERFLOW", self.pair(), a, b, bits=bits, number=r.randrange(6)))

    def floating(self) -> None:
        r, bits = self.r, self.r.choice((32, 64))
        dst, a, b = self.slot(bits), self.value(bits), self.value(bits)
        kind = r.randrange(6)
        if kind == 0:
            self.add(Op(r.choice(FBINARY), dst, a, b, bits=bits))
        elif kind == 1:
            self.add(Op(r.choice(FUNARY), dst, a, bits=bits))
        elif kind == 2:
            self.add(Op("FCMP", self.slot(1), a, b, bits=bits, number=r.randrange(16)))
        elif kind == 3:
            to = self.bits()
            self.add(Op(r.choice(["FPTOUI", "FPTOSI"]), self.slot(to), a, bits=to, number=bits))
        elif kind == 4:
            source = self.bits()
            name = r.choice(["UITOFP", "SITOFP"])
            self.add(Op(name, dst, self.value(source), bits=bits, number=source))
        elif r.random() < 0.5:
            self.add(Op("FPTRUNC", self.slot(32), self.value(64), bits=32))
        else:
            self.add(Op("FPEXT", self.slot(64), self.value(32), bits=64))

    def memory(self) -> None:
        r = self.r
        width = r.choice((8, 16, 32, 64, 128, 0))
        layout = LAYOUT if width == 0 else ()
        size = width // 8 or 12
        dst = self.slot(width) if width in WIDTHS else self.pair()
        a: Operand = self.value(width) if width in WIDTHS else self.pair()
        local = r.randrange(LOCAL - size + 1)
        name = r.choice(MEMORY)
        if name == "LOAD":
            self.add(Op("LOAD", dst, self.address(size), x=size, layout=layout))
        elif name == "STORE":
            self.add(Op("STORE", a=a, b=self.address(size), x=size, layout=layout))
        elif name == "LLOAD":
            self.add(Op("LLOAD", dst, x=size, number=local, layout=layout))
        elif name == "LSTORE":
            self.add(Op("LSTORE", a=a, x=size, number=local, layout=layout))
        elif name == "LFILL":
            self.add(Op("LFILL", a=self.value(8), x=size, number=local))
        elif name == "LCOPY":
            self.add(Op("LCOPY", x=size, number=local, number2=r.randrange(LOCAL - size + 1)))
        elif name == "LCOPYOUT":
            self.add(Op("LCOPYOUT", a=self.address(size), x=size, number=local))
        elif name in ("COPY", "FILL"):
            length = K((r.randrange(20),))
            b = self.address(20) if name == "COPY" else self.value(8)
            self.add(Op(name, a=self.address(20), b=b, c=length))
        elif r.random() < 0.5:
            self.add(
                Op("RMW", self.slot(32), self.address(4), x=4, items=((self.value(32), 1, 0),))
            )
        else:
            items = ((self.value(64), 1, 0), (self.value(64), 1, 0))
            self.add(Op("RMW", self.pair(), self.address(8), x=8, cases=(1,), items=items))

    def moving(self) -> None:
        r = self.r
        kind = r.randrange(7)
        if kind == 0:
            items = tuple(
                (self.value(b), b, r.choice((1, 4, -3))) for b in r.sample((8, 32, 64), 2)
            )
            items = items[: r.randrange(3)]
            self.add(
                Op("GEP", self.slot(64), self.value(64), number=r.randrange(-9, 9), items=items)
            )
        elif kind == 1:
            self.add(Op("GEPC", self.slot(64), self.value(64), number=r.randrange(-9, 9)))
        elif kind == 2:
            bits = self.bits()
            a, b, c = self.value(1), self.value(bits), self.value(bits)
            self.add(Op("SELECT", self.slot(bits), a, b, c, x=1, bits=bits))
        elif kind == 3:
            wide = K((r.getrandbits(64), r.getrandbits(64)))
            self.add(Op("SELECT", self.pair(), self.value(1), self.pair(), wide, x=2))
        elif kind == 4:
            self.add(Op("EXTRACT", self.slot(64), self.pair(), x=1, number=r.randrange(2)))
        elif kind == 5:
            self.add(Op("INSERT", self.pair(), self.pair(), self.value(64), x=2, bits=1,
                        number=r.randrange(2)))  # fmt: skip
        elif r.random() < 0.3:  # another thread writes to memory
            at, data = GLOBAL + r.randrange(SIZE - 4), r.randbytes(4)

            def write(m: Machine, _v: list[int]) -> bytes:
                m.write(at, data)
                return b"\0"

            self.add(Op("OPAQUE", self.slot(8), bits=1, effect=write))
        else:
            value = r.randbytes(16)
            self.add(Op("OPAQUE", self.pair(), bits=16, slots=2, items=((self.pair(), 2, 0),),
                        effect=lambda _m, _v: value))  # fmt: skip

    def call(self) -> None:
        r = self.r
        if self.callees and r.random() < 0.6:
            f = r.choice(self.callees)
            sure = not f.logs_params or r.random() < 0.5
            items = tuple(
                (self.address(byval), 1, byval) if byval else (self.value(8 * size), 1, 0)
                for _, size, _, byval in f.params
            )  # fmt: skip
            dst = self.slot(32) if r.random() < 0.7 else None
            self.add(Op("CALL", dst, Address(f.name), x=4, items=items, sure=sure))
            return
        name = r.choice(
            ["touch", "silent", "pair", "allocate"] + (["again"] if self.callees else [])
        )
        items = ((self.value(64), 1, 0), (self.value(8), 1, 0))
        if name == "pair":
            self.add(Op("CALL", self.pair(), Address(name), x=5, slots=2, layout=((0, 1), (4, 4)),
                        items=items))  # fmt: skip
        else:
            self.add(Op("CALL", self.slot(64), Address(name), x=8, items=items))

    def some(self, n: int) -> None:
        for _ in range(n):
            kinds = [self.integer, self.floating, self.moving, *[self.memory] * 4]
            self.r.choice(kinds)()
            if self.r.random() < 0.12:
                self.call()

    def take(self) -> tuple[Op, ...]:
        ops, self.ops = tuple(self.ops), []
        return ops


def function(r: random.Random, name: str, callees: list[Function], *, checked: bool) -> Function:
    w = Writer(r, checked, callees)
    n = r.randrange(2, 7)
    wide = r.random() < 0.3
    params: tuple[tuple[int, int, int, int], ...] = ()
    if name != "main":
        params = ((0 + EACH * WIDTHS.index(32), 4, 1, 0), (EACH * WIDTHS.index(8), 1, 1, 0))
        if r.random() < 0.4:
            params += ((EACH * WIDTHS.index(64), 8, 1, r.randrange(1, 17)),)
    taken = {slot for slot, _, _, _ in params}
    blocks = []
    for slot in range(N_SLOTS):  # every slot has a value from the start
        if slot not in taken:
            bits = WIDTHS[slot // EACH] if slot < WIDE else 64
            w.add(Op("MOVE", slot, K((r.getrandbits(bits),)), x=1, bits=bits))
    w.add(Op("LALLOCA", x=LOCAL, number=0))
    for number in range(n):
        w.some(r.randrange(6))
        if number == n - 1:
            a = w.slot(32)
            w.add(Op("RET", a=a, x=1) if r.random() < 0.8 else Op("RET"))
        else:  # one target lies ahead, so that every block can reach the end
            ahead, any_ = r.randrange(number + 1, n), r.randrange(1, n)
            kind = r.randrange(5)
            if kind == 0:
                w.add(Op("BR", targets=(ahead,)))
            elif kind < 3:
                w.add(Op("CBR", a=w.value(1), targets=tuple(r.sample((ahead, any_), 2))))
            elif kind == 3:
                targets = (any_, ahead, r.randrange(1, n))
                w.add(
                    Op(
                        "SWITCH",
                        a=w.value(7),
                        cases=tuple(r.sample(range(128), 2)),
                        targets=targets,
                    )
                )
            else:
                w.add(Op("INDIRECTBR", a=w.value(8), targets=(any_, ahead)))
        blocks.append(w.take())
    f = Function(
        name, tuple(blocks), N_SLOTS, LOCAL, params, r.random() < 0.6, r.random() < 0.2, wide
    )
    return _with_phis(r, w, f)


def _with_phis(r: random.Random, w: Writer, f: Function) -> Function:
    """Let some blocks begin with phis, which may swap values."""
    blocks = list(f.blocks)
    for number in range(1, len(blocks)):
        before = [p for p, block in enumerate(f.blocks) if number in block[-1].targets]
        if not before or r.random() < 0.6:
            continue
        for bits in r.sample(WIDTHS, r.randrange(1, 3)):
            items = tuple((w.value(bits), 0, p) for p in before)
            w.add(Op("PHI", w.slot(bits), items=items, bits=bits))
        if r.random() < 0.3:
            w.add(Op("PHI", w.pair(), items=tuple((w.pair(), 0, p) for p in before), slots=2))
            w.ops[-1] = replace(w.ops[-1], checked=False)
        blocks[number] = w.take() + blocks[number]
    return replace(f, blocks=tuple(blocks))


def externals(r: random.Random, callbacks: list[Function]) -> dict[str, External]:
    def place(size: int) -> int:
        return GLOBAL + r.randrange(SIZE - size)

    def touch(m: Machine, _given: list[int]) -> bytes:  # a modelled function
        for _ in range(r.randrange(4)):
            kind = r.randrange(3)
            if kind == 0:
                m.effect_read(place(16), r.randrange(16))
            elif kind == 1:
                m.effect_write(place(8), r.randbytes(r.randrange(8)))
            else:
                m.effect_copy(place(16), place(16), r.randrange(16))
        return r.randbytes(8)

    def silent(m: Machine, _: list[int]) -> bytes:  # a function without a model
        m.write(place(8), r.randbytes(8))
        return r.randbytes(8)

    def pair(_m: Machine, _: list[int]) -> bytes:
        return r.randbytes(5)

    def allocate(m: Machine, _: list[int]) -> bytes:
        m.effect_alloc(place(16), 16)
        return r.randbytes(8)

    def again(m: Machine, given: list[int]) -> bytes:  # calls back
        arguments = [given[0] & 0xFFFFFFFF, given[1] & 255]
        f = r.choice(callbacks)
        if f.logs_params and len(f.params) == 2:
            m.callback(f.name, arguments)
            m.effect_write(place(4), r.randbytes(4))
        return r.randbytes(8)

    return {"touch": touch, "silent": silent, "pair": pair, "allocate": allocate, "again": again}


def machine(seed: int, *, checked: bool = False, fuel: int = 600) -> Machine:
    """Return a machine with a random program and memory, not yet run; `main` is to be run."""
    r = random.Random(seed)
    functions: list[Function] = []
    for name in ("h", "g", "f", "main"):  # each calls those before it
        functions.append(function(r, name, functions[:], checked=checked))
    outside = externals(r, functions[:-1])
    names = [f.name for f in functions] + list(outside)
    symbols = {name: 0x400000 + 0x1000 * i for i, name in enumerate(names)} | {"glob": GLOBAL}
    memory = {GLOBAL + i: r.getrandbits(8) for i in range(r.choice((0, SIZE // 2, SIZE)))}
    fids = {f.name: r.getrandbits(48) for f in functions}
    return Machine(functions, outside, symbols, fids, memory, fuel)
