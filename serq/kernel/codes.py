"""Numbers by which the tables name instructions, contexts, modes and faults.

The header repeats them as C constants; a test keeps both equal. Expression instructions are five numbers
`(code, target, a, b, c)` over one register file; statement instructions are eight. See `machine` and `sessions`.
"""

# Registers 0 to 31 hold context values; constants and temporaries follow.
NOW = 0
SIZE = 1
AGE = 2
LAST = 3
QUEUED = 4
WAITED = 5
PRESENT = 6
NTOK = 7
NDEC = 8
NPRE = 9
NRES = 10
KVB = 11
KVP = 12
ATTN = 13
DECODING = 14
ADMISSION = 15
POSITION = 16
REMAINING = 17
PREEMPTED = 18
ADMITTED = 19
DEMAND = 20
SERVED = 21
ARRIVED = 22
N_CONTEXT = 32

# Expression instructions.
X_RETURN = 0
X_ADD = 1
X_SUB = 2
X_MUL = 3
X_DIV = 4
X_POW = 5
X_LT = 6
X_LE = 7
X_GT = 8
X_GE = 9
X_EQ = 10
X_NE = 11
X_NEG = 12
X_NOT = 13
X_TRUTH = 14
X_MOVE = 15
X_JUMP = 16
X_JUMP_IF = 17
X_JUMP_UNLESS = 18
X_ATTR = 19
X_REGISTER = 20
X_MIN = 21
X_MAX = 22
X_ABS = 23
X_FLOOR = 24
X_CEIL = 25
X_SQRT = 26
X_EXP = 27
X_LN = 28
X_DRAW_EXP = 29
X_DRAW_UNIFORM = 30
X_DRAW_ERLANG = 31
X_DRAW_H2 = 32
X_DRAW_BERNOULLI = 33
X_INDEX = 34
X_USED = 35
X_FREE = 36
X_CACHED_IN = 37
X_HOLDERS = 38
X_QUEUED = 39
X_ALLOCATED = 40
X_QUEUE = 41
X_BUSY = 42
X_WORK = 43
X_BUDGET_LEFT = 44
X_EST_LAMBDA = 45
X_EST_RHO = 46
X_EST_WAIT = 47
X_PRICE = 48
X_AGGREGATE = 49
# A reading of the family's member that an attribute names: this plus the reading's code.
X_NAMED = 128

# What an expression reads, as bits.
READS_NOW = 1
READS_DRAW = 2
READS_POOL = 4
READS_CACHED = 8
READS_STAGE = 16
READS_BUDGET = 32
READS_ATTR = 64
READS_ENGINE = 128
READS_WAITED = 256
READS_REGISTER = 512
READS_QUEUED = 1024
READS_JOB = 2048
READS_ORDER = 4096

# Statement instructions.
S_TURN = 0
S_RESPONSE = 1
S_SET = 2
S_OBSERVE = 3
S_HOLD = 4
S_HOLD_END = 5
S_RUN = 6
S_GROW = 7
S_LOAD = 8
S_DROP = 9
S_RELEASE = 10
S_JUMP = 11
S_BRANCH = 12
S_CHOOSE = 13
S_FORK = 14
S_JOIN = 15
S_END = 16
S_LEG_END = 17
S_BLOCK_END = 18
S_STALL = 19

# Schedule instructions.
G_SERVE = 0
G_ADMIT = 1
G_SET = 2
G_BRANCH = 3
G_JUMP = 4
G_END = 5

# Modes of a run.
PLAIN = 0
PREFILL = 1
DECODE = 2

# Kinds of stage.
K_FIFO = 0
K_PS = 1
K_DELAY = 2
K_ENGINE = 3

# What an agent (a session or a leg of one) is doing.
A_FREE = 0
A_READY = 1
A_ACTIVE = 2
A_QUEUED = 3
A_RUNNING = 4
A_GROWING = 5
A_JOINING = 6
A_GONE = 7

# Kinds of event.
E_WARM = 0
E_ARRIVAL = 1
E_FINISH = 2
E_ITERATION = 3
E_LEASE = 4
E_FLOW = 5

# Faults of a run; `faults` has their sentences.
OK = 0
F_GUARD = 1
F_INDEX = 2
F_AMOUNT = 3
F_CHOOSE = 4
F_GAP = 5
F_LOAD = 6
F_GROW = 7
F_MEMBER = 8
F_ACTIVATIONS = 9
F_COST = 10
F_GATE = 11
F_INSTANT = 12
F_STATEMENTS = 13
F_LEGS = 14
F_JOIN_CYCLE = 15
F_KEY = 16
F_LENGTH = 17
F_ARRIVALS_MISSING = 18
F_ARRIVALS_LIVE = 19
F_ARRIVALS_WARMUP = 20
F_LIVELOCK = 21
F_INVARIANT = 22
F_STOPPED = 23
F_STALL = 24

# Parts of an inter-token gap; the declared stalls come after them.
L_KERNEL = 0
L_PREFILL = 1
L_PREEMPT = 2
L_RECOMPUTE = 3
L_UNSERVED = 4
L_BLOCKED = 5
L_AWAY = 6
L_STALLS = 7

# Where a request is during its gap.
G_AWAY = 0
G_RUNNING = 1
G_PREEMPTED = 2
