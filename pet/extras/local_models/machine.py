"""Capabilities of this machine: memory, cores, CPU features, free disk space. Reads only; runs only sysctl."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pet.extras.local_models.catalogue import GIB

_AVX2_FEATURE = 40  # PF_AVX2_INSTRUCTIONS_AVAILABLE, winnt.h
_SYSCTL = "/usr/sbin/sysctl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """``memory`` and ``free_memory`` in bytes, 0 if unknown. ``runnable``: "" or why no model can run here:
    ``no_runtime`` (the optional package is missing), ``no_cpu`` (no AVX2)."""

    memory: int
    free_memory: int
    cores: int
    runnable: str = ""

    @property
    def threads(self) -> int:
        """Return the number of threads, leaving one core for the windows."""
        return max(1, self.cores - 1)

    def fits(self, need: int) -> str:
        """Return "" if a model of this need in bytes fits half of all memory and leaves 1 GB free; else ``memory``
        (never on this machine) or ``memory_now`` (too little is free)."""
        if self.memory and need > self.memory / 2:
            return "memory"
        if self.free_memory and need > self.free_memory - GIB:
            return "memory_now"
        return ""


def this_machine() -> Machine:
    memory, free = _memory()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(memory=memory, free_memory=free, cores=cores, runnable=_why_not())


def free_disk(folder: Path) -> int:
    """Return the free bytes of the folder's disk; the folder need not exist."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _why_not() -> str:
    if importlib.util.find_spec("xllamacpp") is None:
        return "no_runtime"
    return "" if _has_avx2() else "no_cpu"


def _has_avx2() -> bool:
    """Whether the CPU has AVX2, which the x86-64 wheels require without checking it."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return True
    if sys.platform == "win32":
        return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(_AVX2_FEATURE))
    if sys.platform == "darwin":
        return "AVX2" in _sysctl("machdep.cpu.leaf7_features")
    try:
        return " avx2 " in Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return True  # unknown: the child's exit code reveals it


def _memory() -> tuple[int, int]:
    if sys.platform == "win32":
        return _windows_memory()
    if sys.platform == "darwin":
        size = _sysctl("hw.memsize").strip()
        return (int(size) if size.isdigit() else 0), 0
    sizes = _meminfo(Path("/proc/meminfo"))
    return _limited(sizes.get("MemTotal", 0)), sizes.get("MemAvailable", 0)


def _meminfo(file: Path) -> dict[str, int]:
    """Return bytes by name; empty for an unreadable file."""
    sizes: dict[str, int] = {}
    try:
        lines = file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return sizes
    for line in lines:
        name, _, rest = line.partition(":")
        number = rest.split()[:1]
        if number and number[0].isdigit():
            sizes[name] = int(number[0]) * 1024
    return sizes


def _limited(memory: int) -> int:
    """Return the memory limit of the container, if lower."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return memory
    return min(memory, int(limit)) if limit.isdigit() else memory


def _windows_memory() -> tuple[int, int]:
    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *((name, ctypes.c_uint64) for name in ("total", "free", "p1", "p2", "p3", "p4", "p5")),
        )

    status = Status()
    status.length = ctypes.sizeof(status)
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  only on Windows
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 0, 0
    return int(status.total), int(status.free)


def _sysctl(name: str) -> str:
    try:
        done = subprocess.run([_SYSCTL, "-n", name], capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
