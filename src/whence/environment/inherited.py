"""What does a program inherit, and what of it differs between two starts of the program?

Variables, arguments, the current folder, limits, the umask, and the user.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from whence.environment.log import ProgramStart
from whence.environment.tracing import Setting
from whence.subject.reads import is_of_session

# The names of /proc/PID/limits, and the constants of `resource`.
_LIMITS = {
    "Max cpu time": "RLIMIT_CPU", "Max file size": "RLIMIT_FSIZE",
    "Max data size": "RLIMIT_DATA", "Max stack size": "RLIMIT_STACK",
    "Max core file size": "RLIMIT_CORE", "Max resident set": "RLIMIT_RSS",
    "Max processes": "RLIMIT_NPROC", "Max open files": "RLIMIT_NOFILE",
    "Max locked memory": "RLIMIT_MEMLOCK", "Max address space": "RLIMIT_AS",
    "Max file locks": "RLIMIT_LOCKS", "Max pending signals": "RLIMIT_SIGPENDING",
    "Max msgqueue size": "RLIMIT_MSGQUEUE", "Max nice priority": "RLIMIT_NICE",
    "Max realtime priority": "RLIMIT_RTPRIO",
}  # fmt: skip
_VARIABLE = "variable"
_CAP_SYS_RESOURCE = 24  # as the kernel numbers it


@dataclass(frozen=True, order=True, slots=True)
class Inherited:
    """One thing that differs: its kind, its name, and both values (None: it is not set)."""

    kind: str  # variable, arguments, folder, limit, umask
    name: str
    good: str | None
    bad: str | None

    @property
    def is_of_session(self) -> bool:
        """Does every new terminal, login or job set it anew?"""
        return self.kind == _VARIABLE and is_of_session(self.name)

    @property
    def subject(self) -> str:
        """What differs, as a part of a sentence."""
        if self.kind == "limit":
            return f'the limit "{self.name.removeprefix("Max ")}"'
        return f"the variable {self.name}" if self.kind == _VARIABLE else self.name

    @property
    def words(self) -> str:
        """The difference as a sentence without a full stop."""
        return f"{self.subject} is {self.shown(self.good)} there, {self.shown(self.bad)} here"

    def shown(self, value: str | None) -> str:
        """Return one of the values as a user would write it."""
        if value is None:
            return "not set"
        return value.replace("\0", " ") if self.kind == "arguments" else value


def variables_of(start: ProgramStart) -> dict[str, str]:
    """Return the environment variables of a program."""
    pairs = (os.fsdecode(pair).partition("=") for pair in start.environ.split(b"\0") if pair)
    return {name: value for name, _, value in pairs}


def resource_limits(start: ProgramStart) -> dict[str, tuple[int, int]]:
    """Return the soft and hard limits of a program, by the name of /proc/PID/limits."""
    found = {}
    for line in start.limits.decode().splitlines()[1:]:
        match = re.match(r"(Max [a-z ]+?)\s{2,}(\S+)\s+(\S+)", line)
        if match and match[1] in _LIMITS:
            found[match[1]] = (_limit(match[2]), _limit(match[3]))
    return found


def _limit(text: str) -> int:
    return resource.RLIM_INFINITY if text == "unlimited" else int(text)


def umask_of(start: ProgramStart) -> str | None:
    """Return the umask of a program in octal digits."""
    match = re.search(rb"^Umask:\s*(\d+)", start.status, re.MULTILINE)
    return match[1].decode() if match else None


def user_of(start: ProgramStart) -> str:
    """Return user, group and further groups of a program, by number."""
    fields = dict(re.findall(r"(?m)^(Uid|Gid|Groups):[ \t]*(.*?)[ \t]*$", start.status.decode()))
    user, group = (fields.get(name, "?").split()[0] for name in ("Uid", "Gid"))
    return f"user {user}, group {group}, groups {fields.get('Groups') or 'none'}"


def differences(good: ProgramStart, bad: ProgramStart, redacted: Iterable[str]) -> list[Inherited]:
    """Return what differs, the most likely causes first; the values of some are not known."""
    hidden = set(redacted)
    ours, theirs = variables_of(bad), variables_of(good)
    found = [
        Inherited(_VARIABLE, name, theirs.get(name), ours.get(name))
        for name in sorted({*ours, *theirs} - hidden)
        if ours.get(name) != theirs.get(name)
    ]
    our_limits, their_limits = resource_limits(bad), resource_limits(good)
    for name in sorted({*our_limits} & {*their_limits}):
        if our_limits[name][0] != their_limits[name][0]:
            values = (str(limits[name][0]) for limits in (their_limits, our_limits))
            found.append(Inherited("limit", name, *values))
    if umask_of(good) != umask_of(bad):
        found.append(Inherited("umask", "umask", umask_of(good), umask_of(bad)))
    if good.cwd != bad.cwd and os.path.isdir(good.cwd):
        found.append(Inherited("folder", "the current folder", good.cwd, bad.cwd))
    if good.command[1:] != bad.command[1:]:
        words = ("\0".join(start.command[1:]) for start in (good, bad))
        found.append(Inherited("arguments", "the arguments", *words))
    return sorted(found, key=lambda one: one.is_of_session)


def _with_hard_limit(soft: int, hard: int) -> tuple[int, int]:
    """Return a soft limit with the hard limit here, raised if it is lower."""
    unlimited = resource.RLIM_INFINITY
    is_lower = hard != unlimited and (soft == unlimited or soft > hard)
    return soft, soft if is_lower else hard


def out_of_reach(found: Iterable[Inherited]) -> list[Inherited]:
    """Return the limits that were higher there, and that this process may not raise so far."""
    if _may_raise_limits():
        return []
    return [
        one
        for one in found
        if one.kind == "limit" and one.good is not None and _is_above_hard(one.name, int(one.good))
    ]


def _is_above_hard(name: str, soft: int) -> bool:
    hard = resource.getrlimit(getattr(resource, _LIMITS[name]))[1]
    return _with_hard_limit(soft, hard)[1] != hard


def _may_raise_limits() -> bool:
    """Does the kernel let this process raise its hard limits?"""
    match = re.search(r"^CapEff:\s*(\w+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    return match is not None and bool(int(match[1], 16) >> _CAP_SYS_RESOURCE & 1)


def inherit(
    chosen: Iterable[Inherited], command: tuple[str, ...], env: Mapping[str, str]
) -> tuple[tuple[str, ...], Setting]:
    """Return the command and the setting here, with the recorded values of what was chosen."""
    variables = dict(env)
    setting = Setting()
    limits: dict[int, tuple[int, int]] = {}
    for one in chosen:
        if one.kind == _VARIABLE:
            if one.good is None:
                variables.pop(one.name, None)
            else:
                variables[one.name] = one.good
        elif one.kind == "limit" and one.good is not None:
            number = getattr(resource, _LIMITS[one.name], None)
            if number is not None:
                limits[number] = _with_hard_limit(int(one.good), resource.getrlimit(number)[1])
        elif one.kind == "umask" and one.good is not None:
            setting = replace(setting, umask=int(one.good, 8))
        elif one.kind == "folder":
            setting = replace(setting, cwd=one.good)
        elif one.kind == "arguments" and one.good is not None:
            command = (command[0], *(one.good.split("\0") if one.good else ()))
    return command, replace(setting, env=variables, limits=limits)
