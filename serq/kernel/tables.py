"""From the IR to flat tables: expressions, statements and schedules as code, pools and stages as rows of numbers.

This is the only room of the kernel that reads the IR. Its result, `Tables`, holds lists of ints and floats; the
simulation copies them into arrays and looks at nothing else.

Expressions become instructions over one register file: registers 0 to 31 hold context values (`codes.NOW` and so on),
then come the constants, then temporaries, which no two expressions share, so that reading one inside another is safe.
A nested block of statements is laid in line, with jumps; the code of a leg stands behind that of the session.
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from serq.diagnostics import Diagnostic, SerqError
from serq.ir import nodes as ir
from serq.kernel import codes as c

_CONTEXT = {
    "Now": (c.NOW, c.READS_NOW),
    "Size": (c.SIZE, 0),
    "Age": (c.AGE, 0),
    "Last": (c.LAST, 0),
    "Queued": (c.QUEUED, 0),
    "Waited": (c.WAITED, c.READS_WAITED),
    "N": (c.PRESENT, c.READS_ENGINE),
    "Ntok": (c.NTOK, c.READS_ENGINE),
    "Ndec": (c.NDEC, c.READS_ENGINE),
    "Npre": (c.NPRE, c.READS_ENGINE),
    "Nres": (c.NRES, c.READS_ENGINE),
    "Kvb": (c.KVB, c.READS_ENGINE),
    "Kvp": (c.KVP, c.READS_ENGINE),
    "Attn": (c.ATTN, c.READS_ENGINE),
    "Decoding": (c.DECODING, c.READS_JOB),
    "Admission": (c.ADMISSION, c.READS_ORDER),
    "Position": (c.POSITION, c.READS_JOB),
    "Remaining": (c.REMAINING, c.READS_JOB),
    "Preempted": (c.PREEMPTED, c.READS_ENGINE),
    "Admitted": (c.ADMITTED, c.READS_ENGINE),
    "Demand": (c.DEMAND, c.READS_ENGINE),
    "Served": (c.SERVED, c.READS_ENGINE),
    "Arrived": (c.ARRIVED, c.READS_ENGINE),
}

_BINARY = {
    "Add": c.X_ADD,
    "Sub": c.X_SUB,
    "Mul": c.X_MUL,
    "Div": c.X_DIV,
    "Pow": c.X_POW,
    "Lt": c.X_LT,
    "Le": c.X_LE,
    "Gt": c.X_GT,
    "Ge": c.X_GE,
    "Eq": c.X_EQ,
    "Ne": c.X_NE,
}

_DRAW = {
    "Exp": c.X_DRAW_EXP,
    "Uniform": c.X_DRAW_UNIFORM,
    "Erlang": c.X_DRAW_ERLANG,
    "H2": c.X_DRAW_H2,
    "Bernoulli": c.X_DRAW_BERNOULLI,
}

_NUMERIC = {
    "Min": c.X_MIN,
    "Max": c.X_MAX,
    "Abs": c.X_ABS,
    "Floor": c.X_FLOOR,
    "Ceil": c.X_CEIL,
    "Sqrt": c.X_SQRT,
    "Exp": c.X_EXP,
    "Ln": c.X_LN,
}

_STATE = {
    "Used": (c.X_USED, c.READS_POOL),
    "Free": (c.X_FREE, c.READS_POOL),
    "CachedIn": (c.X_CACHED_IN, c.READS_CACHED),
    "Holders": (c.X_HOLDERS, c.READS_POOL),
    "Queued": (c.X_QUEUED, c.READS_QUEUED),
    "Allocated": (c.X_ALLOCATED, c.READS_POOL),
    "Queue": (c.X_QUEUE, c.READS_STAGE),
    "Busy": (c.X_BUSY, c.READS_STAGE),
    "Work": (c.X_WORK, c.READS_STAGE),
    "BudgetLeft": (c.X_BUDGET_LEFT, c.READS_BUDGET),
    "EstLambda": (c.X_EST_LAMBDA, c.READS_STAGE),
    "EstRho": (c.X_EST_RHO, c.READS_STAGE),
    "EstWait": (c.X_EST_WAIT, c.READS_STAGE),
    "Price": (c.X_PRICE, c.READS_STAGE),
}

_AGGREGATES = ("Total", "Count", "Largest", "Smallest", "PrefixTotal")

LIVE = c.READS_NOW | c.READS_POOL | c.READS_CACHED | c.READS_STAGE | c.READS_BUDGET | c.READS_QUEUED | c.READS_WAITED
"""Reads that make an amount depend on the state: such an amount is never a reason to reject a hold."""

_DECODE_FIRST = (ir.Cond(ir.Ctx("Decoding"), ir.Num(0.0), ir.Num(1.0)),)
_NOTHING_PREEMPTED = ir.Binary("Eq", ir.Ctx("Preempted"), ir.Num(0.0))

MAX_NESTING = 200
"""Blocks within blocks, beyond which a program is refused; the compiler of these tables descends into each."""


class Tables:
    """All of a program in lists; `x` is an expression's number, -1 for none.

    Attributes:
        code: expression instructions, five numbers each.
        registers: initial register file.
        x_start, x_result, x_reads: per expression its first instruction, the register of its value, what it reads.
        statements: statement instructions, eight numbers each; `start` is where a new session begins.
        holds: eleven numbers a hold, see `_hold`; `held` five a pool of a hold; `segments` three a prefix segment.
        runs: fifteen numbers a run, see `_run`.
        chooses: (slot, count x, first key, number of keys); `keys` lists expression numbers.
        pools: nineteen numbers a pool, see `_pool`; pool_cap, pool_block (0: none) beside it.
        stages: twelve numbers a stage, see `_stage`; stage_granule (0: none) beside it.
        stage_flow, stage_bandwidth: 1 for a stage whose flows share max-min, 2 by bottleneck, 0 for others; capacity.
        register_first, register_count: per stage, its engine's registers.
        schedule: schedule instructions, four numbers each.
        stalls: (label, x) of each engine's stalls, from `stall_first` of its stage on; stall_marks: a number for each
            label, from its name alone; stalled: whether a stage has stalls, or requests that stall it.
    """

    def __init__(self) -> None:
        self.code: list[int] = []
        self.registers: list[float] = [0.0] * c.N_CONTEXT
        self.x_start: list[int] = []
        self.x_result: list[int] = []
        self.x_reads: list[int] = []
        self.statements: list[int] = []
        self.holds: list[int] = []
        self.held: list[int] = []
        self.segments: list[int] = []
        self.runs: list[int] = []
        self.also: list[int] = []
        self.chooses: list[int] = []
        self.keys: list[int] = []
        self.pools: list[int] = []
        self.pool_cap: list[float] = []
        self.pool_block: list[float] = []
        self.stages: list[int] = []
        self.stage_granule: list[float] = []
        self.stage_flow: list[int] = []
        self.stage_bandwidth: list[float] = []
        self.register_first: list[int] = []
        self.register_count: list[int] = []
        self.admits: list[int] = []
        self.schedule: list[int] = []
        self.gauges: list[int] = []
        self.claims: list[int] = []
        self.engine_registers: list[float] = []
        self.start = 0
        self.init = 0
        self.turn = 0
        self.n_attrs = 0
        self.n_observes = 0
        self.arrival = 0
        self.arrival_count = 0
        self.arrival_rate = 0.0
        self.arrival_gap = -1
        self.snapshots = False
        self.has_prefix = False
        self.estimates = False
        self.n_stalls = 0
        self.stalls: list[int] = []
        self.stall_first: list[int] = []
        self.stall_marks: list[int] = []
        self.stalled: list[bool] = []


class _Value(NamedTuple):
    """Where an expression's value will be, and what reading it reads."""

    register: int
    reads: int


class _Writer:
    """Writes one program's tables."""

    def __init__(self, program: ir.Ir) -> None:
        self.program = program
        self.tables = Tables()
        self.constants: dict[str, int] = {}
        self.pending_legs: list[tuple[int, int]] = []
        self.key_spaces: dict[ir.Expr, int] = {}

    # ------------------------------------------------------------ expressions

    def _register(self, value: float = 0.0) -> int:
        self.tables.registers.append(value)
        return len(self.tables.registers) - 1

    def _constant(self, value: float) -> int:
        key = value.hex() if value == value else "nan"
        if key not in self.constants:
            self.constants[key] = self._register(value)
        return self.constants[key]

    def _emit(self, code: int, target: int = 0, a: int = 0, b: int = 0, d: int = 0) -> int:
        self.tables.code += (code, target, a, b, d)
        return len(self.tables.code) // 5 - 1

    def _here(self) -> int:
        return len(self.tables.code) // 5

    def _patch(self, instruction: int) -> None:
        self.tables.code[5 * instruction + 1] = self._here()

    def x(self, expr: ir.Expr | None) -> int:
        """Write an expression; its number, -1 for none."""
        if expr is None:
            return -1
        start = self._here()
        value = self._value(expr)
        if self._here() > start:
            self._emit(c.X_RETURN)
        else:
            start = -1
        self.tables.x_start.append(start)
        self.tables.x_result.append(value.register)
        self.tables.x_reads.append(value.reads)
        return len(self.tables.x_start) - 1

    def _value(self, expr: ir.Expr) -> _Value:
        match expr:
            case ir.Num():
                return _Value(self._constant(expr.value), 0)
            case ir.Attr():
                target = self._register()
                self._emit(c.X_ATTR, target, expr.slot)
                return _Value(target, c.READS_ATTR)
            case ir.Reg():
                target = self._register()
                self._emit(c.X_REGISTER, target, expr.index)
                return _Value(target, c.READS_REGISTER)
            case ir.Ctx():
                return _Value(*_CONTEXT[expr.name])
            case ir.Cost():
                return self._value(expr.operand)
            case ir.Unary():
                operand = self._value(expr.operand)
                target = self._register()
                self._emit(c.X_NEG if expr.op == "Neg" else c.X_NOT, target, operand.register)
                return _Value(target, operand.reads)
            case ir.Binary():
                return self._binary(expr)
            case ir.Cond():
                return self._cond(expr)
            case ir.Sample():
                return self._sample(expr)
            case ir.Call():
                return self._call(expr)
            case ir.Agg():
                target = self._register()
                self._emit(c.X_AGGREGATE, target, _AGGREGATES.index(expr.kind), expr.observe)
                return _Value(target, 0)
        raise AssertionError(expr)

    def _binary(self, expr: ir.Binary) -> _Value:
        if expr.op in ("And", "Or"):
            left = self._value(expr.left)
            target = self._register()
            self._emit(c.X_TRUTH, target, left.register)
            skip = self._emit(c.X_JUMP_UNLESS if expr.op == "And" else c.X_JUMP_IF, 0, target)
            right = self._value(expr.right)
            self._emit(c.X_TRUTH, target, right.register)
            self._patch(skip)
            return _Value(target, left.reads | right.reads)
        left = self._value(expr.left)
        right = self._value(expr.right)
        target = self._register()
        self._emit(_BINARY[expr.op], target, left.register, right.register)
        return _Value(target, left.reads | right.reads)

    def _cond(self, expr: ir.Cond) -> _Value:
        test = self._value(expr.test)
        target = self._register()
        skip = self._emit(c.X_JUMP_UNLESS, 0, test.register)
        then = self._value(expr.then)
        self._emit(c.X_MOVE, target, then.register)
        leave = self._emit(c.X_JUMP)
        self._patch(skip)
        otherwise = self._value(expr.otherwise)
        self._emit(c.X_MOVE, target, otherwise.register)
        self._patch(leave)
        return _Value(target, test.reads | then.reads | otherwise.reads)

    def _sample(self, expr: ir.Sample) -> _Value:
        args = [self._value(arg) for arg in expr.args]
        reads = c.READS_DRAW
        for arg in args:
            reads |= arg.reads
        if expr.law == "Det":
            return _Value(args[0].register, reads & ~c.READS_DRAW | args[0].reads)
        target = self._register()
        second = args[1].register if len(args) > 1 else 0
        self._emit(_DRAW[expr.law], target, args[0].register, second)
        return _Value(target, reads)

    def _call(self, expr: ir.Call) -> _Value:
        if expr.function in _NUMERIC:
            args = [self._value(arg) for arg in expr.args]  # type: ignore[arg-type]
            target = self._register()
            second = args[1].register if len(args) > 1 else 0
            self._emit(_NUMERIC[expr.function], target, args[0].register, second)
            reads = 0
            for arg in args:
                reads |= arg.reads
            return _Value(target, reads)
        code, reads = _STATE[expr.function]
        if code in (c.X_EST_LAMBDA, c.X_EST_RHO, c.X_EST_WAIT, c.X_PRICE):
            self.tables.estimates = True
        place = expr.args[0]
        assert isinstance(place, ir.PoolArg | ir.StageArg)
        if isinstance(place.ref.index, ir.Attr) and len(expr.args) == 1:
            target = self._register()
            self._emit(c.X_NAMED + code, target, place.ref.index.slot, place.ref.base, place.ref.count)
            return _Value(target, reads | c.READS_ATTR)
        member = self._member(place.ref)
        extra = [self._value(arg) for arg in expr.args[1:]]  # type: ignore[arg-type]
        for arg in extra:
            reads |= arg.reads
        target = self._register()
        more = [arg.register for arg in extra] + [0, 0]
        self._emit(code, target, member.register, more[0], more[1])
        return _Value(target, reads | member.reads)

    def _member(self, ref: ir.Ref) -> _Value:
        if ref.index is None:
            return _Value(self._constant(float(ref.base)), 0)
        if isinstance(ref.index, ir.Num):
            return _Value(self._constant(float(ref.base) + ref.index.value), 0)
        index = self._value(ref.index)
        target = self._register()
        self._emit(c.X_INDEX, target, index.register, ref.base, ref.count)
        return _Value(target, index.reads)

    def _ref(self, ref: ir.Ref | None) -> tuple[int, int, int]:
        """(base, count, x of the index); a constant index is folded, base -1 for none."""
        if ref is None:
            return (-1, 0, -1)
        if isinstance(ref.index, ir.Num):
            return (ref.base + int(ref.index.value), 1, -1)
        return (ref.base, ref.count, self.x(ref.index))

    def _key_list(self, keys: tuple[ir.Expr, ...]) -> tuple[int, int, int]:
        """(first position in `keys`, number, what they read together)."""
        numbers = [self.x(key) for key in keys]
        reads = 0
        for number in numbers:
            reads |= self.tables.x_reads[number]
        first = len(self.tables.keys)
        self.tables.keys += numbers
        return first, len(numbers), reads

    # ------------------------------------------------------------ statements

    def _say(self, code: int, *operands: int) -> int:
        self.tables.statements += (code, *operands, *([0] * (7 - len(operands))))
        return len(self.tables.statements) // 8 - 1

    def _next(self) -> int:
        return len(self.tables.statements) // 8

    def _aim(self, instruction: int, operand: int) -> None:
        """Let operand number `operand` of a jump point here."""
        self.tables.statements[8 * instruction + 1 + operand] = self._next()

    def _block(self, number: int, depth: int) -> None:
        if depth > MAX_NESTING:
            raise SerqError(Diagnostic("nesting", f"blocks are nested more than {MAX_NESTING} deep"))
        sides = self.program.sides[number]
        owed = False
        for statement, side in zip(self.program.blocks[number], sides, strict=True):
            if owed and side == "Workload":
                self._say(c.S_RESPONSE)
                owed = False
            self._statement(statement, depth)
            owed = owed or isinstance(statement, ir.Turn)
        if owed:
            self._say(c.S_RESPONSE)

    def _statement(self, statement: ir.Statement, depth: int) -> None:
        match statement:
            case ir.Turn():
                self._say(c.S_TURN)
            case ir.End():
                self._say(c.S_END)
            case ir.Join():
                self._say(c.S_JOIN)
            case ir.Set():
                self._say(c.S_SET, statement.slot, self.x(statement.value))
            case ir.Observe():
                self._say(c.S_OBSERVE, statement.observe, self.x(statement.value))
            case ir.Hold():
                hold = self._hold(statement)
                self._say(c.S_HOLD, hold)
                self._block(statement.body, depth + 1)
                self._say(c.S_HOLD_END, hold)
            case ir.Run():
                self._say(c.S_RUN, self._run(statement))
            case ir.Grow():
                self._say(c.S_GROW, *self._ref(statement.pool), self.x(statement.amount))
            case ir.Load():
                self._say(c.S_LOAD, *self._ref(statement.pool), self.x(statement.amount))
            case ir.Drop():
                self._say(c.S_DROP, *self._ref(statement.pool))
            case ir.Release():
                self._say(c.S_RELEASE, *self._ref(statement.pool))
            case ir.Branch():
                branch = self._say(c.S_BRANCH, self.x(statement.test))
                self._block(statement.then, depth + 1)
                leave = self._say(c.S_JUMP)
                self._aim(branch, 1)
                self._block(statement.otherwise, depth + 1)
                self._aim(leave, 0)
            case ir.While():
                branch = self._say(c.S_BRANCH, self.x(statement.test))
                self._block(statement.body, depth + 1)
                self._say(c.S_JUMP, branch)
                self._aim(branch, 1)
            case ir.Loop():
                top = self._next()
                self._block(statement.body, depth + 1)
                self._say(c.S_JUMP, top)
            case ir.Choose():
                first, count, _ = self._key_list(statement.keys)
                self._say(c.S_CHOOSE, statement.slot, self.x(statement.count), first, count)
            case ir.Stall(ref, label, value):
                self._say(c.S_STALL, *self._ref(ref), label, self.x(value))
                for stage in range(ref.base, ref.base + ref.count):
                    self.tables.stalled[stage] = True
            case ir.Fork():
                self.pending_legs.append((self._say(c.S_FORK), statement.body))

    def _hold(self, hold: ir.Hold) -> int:
        """(first held, pools, first segment, segments, reuse, cache, lease place, lease x, reads, units reads)."""
        t = self.tables
        first = len(t.held) // 7
        rows = []
        reads = 0
        for held in hold.pools:
            units, reserve = self.x(held.units), self.x(held.reserve)
            for number in (units, reserve):
                if number >= 0:
                    reads |= t.x_reads[number]
            base, count, index = self._ref(held.pool)
            if index >= 0:
                reads |= t.x_reads[index]
            fixed = [n for n in (units, reserve) if n >= 0 and not t.x_reads[n] & LIVE]
            rows.append((base, count, index, units, reserve, int(units in fixed), int(reserve in fixed)))
        for row in rows:
            t.held += row
        first_segment = len(t.segments) // 3
        for segment in hold.prefix:
            own = isinstance(segment.key, ir.Attr) and segment.key.slot == 1
            space = self.key_spaces.setdefault(segment.key, len(self.key_spaces))
            t.segments += (self.x(segment.key), self.x(segment.length), -1 if own else space)
            t.has_prefix = True
        lease_place, lease_x = -1, -1
        if hold.lease is not None:
            lease_x = self.x(hold.lease.time)
            lease_place = next((i for i, h in enumerate(hold.pools) if h.pool.base == hold.lease.pool.base), -1)
        t.holds += (
            first,
            len(rows),
            first_segment,
            len(hold.prefix),
            self.x(hold.reuse),
            self.x(hold.cache),
            lease_place,
            lease_x,
            reads,
            0,
            0,
        )
        return len(t.holds) // 11 - 1

    def _run(self, run: ir.Run) -> int:
        """(stage base, count, index x, mode, work x, growing base, count, index x, first also, also, policy)."""
        t = self.tables
        mode = {"Plain": c.PLAIN, "Prefill": c.PREFILL, "Decode": c.DECODE}[run.mode]
        first = len(t.also) // 3
        row = (*self._ref(run.stage), mode)
        also = [self._ref(ref) for ref in run.also]
        work = self.x(run.work)
        growing = self._ref(run.growing)
        for ref in also:
            t.also += ref
        t.runs += (*row, work, *growing, first, len(also), {"MaxMin": 1, "Bottleneck": 2}.get(run.share or "", 0))
        return len(t.runs) // 11 - 1

    # ------------------------------------------------------------ pools and stages

    def _pool(self, pool: ir.Pool) -> None:
        """(evict first, number, reads; kind of preemption, first, number, tail; queue first,
        number, reads; spill to, via, work, when; admitting stage; reserve held)."""
        t = self.tables
        evict = self._key_list(pool.evict or ())
        preempt = pool.preempt
        victim = self._key_list(preempt.keys if preempt else ())
        queue = self._key_list(pool.queue or ())
        spill = pool.spill
        spilling = (spill.to, spill.via, self.x(spill.work), self.x(spill.when)) if spill else (-1, -1, -1, -1)
        reads = evict[2]
        for number in spilling[2:]:
            if number >= 0:
                reads |= t.x_reads[number]
        t.snapshots = t.snapshots or bool(reads & c.READS_ATTR)
        t.pools += (
            evict[0],
            evict[1],
            _preempt_kind(preempt),
            victim[0],
            victim[1],
            int(preempt.tail) if preempt else 0,
            queue[0],
            queue[1],
            queue[2],
            *spilling,
            -1 if pool.admit_via is None else pool.admit_via,
            int(pool.reserve_held),
            victim[2],
        )
        t.pool_cap.append(pool.cap)
        t.pool_block.append(pool.block or 0.0)

    def _stage(self, number: int, stage: ir.Stage) -> None:
        """(kind, servers or capacity x or budget x, cost x, chunk x, memory pool, first schedule instruction,
        exclusive, fast shape, first admitted pool, admitted pools, whether decodes go first)."""
        t = self.tables
        kind = stage.kind
        granule = 0.0
        if isinstance(kind, ir.Fifo):
            row = (c.K_FIFO, kind.servers, -1, -1, -1, -1, 0, 0, 0, 0, 0)
        elif isinstance(kind, ir.Ps):
            delay = kind.capacity == ir.Ctx("N") and isinstance(kind.capacity, ir.Ctx)
            row = (c.K_DELAY if delay else c.K_PS, self.x(kind.capacity), -1, -1, -1, -1, 0, 0, 0, 0, 0)
        else:
            first = len(t.admits)
            t.admits += [i for i, pool in enumerate(self.program.pools) if pool.admit_via == number]
            program, fast = self._schedule(kind)
            chunk = kind.chunk
            unlimited = isinstance(chunk, ir.Num) and chunk.value == 0.0
            row = (
                c.K_ENGINE,
                self.x(kind.budget),
                self.x(kind.cost),
                -1 if unlimited else self.x(chunk),
                -1 if kind.memory is None else kind.memory,
                program,
                int(kind.serve is None),
                fast,
                first,
                len(t.admits) - first,
                int(kind.serve == _DECODE_FIRST or _first_keys(kind) == _DECODE_FIRST),
            )
            granule = kind.granule or 0.0
        t.stages += row
        t.stage_granule.append(granule)

    def _schedule(self, kind: ir.Step) -> tuple[int, int]:
        """First instruction of the schedule, and whether it serves all running requests first, then only admits."""
        start = len(self.tables.schedule) // 4
        body = kind.iteration
        if body is None:
            body = (ir.Serve(None, kind.serve or ()), ir.Admit(None, _NOTHING_PREEMPTED))
        self._schedule_body(body, 0)
        self.tables.schedule += (c.G_END, 0, 0, 0)
        head, rest = body[0], body[1:]
        fast = (
            kind.serve is not None
            and isinstance(head, ir.Serve)
            and head.only is None
            and head.by in ((), _DECODE_FIRST)
            and all(isinstance(statement, ir.Admit) for statement in rest)
        )
        return start, int(fast)

    def _schedule_body(self, body: tuple[ir.ScheduleStatement, ...], depth: int) -> None:
        if depth > MAX_NESTING:
            raise SerqError(Diagnostic("nesting", f"blocks are nested more than {MAX_NESTING} deep"))
        schedule = self.tables.schedule
        for statement in body:
            match statement:
                case ir.Serve():
                    first, count, reads = self._key_list(statement.by)
                    still = not reads & ~(c.READS_JOB | c.READS_NOW | c.READS_ORDER | c.READS_REGISTER | c.READS_ATTR)
                    schedule += (c.G_SERVE, self.x(statement.only), first, 2 * count + int(still))
                case ir.Admit():
                    schedule += (c.G_ADMIT, self.x(statement.only), self.x(statement.gate), 0)
                case ir.SetRegister():
                    schedule += (c.G_SET, statement.register, self.x(statement.value), 0)
                case ir.ScheduleBranch():
                    branch = len(schedule)
                    schedule += (c.G_BRANCH, self.x(statement.test), 0, 0)
                    self._schedule_body(statement.then, depth + 1)
                    leave = len(schedule)
                    schedule += (c.G_JUMP, 0, 0, 0)
                    schedule[branch + 2] = len(schedule) // 4
                    self._schedule_body(statement.otherwise, depth + 1)
                    schedule[leave + 1] = len(schedule) // 4

    # ------------------------------------------------------------ the program

    def write(self) -> Tables:
        program, t = self.program, self.tables
        for pool in program.pools:
            self._pool(pool)
        for number, stage in enumerate(program.stages):
            self._stage(number, stage)
        self._stalls()
        t.init = self._next()
        self._block(program.init, 0)
        self._say(c.S_BLOCK_END)
        t.turn = self._next()
        self._block(program.turn, 0)
        self._say(c.S_BLOCK_END)
        t.start = self._next()
        self._block(program.session, 0)
        self._say(c.S_END)
        while self.pending_legs:
            instruction, body = self.pending_legs.pop()
            self._aim(instruction, 0)
            self._block(body, 1)
            self._say(c.S_LEG_END)
        for gauge in program.gauges:
            t.gauges.append(self.x(gauge.value))
        for claim in program.claims:
            kind = ("EveryIteration", "SomeIteration", "AtEnd").index(claim.kind)
            t.claims += (kind, -1 if claim.stage is None else claim.stage, self.x(claim.given), self.x(claim.test))
        t.engine_registers = [register.init for register in program.registers]
        for number in range(len(program.stages)):
            own = [k for k, register in enumerate(program.registers) if register.stage == number]
            t.register_first.append(own[0] if own else 0)
            t.register_count.append(len(own))
        self._flows()
        t.n_attrs = len(program.attrs)
        t.n_observes = len(program.observes)
        self._arrivals(program.arrival)
        return t

    def _stalls(self) -> None:
        """The stalls of engines, by stage. A label's mark is its name's checksum: another stall leaves it alone."""
        program, t = self.program, self.tables
        t.n_stalls = len(program.stalls)
        t.stall_marks = [crc32(name.encode()) for name in program.stalls]
        for stage in program.stages:
            t.stall_first.append(len(t.stalls) // 2)
            clauses = stage.kind.stalls if isinstance(stage.kind, ir.Step) else ()
            for clause in clauses:
                t.stalls += (clause.label, self.x(clause.value))
            t.stalled.append(bool(clauses))
        t.stall_first.append(len(t.stalls) // 2)

    def _flows(self) -> None:
        """Mark the stages that runs over several stages name, with the policy of those runs."""
        program, t = self.program, self.tables
        t.stage_flow = [0] * len(program.stages)
        t.stage_bandwidth = [0.0] * len(program.stages)
        for block in program.blocks:
            for statement in block:
                if isinstance(statement, ir.Run) and statement.also:
                    policy = 1 if statement.share == "MaxMin" else 2
                    for ref in (statement.stage, *statement.also):
                        for number in range(ref.base, ref.base + ref.count):
                            t.stage_flow[number] = policy
                            t.stage_bandwidth[number] = _bandwidth(program.stages[number])

    def _arrivals(self, arrival: ir.Arrival) -> None:
        t = self.tables
        match arrival:
            case ir.Poisson():
                t.arrival, t.arrival_rate = 1, arrival.rate
            case ir.Renewal():
                t.arrival, t.arrival_gap = 2, self.x(arrival.gap)
            case ir.Closed():
                t.arrival, t.arrival_count = 3, arrival.count
            case ir.Batch():
                t.arrival, t.arrival_count = 4, arrival.count
            case ir.Sessions():
                t.arrival, t.arrival_count = 5, len(arrival.sessions)
            case ir.NoArrivals():
                t.arrival = 0


def _bandwidth(stage: ir.Stage) -> float:
    """Constant capacity of a stage that flows share."""
    if isinstance(stage.kind, ir.Ps) and isinstance(stage.kind.capacity, ir.Num):
        return stage.kind.capacity.value
    raise SerqError(
        Diagnostic("flow", f"stage `{stage.name}` is shared by flows, so its capacity must be a constant `ps(c)`")
    )


def _preempt_kind(preempt: ir.Preempt | None) -> int:
    """0 none, 1 by keys, 2 leases by keys, 3 the last admitted (the key `-admission`)."""
    if preempt is None:
        return 0
    if preempt.leases:
        return 2
    return 3 if preempt.keys == (ir.Unary("Neg", ir.Ctx("Admission")),) else 1


def _first_keys(kind: ir.Step) -> tuple[ir.Expr, ...]:
    """Keys of the first statement of an explicit schedule."""
    if kind.iteration and isinstance(kind.iteration[0], ir.Serve):
        return kind.iteration[0].by
    return ()


def write_tables(program: ir.Ir) -> Tables:
    """Flatten a program.

    Raises:
        SerqError: its blocks are nested too deeply.
    """
    return _Writer(program).write()
