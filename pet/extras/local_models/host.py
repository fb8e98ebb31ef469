"""Child process that serves one model: llama.cpp's HTTP server (xllamacpp) on a random loopback port.

Protocol: one JSON line of ``HostPlan`` on standard input; one JSON line ``{"url": ...}`` on standard output once the
model is loaded. The process ends when its standard input closes, so it can't outlive its parent. The only importer of
xllamacpp; it imports little of the package, so that the child stays small.
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
    """``save_folder``: for KV states, with a separator at its end; "" for none."""

    model: str
    key: str
    threads: int
    context: int = 4_096
    slots: int = 2
    repack: bool = False  # a quarter faster, for 0.55 times the file's size of memory
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
    """Load the model and serve it. Return the address; blocks until the model is loaded."""
    global _server  # noqa: PLW0603  lives as long as the process
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = plan.model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [plan.key]  # required: its CORS default admits any web page
    params.ui = False
    params.offline = True
    params.use_jinja = True
    params.n_ctx = plan.context
    params.n_parallel = plan.slots
    params.kv_unified = True  # each slot keeps its own warm prefix
    params.cache_ram_mib = 0  # the default keeps 8 GB of old prompts
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
