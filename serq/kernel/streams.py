"""Random streams: ChaCha with 12 rounds, and the laws that programs draw from.

A stream is 28 unsigned 32-bit words in an array of the caller's, from the index `at` on:

    0-7    the key
    8-9    the number of blocks made so far, low word first
    10     how many words of the last block are used up; 16 at the start
    12-27  the last block

(word 11 is unused). Blocks are made one at a time, when a word is asked for and none is left, so a stream that is
never read costs its key only. The words are those of rand 0.9's `StdRng::seed_from_u64`: the key is the seed expanded
by PCG32, the counter starts at 0.

Each run has several streams, told apart by their seeds, so that what one part of a program draws does not depend on
the others: see docs/semantics/randomness.md. `uniform` is called U below. The laws check no parameter; each takes
its uniforms whatever the parameters are.
"""

import cython

if not cython.compiled:
    from math import log, nan, sqrt

    # Masks: compiled integers wrap of themselves, and the masks cost nothing.
    LOW_32 = 0xFFFFFFFF
    LOW_64 = 0xFFFFFFFFFFFFFFFF

    STREAM_WORDS = 28
    WORKLOAD_STREAM = 1  # draws of `init` (turn 0) and of the `turn` block of a session's k-th turn (turn k)
    SESSION_STREAM = 2  # draws of a session's own statements (turn 0)
    LEG_STREAM = 3  # draws of a forked leg (turn: forks of the session before it)
    STALL_STREAM = 4  # draws of an engine's stall (serial: its stage, turn: the stall's mark); 5: a request's


# ---------------------------------------------------------------- ChaCha


def seed_stream(words: list[int], at: int, seed: int) -> None:
    """Start the stream of `seed`: expand it to the key by PCG32 (XSH-RR), the state advancing before each word."""
    multiplier = 6364136223846793005
    increment = 11634580027462260723
    state = seed
    for i in range(8):
        state = (state * multiplier + increment) & LOW_64
        word = (((state >> 18) ^ state) >> 27) & LOW_32
        turn = state >> 59
        words[at + i] = ((word >> turn) | (word << ((32 - turn) & 31))) & LOW_32
    words[at + 8] = 0
    words[at + 9] = 0
    words[at + 10] = 16


def copy_stream(words: list[int], to: int, source: int) -> None:
    """Make the stream at `to` go on as the one at `source` would."""
    for i in range(STREAM_WORDS):
        words[to + i] = words[source + i]


def next_block(words: list[int], at: int) -> None:
    """Make the next block: 6 double rounds over constants, key, counter and two zeros, plus that input."""
    x = at + 12
    words[x] = 0x61707865
    words[x + 1] = 0x3320646E
    words[x + 2] = 0x79622D32
    words[x + 3] = 0x6B206574
    for i in range(10):
        words[x + 4 + i] = words[at + i]
    words[x + 14] = 0
    words[x + 15] = 0
    for _ in range(6):
        quarter_round(words, x, x + 4, x + 8, x + 12)
        quarter_round(words, x + 1, x + 5, x + 9, x + 13)
        quarter_round(words, x + 2, x + 6, x + 10, x + 14)
        quarter_round(words, x + 3, x + 7, x + 11, x + 15)
        quarter_round(words, x, x + 5, x + 10, x + 15)
        quarter_round(words, x + 1, x + 6, x + 11, x + 12)
        quarter_round(words, x + 2, x + 7, x + 8, x + 13)
        quarter_round(words, x + 3, x + 4, x + 9, x + 14)
    words[x] = (words[x] + 0x61707865) & LOW_32
    words[x + 1] = (words[x + 1] + 0x3320646E) & LOW_32
    words[x + 2] = (words[x + 2] + 0x79622D32) & LOW_32
    words[x + 3] = (words[x + 3] + 0x6B206574) & LOW_32
    for i in range(10):
        words[x + 4 + i] = (words[x + 4 + i] + words[at + i]) & LOW_32
    words[at + 8] = (words[at + 8] + 1) & LOW_32
    if words[at + 8] == 0:
        words[at + 9] = (words[at + 9] + 1) & LOW_32
    words[at + 10] = 0


def quarter_round(words: list[int], a: int, b: int, c: int, d: int) -> None:
    p = words[a]
    q = words[b]
    r = words[c]
    s = words[d]
    p = (p + q) & LOW_32
    s ^= p
    s = ((s << 16) | (s >> 16)) & LOW_32
    r = (r + s) & LOW_32
    q ^= r
    q = ((q << 12) | (q >> 20)) & LOW_32
    p = (p + q) & LOW_32
    s ^= p
    s = ((s << 8) | (s >> 24)) & LOW_32
    r = (r + s) & LOW_32
    q ^= r
    q = ((q << 7) | (q >> 25)) & LOW_32
    words[a] = p
    words[b] = q
    words[c] = r
    words[d] = s


# ---------------------------------------------------------------- seeds of the streams


def mix(z: int) -> int:
    """One step of splitmix64."""
    golden = 0x9E3779B97F4A7C15
    first = 0xBF58476D1CE4E5B9
    second = 0x94D049BB133111EB
    z = (z + golden) & LOW_64
    z = ((z ^ (z >> 30)) * first) & LOW_64
    z = ((z ^ (z >> 27)) * second) & LOW_64
    return z ^ (z >> 31)


def substream_seed(seed: int, serial: int, turn: int, kind: int) -> int:
    """Seed of a session's stream; `kind` is WORKLOAD_STREAM, SESSION_STREAM or LEG_STREAM."""
    return mix(mix(mix(mix(seed) ^ serial) ^ turn) ^ kind)


def machine_seed(seed: int) -> int:
    """Seed of the draws that belong to no session: `execute`, `tokens cap`, a shared stage's capacity."""
    mark = 0x5851F42D4C957F2D
    return seed ^ mark


def eviction_seed(seed: int) -> int:
    """Seed of the draws in `evict by` keys and in `spill` clauses."""
    mark = 0x2545F4914F6CDD1D
    return seed ^ mark


def trace_seed(seed: int) -> int:
    """Seed of the choice of a corpus session for each new session, when the trace is not ordered."""
    mark = 0x6A09E667F3BCC908
    return seed ^ mark


# ---------------------------------------------------------------- numbers


def next_u32(words: list[int], at: int) -> int:
    position = words[at + 10]
    if position == 16:
        next_block(words, at)
        position = 0
    words[at + 10] = position + 1
    return words[at + 12 + position]


def next_u64(words: list[int], at: int) -> int:
    """Two words, the low one first."""
    low = next_u32(words, at)
    high = next_u32(words, at)
    return (high << 32) | low


def uniform(words: list[int], at: int) -> float:
    """A multiple of 2^-53 in [0, 1)."""
    # As a signed number: its conversion to a double is one instruction.
    multiple = next_u64(words, at) >> 11
    return multiple * 1.1102230246251565e-16


def below(words: list[int], at: int, n: int) -> int:
    """An integer from 0 to n - 1, for 1 <= n < 2^32.

    The high word of a word times n; a second word settles the rare case in which the low word leaves a carry open.
    """
    product = next_u32(words, at) * n
    result = product >> 32
    rest = product & LOW_32
    if rest + n > LOW_32 + 1:
        carry = (next_u32(words, at) * n) >> 32
        if rest + carry > LOW_32:
            result += 1
    return result


# ---------------------------------------------------------------- laws


def draw_gap(words: list[int], at: int, rate: float) -> float:
    """The gap before the next Poisson arrival. Not `draw_exp` of 1 / rate, which rounds differently."""
    return -log(1.0 - uniform(words, at)) / rate


def draw_exp(words: list[int], at: int, mean: float) -> float:
    return -mean * log(1.0 - uniform(words, at))


def draw_uniform(words: list[int], at: int, low: float, high: float) -> float:
    return low + (high - low) * uniform(words, at)


def draw_erlang(words: list[int], at: int, stages: float, mean: float) -> float:
    """Sum of `stages` exponential draws of equal mean; `stages` is truncated, and 1 if it is less or NaN."""
    if stages > 1e15:
        # So many draws would not end in a lifetime. A work or a gap that is not a number stops the run.
        return nan
    n = int(stages) if stages > 1.0 else 1
    stage_mean = mean / n
    total = 0.0
    for _ in range(n):
        # Subtracted, so that the sign of a mean that is no number is passed on.
        total -= stage_mean * log(1.0 - uniform(words, at))
    return total


def draw_h2(words: list[int], at: int, mean: float, cv2: float) -> float:
    """Hyperexponential of two branches with balanced means; a `cv2` below 1, or NaN, counts as 1."""
    v = cv2 if cv2 > 1.0 else 1.0
    p = 0.5 * (1.0 + sqrt((v - 1.0) / (v + 1.0)))
    if uniform(words, at) < p:
        return draw_exp(words, at, mean / (2.0 * p))
    return draw_exp(words, at, mean / (2.0 * (1.0 - p)))


def draw_bernoulli(words: list[int], at: int, probability: float) -> float:
    return 1.0 if uniform(words, at) < probability else 0.0
