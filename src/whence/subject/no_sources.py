"""From which files of a project is no program made?

From documents, and from what only autoconf and automake read: `make` asks whether they are newer
than what was made of them, and a release holds that, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

_NO_SOURCES = re.compile(
    r"\.(?:[1-8](?:\.in)?|adoc|docbook|eps|fig|html?|info(?:-\d+)?|jpe?g|man|md|mdoc|me|mm|ms|pdf|png"
    r"|po|pot|ps|rst|svg|tex|texi|texinfo|txi|txt)$"
    r"|(?:^|/)(?:ABOUT|AUTHORS|BUGS|CHANGES|COPYING|ChangeLog|HACKING|INSTALL|LICEN[CS]E|NEWS|README"
    r"|THANKS|TODO)[^/]*$"
    r"|(?P<autotools>\.(?:ac|am|m4)$|(?:^|/)(?:configure\.in|acconfig\.h|stamp-\w+(?:\.in)?)$)"
)


def is_no_source(path: str) -> bool:
    """Is this, by its name, a file from which no program is made?"""
    return _NO_SOURCES.search(path) is not None


def find_made(paths: Iterable[str]) -> frozenset[str]:
    """Return the files of a version from which only files are made that the version holds, too.

    With `configure` these are the sources of autoconf and automake, and of the documents those that
    share their name with another file: `manual.texi` with `manual.info`.
    """
    paths = list(paths)
    stems = [str(PurePosixPath(path).with_suffix("")) for path in paths]
    counts = Counter(stems)
    has_configure = any(PurePosixPath(path).name == "configure" for path in paths)
    found = set()
    for path, stem in zip(paths, stems, strict=True):
        match = _NO_SOURCES.search(path)
        if match and (has_configure if match["autotools"] else counts[stem] > 1):
            found.add(path)
    return frozenset(found)
