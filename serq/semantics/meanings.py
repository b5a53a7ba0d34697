"""What every word of the language means: one table for editors and for the reference pages.

In: nothing. Out: `all_meanings()`, a record for each word and each of its meanings: `decoding` is one thing in the keys
of a pool and another behind `batch.`; `prefill` begins a statement, names an entry of a queue and says how a stage
runs. `meanings_of(name)` finds the records of a name (`used`, `batch.kv_decode`, `serial`, `hold`), `meaning_in(word,
rules)` the one of a word in the rules of the grammar within which it stands.

What expressions read exists at some moments and not at others. `moment` tells them in words; `readable_in` derives from
serq.semantics.moments, against which programs are checked, the places that allow a name. A test holds the table against
the grammar, the compiler's lists of names and its moments, so that none of them can have a word that the other lacks.

The table is text. A line is `form | unit | moment | what it means`, for what programs are made of
`form | rules of the grammar | unit | what it means`; a line that begins with blanks goes on with the one before. The
name is the words that the form begins with. Placeholders stand in capitals, what may be left out in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from serq.record import Record
from serq.semantics import moments
from serq.semantics.moments import Moment

KINDS = ("value", "attribute", "function", "distribution", "declaration", "item", "option", "statement", "clause")
"""The kinds of meanings, in the order of the table: four that expressions read, five that programs are made of."""


class Meaning(Record):
    """One meaning of a word.

    Attributes:
        name: the word; for what a list says of itself, with the list: `batch.tokens`.
        kind: one of `KINDS`.
        form: how it is written.
        unit: of its value, or of what it takes; empty where there is none.
        moment: when it exists, in words that follow "in"; empty: everywhere.
        text: what it means, in one or two sentences.
        rules: for a word of the grammar, the rules in which it has this meaning.
    """

    name: str
    kind: str
    form: str
    unit: str
    moment: str
    text: str
    rules: tuple[str, ...]


# ---------------------------------------------------------------- what expressions read

_MOMENTS = {
    "": "",
    "most": "statements, keys and most clauses; not in gauges, guards and `only`",
    "evict": "a pool's eviction keys and its `spill`, once for each cached entry that could go",
    "queue": "a pool's queue keys, once for each waiting request",
    "preempt": "a pool's preemption keys, once for each candidate",
    "pick": "the keys and the `only` of `advance running`, for the request being looked at",
    "share": "the capacity of a `ps` stage, when the jobs there change",
    "claim": "a claim over iterations, when the iteration's batch has been put together",
    "end": "a claim at the end, of all samples, those of the warm-up included",
    "engine": "the clauses of an engine",
    "budget": "`tokens cap`, and the keys and guards of a schedule",
    "planning": "guards, gates and `set` of a schedule, while the iteration is being planned",
    "formed": "`execute` and the engine's `stall`s, when the batch has been put together",
    "so far": "`execute` and the engine's `stall`s, of the whole batch; in guards, of the batch so far",
    "member": "an entry of a queue family",
    "session": "places that read a session's attributes",
    "admitted": "a hold or a request, from its admission on",
    "trace": "places that read a session's attributes, where the workload replays a trace",
    "own": "places that read a session's attributes; elsewhere it is 0",
    "amount": "amounts of `run`, `hold`, `grow`, `load` and `cache`",
    "work": "statements and keys; not in gauges and guards, since it changes while time passes",
    "budget left": "statements, headers and `taking`",
}
"""When things exist, by the word that the table uses."""

_VALUES = """
inf | | | Infinity: no limit.
now | seconds | most | The simulated time.
size | pool units | evict | How much the cached entry holds.
age | seconds | evict | How long ago the cached entry was last released.
last | seconds | evict | The time at which the cached entry was last released.
waiting | 0 or 1 | evict | 1 if the session of the cached entry is alive and waits in the queue of a pool.
waited | seconds | queue | How long the request has been in this queue.
present | jobs | share | How many jobs are at the stage.
decoding | 0 or 1 | preempt | 1 if the candidate is running a decode, 0 if anything else.
decoding | 0 or 1 | pick | 1 if the request is decoding, 0 if it is prefilling.
admission | rank | preempt | The candidate's place in the order of admission, from 0: the key `-admission` takes the
  newest first.
admission | rank | pick | The request's place in the order of admission: a smaller one is older.
position | tokens | preempt | How far the candidate's memory in this pool has been computed.
remaining | tokens | pick | What is left of the request's present prefill or decode.
tokens | tokens | claim | The tokens that the iteration schedules.
prefilled | tokens | claim | The prefill tokens that the iteration schedules.
decoders | requests | claim | The decodes in the batch.
residents | requests | claim | The requests that run on the engine, in the batch or not.
kv_decode | pool units | claim | What the batch's decodes have allocated in the engine's memory.
kv_prefill | pool units | claim | What the batch's prefills have allocated in the engine's memory.
attention | tokens squared | claim | The attention work of the batch's prefills, as `batch.attention`.
demand | tokens | claim | What the running requests would take without a budget: a decode 1, a prefill all that is left
  of it, up to the chunk cap.
served | tokens | claim | The tokens of all earlier iterations of the engine.
arrived | sessions | claim | The sessions that have arrived so far.
self | index | member | Which member of the family this is, from 0.
running | | engine | The requests that run on the engine: `running.count` and others.
waiting | | engine | The requests that wait for admission to the engine: `waiting.count`, `waiting.admitted`.
batch | | engine | The requests that the iteration serves: `batch.tokens` and others.
running.count | requests | engine | How many requests run on the engine, served or not.
running.decoding | requests | budget | How many of the running requests are decoding.
running.kv_decode | pool units | budget | What the running decodes have allocated in the engine's memory.
running.kv_prefill | pool units | budget | What the running prefills have allocated in the engine's memory.
running.preempted | requests | planning | How many requests this iteration has preempted so far.
waiting.count | requests | engine | How many requests are in the queues that the engine admits.
waiting.admitted | requests | planning | How many requests this iteration has admitted so far.
batch.tokens | tokens | so far | The tokens that the iteration schedules: its prefill chunks, and one for each decode.
batch.prefilled | tokens | so far | The prefill tokens that the iteration schedules.
batch.decoding | requests | formed | The decodes in the batch.
batch.kv_decode | pool units | formed | What the batch's decodes have allocated in the engine's memory, in whole blocks
  and with this iteration's growth: the KV that their attention reads.
batch.kv_prefill | pool units | formed | What the batch's prefills have allocated in the engine's memory, in whole
  blocks and with this iteration's growth.
batch.attention | tokens squared | formed | The attention work of the batch's prefills: a chunk of n tokens behind K
  computed ones counts n * (K + n / 2).
"""

_ATTRIBUTES = """
cached | pool units | admitted | How much of the cached prefix the admission took over; this need not be computed again.
serial | number | session | The session's number in the order of arrival, from 0.
turn_no | number | session | The number of the session's turn, from 1; 0 before its first.
new | tokens | trace | New prompt tokens of the turn.
out | tokens | trace | Output tokens of the turn.
think | seconds | trace | How long the client waits after the turn.
more | 0 or 1 | trace | 1 if the trace has another turn for the session.
forced | tokens | trace | The column `forced` of the turn.
computed | tokens | admitted | How far the request had come when it was last preempted; 0 on its first pass.
"""

_FUNCTIONS = """
min(A, B) | | | The smaller of two numbers; a NaN is ignored.
max(A, B) | | | The larger of two numbers; a NaN is ignored.
abs(X) | | | The number without its sign.
floor(X) | | | The nearest whole number that is not larger.
ceil(X) | | | The nearest whole number that is not smaller.
sqrt(X) | | | The square root.
exp(X) | | | e to the power of X.
ln(X) | | | The natural logarithm.
used(POOL) | pool units | | What holds and leases have allocated in the pool now, in whole blocks.
free(POOL) | pool units | | The pool's cap less what is used; what is merely cached counts as free.
cachedin(POOL) | pool units | own | How much of the reading session's prefix is cached in the pool, in whole blocks.
holders(POOL) | sessions | | How many sessions hold or lease something of the pool.
queued(POOL) | requests | | How many requests wait for admission to the pool.
allocated(POOL) | pool units | own | What the reading session has allocated in the pool, holds and leases together.
queue(STAGE) | jobs | | How many jobs are at the stage, waiting or in service.
busy(STAGE) | jobs | | How many jobs are in service at the stage.
work(STAGE) | seconds, or tokens of an engine | work | What remains of the work of all jobs at the stage.
budget_left(ENGINE) | tokens | budget left | What is left of the iteration's token budget; while none is being planned,
  what the next one would have.
est_lambda(STAGE) | jobs per second | | The arrival rate at the stage, estimated from its completed jobs.
est_rho(STAGE) | fraction | | The load of the stage: its estimated arrival rate times its mean service, at most 0.99.
est_wait(STAGE) | seconds | | The wait at the stage, estimated from its completed jobs.
price(STAGE, BEFORE, WORK) | seconds | | What a job of WORK that starts BEFORE seconds from now costs itself and those
  whom it delays at the stage.
blocksize(POOL) | pool units | | The size of the pool's blocks.
total(OBSERVATION) | of the observation | end | The sum of the samples.
count(OBSERVATION) | samples | end | How many samples there are.
largest(OBSERVATION) | of the observation | end | The largest sample.
smallest(OBSERVATION) | of the observation | end | The smallest sample.
prefix_total(OBSERVATION) | of the observation | end | The sum of all prefix sums of the samples in ascending order.
cost(PLACE, ..., AMOUNT) | of the amount | amount | An amount, marked as work of these stages or memory of these pools,
  so that it cannot be spent on others.
"""

_DISTRIBUTIONS = """
~exp(MEAN) | | | An exponential draw.
~det(X) | | | X itself, without randomness.
~uniform(LOW, HIGH) | | | A draw that is uniform between LOW and HIGH.
~erlang(K, MEAN) | | | The sum of K equal exponential draws, with this mean in all: steadier than `~exp`.
~h2(MEAN, CV2) | | | A mixture of two exponentials with this mean and this squared coefficient of variation, at least 1:
  burstier than `~exp`.
~bernoulli(P) | 0 or 1 | | 1 with probability P, otherwise 0.
"""

# ---------------------------------------------------------------- what programs are made of

_DECLARATIONS = """
fn main() { DECLARATIONS } | start | | The program. Only `use`, `let` and `def` stand before it, and nothing behind.
use "LIBRARY"; | use | | Takes in a library: `std/args` for arguments of the program, `std/share` for work on several
  stages at once, `std/kvt` for transfers of KV between queues.
let NAME = EXPR; | let schedule_lets | | A constant, computed once. In a schedule it names an expression.
def NAME(PARAMETER, ...) { BODY } | def | | A definition of an expression or of statements, written out wherever it is
  used; its arguments are closed units.
device NAME { ITEMS } | device | | Hardware: formulas for times, and capacities that pools give out.
engine NAME on DEVICE { ITEMS } | engine queue_engine | | An inference engine that batches iteration by iteration: its
  token budget, what it does for a request, its schedule, and how long an iteration takes.
pool NAME [on OWNER] { OPTIONS } | pool | | Memory that requests hold: with a queue, and with a prefix cache, eviction
  and preemption as its options say.
stage NAME : KIND; | stage | | A place of work that is no engine.
queue NAME : ROLE, ... { ITEMS } | queue | | A station of a deployment: its pools, its stage or engine, and entries that
  say what happens to a request there.
kvt.nixl_pull (SOURCE, READER, share = POLICY); | transport | | The reader's NIC pulls KV from the
  source: what `transfer` does in the reader's entry `from SOURCE`.
kvt.nixl_push (SOURCE, READER, share = POLICY); | transport | | The source's NIC pushes KV to the reader: what
  `transfer` does in the reader's entry `from SOURCE`.
workload { ITEMS } | workload | | The clients: when sessions arrive, and what each of them asks for.
server { STATEMENTS } | server | | What the deployment does for each turn of a session.
gauge NAME = EXPR; | gauge | | A value of the state, averaged over time and reported.
claim NAME [given (EXPR)] : SCOPE (EXPR); | claim | | Something that a run checks: in every or in some iteration of an
  engine, or at the end.
"""

_ITEMS = """
tokens cap EXPR; | tokens_cap | tokens | The engine's token budget: what one iteration may schedule.
NAME cap EXPR; | capacity | pool units | A capacity of the device or engine; a pool of its name gives it out.
granule EXPR; | granule | tokens | Prefill chunks are whole multiples of this, but for the last of a prompt.
state NAME = EXPR; | state | | A register of the engine: its schedule sets it, its clauses read it.
request (PARAMETER, ...) { STATEMENTS } | request | | What the engine does for one call from the server.
schedule { STATEMENTS } | schedule | | How the engine plans an iteration: whom it serves, whom it admits.
execute (EXPR); | execute | seconds | How long an iteration takes, read when its batch has been put together.
stall NAME (EXPR); | stall_clause | seconds | What each iteration takes besides `execute`, read with it; reports
  count it under this name.
serve KIND [latency EXPR]; | serve | | The queue's own stage, called as the queue.
nic KIND; | nic | | The queue's network port, a stage on which transfers run.
arrive LAW; | arrive | | When sessions arrive.
trace "FILE" [ordered]; | trace | | Replays recorded sessions: each turn sets `new`, `out`, `think`, `more`, `forced`.
init { STATEMENTS } | init | | Sets a session's attributes when it arrives.
turn { STATEMENTS } | turn_block | | Sets a session's attributes at the beginning of each turn.
session { STATEMENTS } | session | | What a client does: `turn;` is one turn at the server; `turn;` alone if left out.
hidden NAME, ...; | hidden | | Attributes that the server must not look at before a run has revealed them.
"""

_OPTIONS = """
cap EXPR; | cap | pool units | How much the pool has; without it there is no limit.
block EXPR; | block_size | pool units | Allocations are rounded up to whole blocks of this size.
evict ORDER; | evict | | Which cached entry goes first when room is needed: `lru`, or the least by keys.
preempt ORDER; | preempt | | What happens when a growing request finds no room: nobody is preempted (`none`), the newest
  (`lifo`), the least by keys, or by keys a lease.
queue ORDER; | queue_order | | Who is admitted first: `fifo`, or the least by keys.
reserve held; | reserve_held | | What a hold has reserved stays reserved until its body ends.
spill POOL via STAGE (EXPR) when (EXPR); | spill | | What is evicted moves to another pool instead, by work on a stage.
"""

_STATEMENTS = """
set NAME = EXPR; | set | | Sets an attribute of the session; in a schedule a register of the engine.
Size NAME = EXPR; | set | | Sets an attribute that the workload owns: the server may read it and never set it.
Cost NAME = EXPR; | set | | Sets an attribute to a cost.
observe NAME = EXPR; | observe | | Records a sample under this name.
turn; | turn | | One turn of the session: its `turn` block, then the server.
end; | end | | The session ends here.
fork { STATEMENTS } | fork | | Begins a leg: the statements go on beside the session, with its attributes as they are.
join; | join | | Waits until all legs of the session have ended.
loop { STATEMENTS } | loop | | Repeats for ever; `end;` leaves.
while (EXPR) { STATEMENTS } | while | | Repeats while the condition is 1.
branch (EXPR) { STATEMENTS } else { STATEMENTS } | branch schedule_branch | | Chooses by a condition that is 1 or 0; the
  second block may be left out.
choose NAME in COUNT by (KEY, ...); | choose | | Sets the attribute to the index from 0 whose keys are the least.
hold POOL (UNITS), ... { STATEMENTS } [cache (EXPR)] | hold | pool units | Waits for memory, runs the statements with
  it, and gives it back.
grow POOL (EXPR); | grow | pool units | Takes more of a pool within a hold of it.
load POOL (EXPR); | load | pool units | Counts memory of the hold as computed: it has come from elsewhere.
drop POOL; | drop | | Forgets what the session has cached in the pool.
release POOL; | release | | Gives the hold's or the lease's memory of the pool back now.
run STAGE (EXPR); | run | seconds of service, or tokens of an engine | Works at the stage and waits for the end of it.
tool EXPR; | tool | seconds of service | Work at the stage called `tool`, a delay unless declared.
transfer EXPR from POOL to POOL (EXPR); | transfer | | Moves memory: work on a link, `load` here, `release` there.
mark NAME; | mark | | Sets an attribute of the queue's entry to the time.
prefill (EXPR) [growing POOL]; | advance | tokens | Prompt tokens that the engine computes for the request.
decode (EXPR) [growing POOL]; | advance | tokens | Output tokens that the engine makes for the request, one in each
  iteration that serves it.
stall NAME (EXPR); | stall | seconds | Holds the engine's loop up: its next iteration lasts so much longer, and the
  request does not wait for it.
advance running [only (EXPR)] [ORDER] [each at most (EXPR)]; | advance_running | | Serves running requests, one after
  the other, while the budget lasts.
admit waiting [while (EXPR)] [each at most (EXPR)] [taking POOL (EXPR), ...]; | admit_waiting | | Admits waiting
  requests while there is budget and room, and serves each at once.
exclusive prefill; | exclusive_prefill | | Serves one prefill alone; only without one the decodes.
"""

_CLAUSES = """
cache (EXPR) | cache_clause cache_item | pool units | How much stays cached for the session at the end of the body.
prefix (KEY : LENGTH, ...) | prefix | tokens | What the memory holds, by content: sessions that name the same segments
  share them in the cache.
reuse (EXPR) | reuse | pool units | The most that may be taken over from the cache.
reserve (EXPR) | reserve | pool units | Admission asks for room for so much, though it is not yet taken.
at admission | at_admission at_admission_block | | Binds names to values that are read when the request is admitted.
lease POOL (EXPR) | lease_clause | seconds | Keeps the pool's memory for the session after the body, for so long.
growing POOL | growing | | The tokens computed take memory of this pool as they come.
by (KEY, ...) | keys | | The least by the first key, among equals by the next.
else | else_block schedule_else | | What is done if the condition is 0.
with (EXPR) | branch | | The branch is taken with this probability.
in COUNT | choose aggregate | | How many there are to choose from, or terms.
from POOL | transfer entry_call source | | Where what is transferred comes from.
to POOL (EXPR) | transfer entry_call | pool units | Where it goes, and how much of it counts as computed there.
on NAME | engine queue_engine owner_clause stage_amount stages_amount | | The device, the engine or the stages meant.
fifo(SERVERS) | fifo | | A stage with so many servers (1 if left out); jobs begin in the order in which they come.
ps(CAPACITY) | ps | | A stage whose capacity the jobs present share equally.
delay | delay | | A stage at which jobs do not wait for each other.
latency EXPR | latency wait | seconds | Time that passes before the work begins.
fifo | queue_order | | First come, first admitted.
lru | evict | | What was released longest ago goes first.
none | preempt_none | | Nobody is preempted: a growing request waits for room.
lifo | preempt_lifo | | The newest admitted is preempted.
leases by (KEY, ...) | preempt_leases | | A lease ends instead of a request.
requeue PLACE | preempt_by | | Where a preempted request waits again.
head | place | | At the head of the queue.
tail | place | | At the end of the queue.
held | reserve_held | | Reservations last as long as their holds.
via STAGE (EXPR) | spill | | The stage on which the spill runs, and its work.
when (EXPR) | spill | | The condition for spilling rather than dropping.
poisson(RATE) | law | sessions per second | Sessions arrive at exponential gaps.
renewal(GAP) | law | seconds | Sessions arrive at gaps that are drawn anew each time.
closed(COUNT) | law | sessions | So many sessions at any time: whoever ends is replaced at once.
batch(COUNT) | law | sessions | So many sessions at time 0, and no more.
none | no_arrivals | | No sessions arrive.
ordered | ordered | | Sessions take the recorded ones in turn instead of at random.
only (EXPR) | only | | Passes over requests for which this is 0.
while (EXPR) | gate | | Admits no more when this is 0; read before each admission.
admission | order_admission | | The oldest admitted first.
decode first | order_decode_first | | Decodes before prefills.
each at most (EXPR) | each_at_most | tokens | The chunk cap: how much of a prefill one iteration may take.
taking POOL (EXPR), ... | taking_clause | pool units | What an admission takes for the request's body.
prefill | run | | The stage, an engine, prefills.
decode | run | | The stage, an engine, decodes.
given (EXPR) | claim | | The claim speaks only of runs all of whose sessions fulfil this.
every iteration of ENGINE | every_iteration | | In each iteration of the engine.
some iteration of ENGINE | some_iteration | | In at least one iteration of the engine.
at end | at_end | | When the run has ended and no session is left.
share = share.POLICY | share share_library | | How work on several stages divides their capacities; needs
  `use "std/share"`.
maxmin | policy | | Max-min fair shares over all stages.
bottleneck | policy | | Each flow gets the least of its equal shares.
args.number("NAME", DEFAULT) | args_library argument | | An argument of the program, given with `--set NAME=EXPR` or
  after `--`; needs `use "std/args"`.
sum NAME in COUNT (EXPR) | aggregate | | The sum over an index from 0.
max NAME in COUNT (EXPR) | aggregate | | The largest over an index from 0.
min NAME in COUNT (EXPR) | aggregate | | The smallest over an index from 0.
kvt | kvt_library | | The library `std/kvt`: transfers of KV between queues.
gateway | roles | | A queue of this role routes: an entry `route`.
route { STATEMENTS } | entry | | The gateway's entry: which queue a request goes to, and in what order.
prefill (PARAMETER, ...) { STATEMENTS } | roles entry | | The role and the entry for prompts.
decode (PARAMETER, ...) [from QUEUE] { STATEMENTS } | roles entry | | The role and the entry for outputs.
link | roles | | A queue of this role carries transfers.
transfer (PARAMETER) { STATEMENTS } | entry | | The link's entry.
l2 | roles | | A queue of this role is a second tier of memory: one pool and a `serve`.
"""

_WORD = r"(?![A-Z]+\b)[^\W\d][\w.]*"
_NAME = re.compile(rf"(?:NAME )?~?({_WORD}(?: {_WORD})*)")


def _table(kind: str, table: str) -> Iterator[Meaning]:
    for line in re.sub(r"\n +", " ", table.strip()).split("\n"):
        form, second, third, text = [cell.strip() for cell in line.split("|")]
        match = _NAME.match(form)
        assert match is not None, form
        if kind in KINDS[:4]:
            yield Meaning(match[1], kind, form, second, _MOMENTS[third], text, ())
        else:
            yield Meaning(match[1], kind, form, third, "", text, tuple(second.split()))


@cache
def all_meanings() -> tuple[Meaning, ...]:
    """The table, in the order of `KINDS`."""
    return tuple([meaning for kind, table in zip(KINDS, _TABLES, strict=True) for meaning in _table(kind, table)])


_TABLES = (
    _VALUES,
    _ATTRIBUTES,
    _FUNCTIONS,
    _DISTRIBUTIONS,
    _DECLARATIONS,
    _ITEMS,
    _OPTIONS,
    _STATEMENTS,
    _CLAUSES,
)


@cache
def _by_name() -> dict[str, tuple[Meaning, ...]]:
    names: dict[str, list[Meaning]] = {}
    for meaning in all_meanings():
        names.setdefault(meaning.name, []).append(meaning)
    return {name: tuple(found) for name, found in names.items()}


def meanings_of(name: str, *kinds: str) -> tuple[Meaning, ...]:
    """The meanings of a name, in the order of the table; of these kinds only, if any are given."""
    return tuple([meaning for meaning in _by_name().get(name, ()) if not kinds or meaning.kind in kinds])


def meaning_in(word: str, rules: Sequence[str]) -> Meaning | None:
    """What a word of the grammar means.

    Args:
        rules: the rules within which it stands, or the names of what they make, the innermost first.
    """
    found = [meaning for meaning in all_meanings() if word in re.split("[ .]", meaning.name)]
    return next((meaning for rule in rules for meaning in found if rule in meaning.rules), None)


def readable_in(name: str) -> tuple[Moment, ...]:
    """The places whose expressions may read a name that the language supplies, as the compiler checks them."""
    kept = [value for value in vars(moments).values() if isinstance(value, Moment)]
    return tuple([moment for moment in kept if _allows(moment, name)])


def _allows(moment: Moment, name: str) -> bool:
    list_name, _, member = name.partition(".")
    if member:
        return moment.lists is not None and (list_name, member) in moment.lists
    if name in ("running", "batch", "self"):
        return moment.lists is not None and name in [of for of, _ in moment.lists]
    if name in moments.WORDS:
        return moments.WORDS[name] in moment.context and (moment.lists is None or name not in moments.SPELLED)
    if name in moments.FUNCTION_WORDS.values():
        return name in {moments.FUNCTION_WORDS[function] for function in moment.functions}
    return moment.attributes and name not in moment.barred
