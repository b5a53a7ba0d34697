"""Engines of starting programs, each as its version named here sets itself up.

Every engine is called `llm` and takes a prompt and an output, in tokens. Arguments of the program are called as the
engine's own settings are, with underscores, so that a reader finds them in its documentation. Sources: the engines'
documentation and, for what that leaves open, their source text; each `about` names the version.
"""

from __future__ import annotations

from serq.record import Record


class Setting(Record):
    """An argument of the program: its name, its default as text, and what it is."""

    name: str
    default: str
    text: str


class Engine(Record):
    """The parts of a program that an engine fills.

    Attributes:
        name: as users know it.
        about: what is modelled and what is left out, as lines of a comment.
        settings: the arguments.
        room: the tokens of KV that the device has room for, in terms of them.
        items: what stands in the engine's braces besides its cost.
        pools: the pools of its capacities.
    """

    name: str
    about: str
    settings: tuple[Setting, ...]
    room: str
    items: str
    pools: str


_REUSING = """\
request (prompt, output) {
  // The last token of a prompt is always computed, so whole blocks before it can come from the cache.
  set reusable = floor((prompt - 1) / {block}) * {block};
  at admission { reused = min(cachedin(kv), reusable); }
  prefill (prompt - min(cached, reusable)) growing kv;
  // The end of the prefill makes the first token of the output.
  decode (output - 1) growing kv;
  cache (prompt + output);
}
"""

_VLLM = Engine(
    name="vLLM",
    about="""\
Engine: vLLM 0.10 with its V1 scheduler and default settings. Running requests go first, in order of
admission; what they leave of the token budget goes to waiting ones, first come first served, unless
this iteration has preempted somebody. Whoever finds no block preempts the newest. Left out:
speculative decoding, several GPUs, time on the CPU.
""",
    settings=(
        Setting("max_num_batched_tokens", "2048", "tokens an iteration"),
        Setting("max_num_seqs", "256", "requests running"),
        Setting("block_size", "16", "tokens in a KV block"),
        Setting("num_gpu_blocks_override", "25000", "as its log tells"),
    ),
    room="num_gpu_blocks_override * block_size",
    items="""\
seqs cap max_num_seqs;
tokens cap max_num_batched_tokens;

"""
    + _REUSING.replace("{block}", "block_size")
    + """\

schedule {
  advance running;
  // An admission takes a place and the blocks of the cached prefix and of the first chunk.
  admit waiting while (running.preempted == 0)
    taking seqs (1), kv (min(prompt, reused + budget_left(llm)));
}
""",
    pools="""\
pool kv on gpu { block block_size; evict lru; preempt lifo; }
pool seqs on llm { queue fifo; }
""",
)

_SGLANG = Engine(
    name="SGLang",
    about="""\
Engine: SGLang 0.5 with default settings. Prefills go before decodes and are not mixed with them
(no --enable-mixed-chunk); a long prompt is cut into chunks. A request is admitted if its prompt and
a share of its output limit would fit. Left out: overlapping with the CPU, the order lpm, the ratio
that adapts (its start is taken), retracting the request with the shortest output (the newest is).
""",
    settings=(
        Setting("chunked_prefill_size", "8192", "on a GPU of 60 to 90 GB"),
        Setting("max_running_requests", "256", "unset, memory decides"),
        Setting("page_size", "1", "tokens in a KV block"),
        Setting("max_total_tokens", "400000", "of KV, as its log tells"),
        Setting("schedule_conservativeness", "1", "caution at admission"),
    ),
    room="max_total_tokens",
    items="""\
seqs cap max_running_requests;
tokens cap chunked_prefill_size;

"""
    + _REUSING.replace("{block}", "page_size")
    + """\

schedule {
  // First whoever is in the middle of a prompt, then new prompts.
  advance running only (decoding == 0);
  admit waiting while (running.preempted == 0)
    taking seqs (1), kv (min(prompt, reused + budget_left(llm)))
    reserve (prompt + min(1, 0.7 * schedule_conservativeness) * limit);
  // Decodes have the iteration if there is nothing to prefill.
  branch (batch.prefilled == 0) { advance running only (decoding); }
}
""",
    pools="""\
pool kv on gpu { block page_size; evict lru; preempt lifo; }
pool seqs on llm { queue fifo; }
""",
)

_TRTLLM = Engine(
    name="TensorRT-LLM",
    about="""\
Engine: TensorRT-LLM 1.0 with default settings: in-flight batching, capacity scheduler policy
GUARANTEED_NO_EVICT, chunked prefill off, KV blocks reused. A request starts only if it can finish:
memory for its whole output is set aside, and nobody is preempted. Left out: several GPUs, time on
the CPU.
""",
    settings=(
        Setting("max_num_tokens", "8192", "tokens an iteration"),
        Setting("max_batch_size", "2048", "requests running"),
        Setting("tokens_per_block", "32", "tokens in a KV block"),
        Setting("max_tokens", "400000", "of KV, as its log tells"),
    ),
    room="max_tokens",
    items="""\
seqs cap max_batch_size;
tokens cap max_num_tokens;
// A prompt is prefilled as a whole or not at all; it must not be longer than max_num_tokens.
granule inf;

"""
    + _REUSING.replace("{block}", "tokens_per_block")
    + """\

schedule {
  advance running;
  admit waiting
    taking seqs (1), kv (min(prompt, reused + budget_left(llm))) reserve (prompt + limit);
}
""",
    pools="""\
// What a request has reserved stays reserved until its end, so that it never waits for a block.
pool kv on gpu { block tokens_per_block; evict lru; preempt none; reserve held; }
pool seqs on llm { queue fifo; }
""",
)

_TGI = Engine(
    name="TGI",
    about="""\
Engine: Text Generation Inference 3 with default settings. Decodes pause for a prefill when enough
requests wait: a share of the running ones (waiting-served-ratio), or any after so many iterations
(max-waiting-tokens). Memory for prompt and output limit is allocated at once. Left out: the limit
on open requests, several GPUs, time on the CPU.
""",
    settings=(
        Setting("max_batch_prefill_tokens", "8192", "of one prefill"),
        Setting("waiting_served_ratio", "0.3", "of waiting to running requests"),
        Setting("max_waiting_tokens", "20", "iterations without a prefill"),
        Setting("max_batch_total_tokens", "400000", "of KV, as its log tells"),
    ),
    room="max_batch_total_tokens",
    items="""\
tokens cap max_batch_prefill_tokens;
state decoded = 0;  // iterations since the last prefill

request (prompt, output) {
  // The last token of a prompt is always computed.
  prefill (prompt - min(cached, prompt - 1)) growing kv;
  // The end of the prefill makes the first token of the output.
  decode (output - 1) growing kv;
  cache (prompt + output);
}

schedule {
  // First whoever is in the middle of a prompt.
  advance running only (decoding == 0);
  branch (waiting.count >= max(1, waiting_served_ratio * running.count)
    || decoded >= max_waiting_tokens) {
    admit waiting taking kv (prompt + limit);
  }
  branch (batch.prefilled == 0) {
    advance running only (decoding);
    set decoded = decoded + 1;
  } else { set decoded = 0; }
}
""",
    pools="""\
pool kv on gpu { evict lru; preempt none; }
""",
)

_SARATHI = Engine(
    name="Sarathi-Serve",
    about="""\
Engine: Sarathi-Serve (Agrawal et al., OSDI 2024). Every iteration carries all decodes first, and
chunks of prompts with what is left of a small token budget, so that decodes never stall. A prompt's
memory is allocated on admission; there is no prefix cache. Left out: pipelines over several GPUs.
""",
    settings=(
        Setting("chunk_size", "512", "tokens an iteration; 2048 for throughput"),
        Setting("max_num_seqs", "128", "requests running"),
        Setting("block_size", "16", "tokens in a KV block"),
        Setting("num_gpu_blocks", "25000", "as its log tells"),
    ),
    room="num_gpu_blocks * block_size",
    items="""\
seqs cap max_num_seqs;
tokens cap chunk_size;

request (prompt, output) {
  prefill (prompt) growing kv;
  // The end of the prefill makes the first token of the output.
  decode (output - 1) growing kv;
}

schedule {
  advance running decode first;
  admit waiting taking seqs (1), kv (prompt);
}
""",
    pools="""\
pool kv on gpu { block block_size; preempt lifo; }
pool seqs on llm { queue fifo; }
""",
)

ENGINES = {"vllm": _VLLM, "sglang": _SGLANG, "trtllm": _TRTLLM, "tgi": _TGI, "sarathi": _SARATHI}
"""The engines by the word that chooses them, the default first."""
