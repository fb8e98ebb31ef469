"""The child process that serves one model: llama.cpp's HTTP server (xllamacpp) on a random loopback port.

Protocol: one JSON line of ``HostPlan`` on standard input; then one JSON line ``{"url": ...}`` on standard output once
the model is loaded. The process ends when its standard input closes, so it never outlives its parent. This module is
the only one that knows xllamacpp; it imports nothing else of the package, so that the child stays small.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from threading import Thread
from typing import Any

from pet.untrusted.parsers import read_json


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPlan:
    """``save_folder``: where KV states may be saved, "" for nowhere; always with a separator at its end."""

    model: str
    key: str
    threads: int
    context: int = 4_096
    slots: int = 2
    repack: bool = False  # faster by a quarter, for 0.55 times the file's size of memory
    small_cache: bool = False  # KV in 8 bit
    idle_seconds: int = 300
    save_folder: str = ""

    def line(self) -> str:
        return json.dumps(asdict(self)) + "\n"


def main() -> None:
    plan = HostPlan(**read_json(sys.stdin.readline()))
    Thread(target=_end_with_parent, daemon=True).start()
    url = _serve(plan)
    print(json.dumps({"url": url}), flush=True)  # noqa: T201  the parent reads it
    _end_with_parent()


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)  # the server's destructor waits for open connections


def _serve(plan: HostPlan) -> str:
    """Load the model and serve it; the address. Blocks until it is loaded."""
    global _server  # noqa: PLW0603  lives as long as the process
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = plan.model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [plan.key]  # without one it answers any web page: its CORS default is open
    params.ui = False
    params.offline = True
    params.use_jinja = True
    params.n_ctx = plan.context
    params.n_parallel = plan.slots
    params.kv_unified = True  # each slot keeps its own warm prefix
    params.cache_ram_mib = 0  # default 8192: old prompts in memory
    params.sleep_idle_seconds = plan.idle_seconds
    params.cpuparams.n_threads = plan.threads
    params.cpuparams_batch.n_threads = plan.threads
    params.no_extra_bufts = not plan.repack
    params.warmup = True
    params.endpoint_slots = True
    if plan.small_cache:
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_Q8_0
        params.flash_attn_type = 1
    if plan.save_folder:
        params.slot_save_path = plan.save_folder
    _server = xllamacpp.Server(params)
    return str(_server.listening_address)


_server: Any = None

if __name__ == "__main__":
    main()
