"""Cards and ways: the statements of a session and of a request, walked with the ends that are still open.

In: the representation, its equipment, and what of it is shown. Out: cards, ways, ties and links. A statement that
stands for a step adds a row to the card that it follows, if it happens at the same place and nothing else leads
there; otherwise it begins a card. What has no place of its own (an assignment, giving back) stays in the card at hand.

A turn is a call: its server statements are drawn once, in the server's lane, however many turns send a request there.
"""

from __future__ import annotations

from typing import NamedTuple

from serq.draw.model import Card, Link, Row, Tie, Unit, Way
from serq.draw.schedule import INDENT
from serq.draw.shown import Shown
from serq.draw.simplify import constant
from serq.draw.text import Speaker, number, seconds
from serq.draw.units import Equipment, kept_by
from serq.ir import nodes as ir

CLIENT, SERVER = "client", "server"
WORDS = {"fifo": "serve", "ps": "serve", "delay": "delay", "engine": "run"}
"""What a stage does for a plain run."""


class Flow(NamedTuple):
    cards: tuple[Card, ...]
    ways: tuple[Way, ...]
    ties: tuple[Tie, ...]
    links: tuple[Link, ...]


class End(NamedTuple):
    """An open end: what comes next follows this card."""

    card: str
    kind: str
    label: str


def flow(program: ir.Ir, speaker: Speaker, equipment: Equipment, shown: Shown) -> Flow:
    """The flow of a program."""
    return Walk(program, speaker, equipment, shown).all()


class Walk:
    """The state of the walk.

    Attributes:
        open: ends of the way so far; empty after `end`.
        around: frames of devices and queues whose pools are held, the innermost last.
        heads: for each loop around, whose body has no card yet, where its first card is put.
        legs: ends of legs that no `join` has waited for.
        servers: for each server that has been drawn, its entry and whether it comes back.
    """

    def __init__(self, program: ir.Ir, speaker: Speaker, equipment: Equipment, shown: Shown) -> None:
        self.program = program
        self.speaker = speaker
        self.shown = shown
        self.equipment = equipment
        self.units = {unit.id: unit for unit in equipment.units}
        self.frames = {frame.id: frame for frame in equipment.frames}
        self.lane = CLIENT
        self.cards: dict[str, Card] = {}
        self.ways: list[Way] = []
        self.ties: dict[Tie, None] = {}
        self.links: dict[Link, None] = {}
        self.open: list[End] = []
        self.around: list[str] = []
        self.heads: list[list[str]] = []
        self.legs: list[End] = []
        self.ends: dict[str, str] = {}
        self.servers: dict[str, tuple[str, str | None]] = {}
        self.turns = 0

    def all(self) -> Flow:
        self.alone("arrivals", self.arrival())
        self.assignments(self.program.init)
        self.block(self.program.session)
        self.spills()
        return Flow(tuple(self.cards.values()), tuple(self.ways), tuple(self.ties), tuple(self.links))

    # ------------------------------------------------------------ cards

    def new(self, kind: str, title: str, frame: str | None) -> str:
        """A new card, which the open ends lead to; without a frame of its own in the one whose pools are held."""
        if frame is None and self.around:
            frame = self.around[-1]
        ident = f"{kind}_{sum(card.kind == kind for card in self.cards.values()) + 1}"
        self.cards[ident] = Card(ident, kind, self.lane, frame, title, ())
        self.lead(ident)
        for head in self.heads:
            head.append(ident)
        self.heads = []
        return ident

    def lead(self, ident: str) -> None:
        """Make a way from each open end to a card."""
        for end in self.open:
            self.way(end.card, ident, end.kind, end.label)
        self.open = []

    def way(self, tail: str, head: str, kind: str, label: str = "") -> None:
        way = Way(tail, head, kind, label)
        if way not in self.ways:
            self.ways.append(way)

    def alone(self, kind: str, title: str = "") -> str:
        """A card for a single thing; the way goes on from it."""
        ident = self.new(kind, title, None)
        self.open = [End(ident, "next", "")]
        return ident

    def step(self, row: Row, place: str | None, uses: tuple[Unit, ...] = ()) -> None:
        """A step at a frame, or at no place of its own, that uses units."""
        if place is not None and self.frames[place].lane != self.lane:
            place = None
        card = self.current(place)
        if card is None:
            ident = self.new("steps", "", place)
            card = self.cards[ident]
            self.open = [End(ident, "next", "")]
        frame = place if card.frame is None and card.kind == "steps" else card.frame
        rows = card.rows
        if rows and rows[-1].verb == row.verb == "set":
            rows, row = rows[:-1], Row("set", (*rows[-1].lines, *row.lines))
        self.cards[card.id] = card._replace(frame=frame, rows=(*rows, row))
        for unit in uses:
            self.ties[Tie(card.id, unit.id)] = None

    def current(self, place: str | None) -> Card | None:
        """The card that a step at a place may be added to."""
        if len(self.open) != 1 or self.open[0].kind != "next" or self.open[0].label or self.heads:
            return None
        card = self.cards[self.open[0].card]
        if place is not None and card.frame is None and card.rows and card.rows[0].verb == "turn":
            return None  # a turn happens nowhere but at its client
        if card.kind == "arrivals":
            return card if place is None and self.lane == CLIENT and not self.turns else None
        if card.kind != "steps" or any(way.tail == card.id and way.kind == "next" for way in self.ways):
            return None
        return card if place is None or card.frame in (None, place) else None

    # ------------------------------------------------------------ statements

    def block(self, number: int) -> None:
        """Walk a block; what serves a turn is left to `turn`."""
        statements, sides = self.program.blocks[number], self.program.sides[number]
        position = 0
        while position < len(statements):
            served = position
            if self.lane == CLIENT:
                served = position + isinstance(statements[position], ir.Turn)
                while served < len(statements) and sides[served] == "Server":
                    served += 1
            if served > position:
                first = position + isinstance(statements[position], ir.Turn)
                self.turn(number, range(first, served), isinstance(statements[position], ir.Turn))
                position = served
                continue
            if self.shown.shows(statements[position]):
                self.statement(statements[position], ("block", number, position))
            position += 1

    def statement(self, s: ir.Statement, at: tuple[str | int, ...]) -> None:
        match s:
            case ir.Set(slot, value):
                self.step(Row("set", (f"{self.program.attrs[slot]} = {self.speaker.at(value, *at, 'value')}",)), None)
            case ir.End():
                self.end()
            case ir.Join():
                self.join()
            case ir.Hold():
                self.hold(s, at)
            case ir.Run():
                self.run(s, at)
            case ir.Stall(stage, label, value):
                text = f"{self.program.stalls[label]}: {seconds(self.speaker.at(value, *at, 'value'))}"
                self.step(Row("stall", (text,)), self.equipment.stages[stage.base].frame)
            case ir.Grow(pool, amount):
                self.touch("grow", pool, f"{self.pool(pool)} by {self.speaker.at(amount, *at, 'amount')}")
            case ir.Load(pool, amount):
                self.touch("load", pool, f"{self.speaker.at(amount, *at, 'amount')} into {self.pool(pool)}")
                self.copied(pool, at)
            case ir.Drop(pool):
                self.touch("drop", pool, f"what {self.pool(pool)} caches of the session")
            case ir.Release(pool):
                self.touch("give back", pool, self.pool(pool))
            case ir.Branch():
                self.branch(s, at)
            case ir.While(test, body):
                self.loop_while(self.speaker.at(test, *at, "test"), body)
            case ir.Loop(body):
                self.loop(body)
            case ir.Choose(slot, count, keys):
                many = self.speaker.constant(count, *at, "count")
                card = self.alone("route", f"choose {self.program.attrs[slot]} of {many}")
                rows = [
                    Row("then least" if i else "least", (self.speaker.at(key, *at, "keys", i),))
                    for i, key in enumerate(keys)
                ]
                self.cards[card] = self.cards[card]._replace(rows=tuple(rows))
            case ir.Fork(body):
                self.fork(body)

    def touch(self, verb: str, pool: ir.Ref, text: str) -> None:
        self.step(Row(verb, (text,)), None, (self.equipment.pools[pool.base],) if verb in ("grow", "load") else ())

    def assignments(self, block: int) -> None:
        for i, s in enumerate(self.program.blocks[block]):
            if self.shown.shows(s):
                self.statement(s, ("block", block, i))

    # ------------------------------------------------------------ arrivals, turns, the end

    def arrival(self) -> str:
        program, say = self.program, self.speaker
        match program.arrival:
            case ir.Poisson(rate):
                text = f"Poisson, {say.value(rate, 'arrival')} a second"
            case ir.Renewal(gap):
                text = f"renewal, {say.constant(gap, 'arrival')} s apart"
            case ir.Closed(count):
                text = f"closed, {say.value(count, 'arrival')} at all times"
            case ir.Batch(count):
                text = f"{say.value(count, 'arrival')} at time 0"
            case ir.Sessions(sessions):
                text = f"{len(sessions)} given ones, at time 0"
            case ir.NoArrivals():
                text = "none arrive"
        if program.trace is not None:
            text += f"\ntrace {program.trace}, {'in order' if program.trace_ordered else 'drawn at random'}"
        return text

    def turn(self, block: int, served: range, counted: bool) -> None:
        """A turn, or server statements without one; the server answers it."""
        if counted:
            first = self.turns == 0
            self.open_turn(
                Row("turn", (self.brought() or ("a request",)) if first else ("a request to the server, as before",))
            )
            self.turns += 1
        else:
            self.step(Row("turn", ("a request",)), None)
        if not served:
            return
        card = self.open[0].card
        entry, response = self.server(block, served)
        if response is None:
            self.open = []
        if any(way.head == entry and way.kind == "request" for way in self.ways):
            return  # lines from every turn would cross the picture
        self.way(card, entry, "request")
        if response is not None:
            self.way(response, card, "response")

    def open_turn(self, row: Row) -> None:
        """Begin a card with the turn: the request leaves from its first row."""
        ident = self.new("steps", "", None)
        self.cards[ident] = self.cards[ident]._replace(rows=(row,))
        self.open = [End(ident, "next", "")]

    def brought(self) -> tuple[str, ...]:
        """What a turn brings: from the trace, and from the workload's `turn` block."""
        lines: list[str] = []
        if self.program.trace is not None:
            names = [name for slot, name in enumerate(ir.BUILT_IN_ATTRIBUTES) if slot in self.shown.slots]
            given = [name for name in names if name in ("new", "out", "think", "forced")]
            lines += [f"{', '.join(given)} from the trace"] if given else []
        for i, s in enumerate(self.program.blocks[self.program.turn]):
            if isinstance(s, ir.Set) and self.shown.shows(s):
                value = self.speaker.at(s.value, "block", self.program.turn, i, "value")
                lines.append(f"{self.program.attrs[s.slot]} = {value}")
        return tuple(lines)

    def server(self, block: int, served: range) -> tuple[str, str | None]:
        """The entry of these server statements, and their response if there is one; drawn when they are first met."""
        key = repr([self.spelled(self.program.blocks[block][i]) for i in served])
        if key not in self.servers:
            outside = (self.lane, self.open, self.heads, self.legs, self.around)
            self.lane, self.open, self.heads, self.legs, self.around = SERVER, [], [], [], []
            entry = self.alone("request")
            for i in served:
                s = self.program.blocks[block][i]
                if self.shown.shows(s):
                    self.statement(s, ("block", block, i))
            response = self.alone("response") if self.open else None
            self.lane, self.open, self.heads, legs = *outside[:3], self.legs
            self.legs, self.around = outside[3] + legs, outside[4]
            self.servers[key] = (entry, response)
        return self.servers[key]

    def spelled(self, s: ir.Statement) -> object:
        """A statement with its blocks in place of their numbers, to compare it with another."""
        match s:
            case ir.Branch(test, then, otherwise):
                return "Branch", test, self.blocks(then), self.blocks(otherwise)
            case ir.While(test, body):
                return "While", test, self.blocks(body)
            case ir.Loop(body):
                return "Loop", self.blocks(body)
            case ir.Fork(body):
                return "Fork", self.blocks(body)
            case ir.Hold(body=body):
                return s._replace(body=-1), self.blocks(body)
        return s

    def blocks(self, number: int) -> list[object]:
        return [self.spelled(s) for s in self.program.blocks[number]]

    def end(self) -> None:
        if not self.open:
            return
        if self.lane not in self.ends or self.heads:
            self.ends[self.lane] = self.new("end", "", None)
        else:
            self.lead(self.ends[self.lane])
        self.open = []

    # ------------------------------------------------------------ branches, loops, legs

    def branch(self, s: ir.Branch, at: tuple[str | int, ...]) -> None:
        if self.shown.assigns_only(s.then) and self.shown.assigns_only(s.otherwise):
            self.step(Row("set", tuple(self.conditional(s, at))), None)
            return
        known = constant(s.test)
        if known is not None:
            self.block(s.otherwise if known == 0 else s.then)
            return
        kind, title, yes, no = self.test(s.test, at)
        card = self.alone(kind, title)
        ends: list[End] = []
        for block, label in ((s.then, yes), (s.otherwise, no)):
            self.open = [End(card, "next", label)]
            self.block(block)
            ends += self.open
        self.open = list(dict.fromkeys(ends))

    def conditional(self, s: ir.Branch, at: tuple[str | int, ...]) -> list[str]:
        """A branch of assignments alone, as lines."""
        lines = [f"if {self.speaker.at(s.test, *at, 'test')}:", *self.assigned(s.then)]
        if self.shown.any(s.otherwise):
            lines += ["else:", *self.assigned(s.otherwise)]
        return lines

    def assigned(self, block: int) -> list[str]:
        return [
            f"{INDENT}{self.program.attrs[s.slot]} = {self.speaker.at(s.value, 'block', block, i, 'value')}"
            for i, s in enumerate(self.program.blocks[block])
            if isinstance(s, ir.Set) and self.shown.shows(s)
        ]

    def test(self, test: ir.Expr, at: tuple[str | int, ...]) -> tuple[str, str, str, str]:
        """A branch's kind of card, its title, and the labels of its two arms."""
        text = self.speaker.at(test, *at, "test")
        if isinstance(test, ir.Sample) and test.law == "Bernoulli":
            chance = text.removeprefix("~bernoulli(").removesuffix(")")
            probability = constant(test.args[0])
            if probability is not None:
                shown = number(probability)
                equal = "" if chance == shown else f"{chance} = "
                return "chance", "", f"{equal}{shown}", number(round(1.0 - probability, 12))
            return "chance", "", chance, "else"
        return "decision", text, "yes", "no"

    def loop_while(self, test: str, body: int) -> None:
        card = self.alone("decision", f"while {test}")
        self.open = [End(card, "next", "yes")]
        self.block(body)
        for end in self.open:
            if end.card != card:
                self.way(end.card, card, "back", end.label)
        self.open = [End(card, "next", "no")]

    def loop(self, body: int) -> None:
        head: list[str] = []
        self.heads.append(head)
        self.block(body)
        if not head:
            self.heads.remove(head)
            return
        for end in self.open:
            self.way(end.card, head[0], "back", end.label)
        self.open = []

    def fork(self, body: int) -> None:
        card = self.alone("fork")
        self.open = [End(card, "leg", "leg")]
        self.block(body)
        self.legs += self.open
        self.open = [End(card, "next", "")]

    def join(self) -> None:
        self.open += [end._replace(kind="leg") for end in self.legs]
        self.legs = []
        self.alone("join")

    # ------------------------------------------------------------ memory

    def pool(self, ref: ir.Ref, place: str | None = None) -> str:
        """A pool's name, shorter inside its own queue: at `place`, or at the card at hand."""
        return self.short(self.speaker.pool(ref), self.equipment.pools[ref.base], place)

    def stage(self, ref: ir.Ref, place: str | None = None) -> str:
        return self.short(self.speaker.stage(ref), self.equipment.stages[ref.base], place)

    def short(self, name: str, unit: Unit, place: str | None) -> str:
        if place is None and len(self.open) == 1:
            place = self.cards[self.open[0].card].frame
        inside = place == unit.frame and self.frames[unit.frame].kind == "queue"
        return unit.title if inside else name

    def hold(self, s: ir.Hold, at: tuple[str | int, ...]) -> None:
        say = self.speaker
        held = [self.equipment.pools[h.pool.base] for h in s.pools]
        engine = any(self.program.pools[h.pool.base].admit_via is not None for h in s.pools)
        lines: list[str] = []
        for i, h in enumerate(s.pools):
            fits = ""
            if h.reserve is not None:
                room = say.at(h.reserve, *at, "reserve", i)
                fits = f", if ({room}) fits" if isinstance(h.reserve, ir.Cond) else f", if {room} fits"
            lines.append(f"{say.at(h.units, *at, 'units', i)} of {self.pool(h.pool, held[0].frame)}{fits}")
        if s.prefix:
            segments = [
                f"{say.at(one.key, *at, 'key', i)} : {say.at(one.length, *at, 'length', i)}"
                for i, one in enumerate(s.prefix)
            ]
            lines.append(f"shares the prefix {', '.join(segments)}")
        if s.reuse is not None:
            lines.append(f"reuses at most {say.at(s.reuse, *at, 'reuse')} cached")
        home = self.frames[held[0].frame]
        self.step(Row("admission" if engine else "wait for", tuple(lines)), home.id, tuple(held))
        within = home.kind in ("device", "queue") and home.lane == self.lane
        self.around += [home.id] if within else []
        self.block(s.body)
        if self.open:
            self.give_back(s, at)
        if within:
            self.around.pop()

    def give_back(self, s: ir.Hold, at: tuple[str | int, ...]) -> None:
        """What happens at the end of a hold."""
        say = self.speaker
        gone = [given.pool for given in self.program.blocks[s.body] if isinstance(given, ir.Release)]
        gone += [] if s.lease is None else [s.lease.pool]
        if s.lease is not None:
            time = say.at(s.lease.time, *at, "lease")
            until = "until given back" if time == "inf" else f"for {seconds(time)}"
            self.step(Row("lease", (f"{self.pool(s.lease.pool)} {until}",)), None)
        back = [self.pool(h.pool) for h in s.pools if h.pool not in gone]
        if back:
            self.step(Row("give back", (", ".join(back),)), None)
        if s.cache is not None and not (isinstance(s.cache, ir.Cost) and nothing(s.cache)):
            kept = ", ".join(self.pool(ref) for ref in kept_by(self.program, s))
            self.step(Row("cache", (f"{say.at(s.cache, *at, 'cache')} in {kept}",)), None)

    # ------------------------------------------------------------ runs

    def run(self, s: ir.Run, at: tuple[str | int, ...]) -> None:
        unit = self.equipment.stages[s.stage.base]
        work = self.speaker.at(s.work, *at, "work")
        if s.also:
            over = [self.speaker.stage(ref) for ref in (s.stage, *s.also)]
            units = tuple([self.equipment.stages[ref.base] for ref in (s.stage, *s.also)])
            policy = "max-min fair" if s.share == "MaxMin" else "by the bottleneck"
            self.step(Row("flow", (f"{work} over {', '.join(over)}", f"shared {policy}")), None, units)
            return
        if s.mode != "Plain":
            growing = "" if s.growing is None else f", growing {self.pool(s.growing, unit.frame)}"
            uses = () if s.growing is None else (self.equipment.pools[s.growing.base],)
            self.step(Row(s.mode.lower(), (f"{work}{growing}",)), unit.frame, uses)
            return
        frame = self.frames[unit.frame]
        place = None if unit.title.endswith("latency") else frame.id
        named = frame.kind != "own" or unit.count is not None or place is None or frame.lane != self.lane
        where = f" at {self.stage(s.stage, place)}" if named else ""
        self.step(Row(WORDS[unit.kind], (f"{work}{where}",)), place, (unit,))

    # ------------------------------------------------------------ links

    def copied(self, pool: ir.Ref, at: tuple[str | int, ...]) -> None:
        """A load that ends a transfer: after a plain run, and before what was copied is given back at its source."""
        block, position = self.program.blocks[int(at[1])], int(at[2])
        around = block[max(position - 1, 0) : position + 2]
        match around:
            case (ir.Run(mode="Plain"), ir.Load(), ir.Release(source)):
                tail, head = self.equipment.pools[source.base], self.equipment.pools[pool.base]
                self.links[Link(tail.id, head.id, "copy")] = None

    def spills(self) -> None:
        for unit in self.equipment.units:
            if unit.kind == "pool":
                spill = self.program.pools[unit.base].spill
                if spill is not None:
                    tier, via = self.equipment.pools[spill.to], self.equipment.stages[spill.via]
                    self.links[Link(unit.id, via.id, "spill")] = None
                    self.links[Link(via.id, tier.id, "spill")] = None


def nothing(cost: ir.Cost) -> bool:
    """Whether a cost is the constant 0."""
    return isinstance(cost.operand, ir.Num) and cost.operand.value == 0
