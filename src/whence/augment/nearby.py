"""Which inputs are close to those that were run?

A run that is not recorded takes some milliseconds, a recorded one with its questions a hundred
times as long.  So between two questions, many inputs are run in both versions that differ a little
from earlier ones: another number, a word of the program, a line copied to another place.  What
leads to an output of a new shape is a start for more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from whence.augment.hinted_inputs import NUMBER, TEXT, Hints
from whence.augment.records import other_records, split_at
from whence.inputs import InputSource, SourceKind
from whence.paths.program import Contents
from whence.subject.command import Ended

_TOKEN = re.compile(rb"[0-9]+|[A-Za-z_]+|.", re.DOTALL)
_WORD = re.compile(rb"[A-Za-z_]+")
_DIGITS = re.compile(rb"[0-9]+")
_MAX_WORDS, _MAX_NUMBERS = 80, 40  # of a program that are put into inputs; guessed
_MAX_WORD = 40  # bytes of a word that is put into inputs; guessed
_MAX_SEEDS = 48  # inputs that others are made from, the latest; guessed
_MAX_LENGTH = 1 << 13  # of an input that is made, in bytes; guessed
_MAX_EDITS = 4  # of one input; guessed
_SHARE_OF_RECORDS = 0.5  # of the edits of an input whose records are known; guessed
_SMALL = 1000  # the largest number once larger ones made runs too long; guessed
_NO_ZERO = (SourceKind.ARGUMENT, SourceKind.VARIABLE)


@dataclass(frozen=True)
class Vocabulary:
    """Words and numbers that may make a difference in an input."""

    words: tuple[bytes, ...] = ()
    numbers: tuple[int, ...] = ()
    near: tuple[int, ...] = ()  # the numbers of the changed lines and their neighbours

    @staticmethod
    def of(hints: Hints, sources: Iterable[bytes]) -> Vocabulary:
        """Return the constants in changed lines and in source files."""
        words = dict.fromkeys(hints.texts)
        near = [value for number in hints.numbers for value in (number, number - 1, number + 1)]
        numbers = dict.fromkeys(near)
        for text in sources:
            for found in TEXT.finditer(text):
                words.update(dict.fromkeys(_WORD.findall(found[1] or found[2])))
                words.update(dict.fromkeys(one for one in found.groups() if one and len(one) < 3))
            plain = TEXT.sub(b"", text)
            numbers.update(dict.fromkeys(int(one[0], 0) for one in NUMBER.finditer(plain)))
        return Vocabulary(tuple(words)[:_MAX_WORDS], tuple(numbers)[:_MAX_NUMBERS], tuple(near))


class NearbyInputs:
    """Makes inputs from those that were run; the same ones each time."""

    def __init__(self, vocabulary: Vocabulary, free: Collection[InputSource]) -> None:
        self._vocabulary, self._free = vocabulary, sorted(free)
        self._random = Random(0)
        self._words = list(vocabulary.words)
        self._compared: list[bytes] = []  # words that a run compared a piece of its input with
        self._seeds: list[Contents] = []
        self._best: list[Contents] = []  # those that reach the change
        self._infected: list[Contents] = []  # those in which it has an effect
        # Where the records of a text begin, once for each way to see it:
        self._records: dict[tuple[InputSource, bytes], list[tuple[int, ...]]] = {}
        self._shapes: set[bytes] = set()
        self.is_careful = False  # do large numbers make runs too long?

    def learn(self, words: Iterable[bytes]) -> None:
        """Note words that a run compared a piece of its input with."""
        for word in words:
            if 0 < len(word) <= _MAX_WORD and word not in self._compared:
                self._compared.append(word)

    def learn_records(
        self, contents: Contents, starts: Mapping[InputSource, list[tuple[int, ...]]]
    ) -> None:
        """Note where the records of a run's inputs begin."""
        for source, ways in starts.items():
            self._records[source, contents[source]] = ways

    def add_best(self, contents: Contents, *, is_infected: bool = False) -> None:
        """Note an input that reaches the change; `is_infected`: which has an effect inside."""
        self._best = [*self._best[1 - _MAX_SEEDS :], contents]
        if is_infected:
            self._infected = [*self._infected[1 - _MAX_SEEDS :], contents]

    def is_new(self, contents: Contents, ended: Ended) -> bool:
        """Does a run print what no other one printed?  Then others are made from its input."""
        shapes = _shapes(contents, self._free, ended)
        if shapes <= self._shapes:
            return False
        self._shapes |= shapes
        self._seeds = [*self._seeds[1 - _MAX_SEEDS :], contents]
        return True

    def next(self) -> Contents | None:
        """Return an input that differs a little from an earlier one; None: there is none."""
        pick = self._random
        best = self._infected if self._infected and pick.random() < 0.6 else self._best
        seeds = best if best and pick.random() < 0.6 else self._seeds or self._best
        present = [one for one in self._free if seeds and one in seeds[-1]]
        if not present:
            return None
        found = dict(pick.choice(seeds))
        for _ in range(pick.choice((1, 1, 1, 2, 2, 3, _MAX_EDITS))):
            source = pick.choice(present)
            ways = self._records.get((source, found[source]))
            if ways and pick.random() < _SHARE_OF_RECORDS:
                text = self._with_other_records(found[source], pick.choice(ways))
            else:
                text = self._edited(found[source])
            if source.kind in _NO_ZERO:
                text = text.replace(b"\0", b"")
            found[source] = text[:_MAX_LENGTH]
        return found

    # --- edits -----------------------------------------------------------------------------------

    def _with_other_records(self, text: bytes, starts: Sequence[int]) -> bytes:
        head, *records = split_at(text, starts, self._random)
        for _ in range(self._random.choice((1, 1, 2, 3))):
            records = other_records(records, self._random) or records
        return head + b"".join(records)

    def _edited(self, text: bytes) -> bytes:
        tokens = _TOKEN.findall(text)
        edits: list[Callable[[list[bytes]], None]] = [self._put_word, self._change_token]
        if any(token.isdigit() for token in tokens):
            edits += [self._change_number] * 3
        if any(_WORD.fullmatch(token) for token in tokens):
            edits += [self._change_word] * 2
        if b"\n" in tokens:
            edits += [self._change_lines] * 4
        if tokens and not _is_printable(text):
            edits = [self._change_byte, self._change_byte, self._copy_part, self._put_word]
        self._random.choice(edits)(tokens)
        return b"".join(tokens)

    def _change_number(self, tokens: list[bytes]) -> None:
        at = self._random.choice([at for at, token in enumerate(tokens) if token.isdigit()])
        tokens[at] = b"%d" % self._number(int(tokens[at][:18]), tokens)

    def _number(self, old: int, tokens: Sequence[bytes]) -> int:
        pick = self._random
        known = self._vocabulary
        if known.near and pick.random() < 0.3:
            return pick.choice(known.near)
        others = [int(token[:18]) for token in tokens if token.isdigit()]
        others += [*known.numbers, 0, 1, 2, 10, 100, 1000, 10000]
        near = (old + 1, old - 1, old * 2, old * 10, old // 2, -old, pick.randrange(2 * old + 10))
        value = pick.choice((*near, *(pick.choice(others) + pick.choice((0, 0, 1, -1)),) * 4))
        return min(value, _SMALL) if self.is_careful else value

    def _word(self) -> bytes:
        """Return a word, most often one that the program looks for."""
        words = self._words
        if self._compared and (not words or self._random.random() < 0.7):
            words = self._compared
        return self._random.choice(words) if words else b"0"

    def _change_word(self, tokens: list[bytes]) -> None:
        places = [at for at, token in enumerate(tokens) if _WORD.fullmatch(token)]
        at = self._random.choice(places)
        others = [tokens[place] for place in places]
        tokens[at] = self._random.choice([*others, *[self._word()] * (1 + len(others))])

    def _put_word(self, tokens: list[bytes]) -> None:
        at = self._random.randrange(len(tokens) + 1)
        new = self._random.choice([*tokens, *[self._word()] * (1 + len(tokens)), b"0", b" "])
        tokens[at:at] = [new] if self._random.random() < 0.5 else [b" ", new]

    def _change_token(self, tokens: list[bytes]) -> None:
        if not tokens:
            return
        pick = self._random
        at, other = pick.randrange(len(tokens)), pick.randrange(len(tokens))
        kind = pick.randrange(6)
        if kind == 0:
            del tokens[at]
        elif kind == 1:
            tokens.insert(at, tokens[at])
        elif kind == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            tokens[at] = tokens[other]
        elif kind == 4:
            tokens[at] = tokens[at].swapcase()
        else:  # a byte of it is another one of the input, or is gone
            token, place = tokens[at], pick.randrange(len(tokens[at]))
            tokens[at] = token[:place] + pick.choice((b"", tokens[other][:1])) + token[place + 1 :]

    def _change_lines(self, tokens: list[bytes]) -> None:
        pick = self._random
        lines = b"".join(tokens).splitlines(keepends=True)
        at, other = pick.randrange(len(lines)), pick.randrange(len(lines))
        kind = pick.choice((0, 1, 2, 3, 3, 3, 4, 4, 5, 5))
        if kind == 5:
            lines = other_records(lines, pick)
        elif kind == 0:
            del lines[at]
        elif kind == 1:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 2:  # the start of one line with the end of another one
            words, others = lines[at].split(b" "), lines[other].split(b" ")
            cut = pick.randrange(len(words) + 1)
            lines.insert(at, b" ".join([*words[:cut], *others[cut:]]))
        elif kind == 3 and (self._words or self._compared):  # a copy that begins with another word
            _, space, rest = lines[at].partition(b" ")
            lines.insert(other, self._word() + (space or b"\n") + rest)
        else:
            lines.insert(other + pick.randrange(2), lines[at])
        lines = [one if one.endswith(b"\n") else one + b"\n" for one in lines]
        tokens[:] = _TOKEN.findall(b"".join(lines))

    def _change_byte(self, tokens: list[bytes]) -> None:
        pick = self._random
        text = bytearray(b"".join(tokens))
        at = pick.randrange(len(text))
        values = (
            0,
            1,
            255,
            127,
            128,
            text[at] + 1,
            text[at] - 1,
            text[at] ^ 1 << pick.randrange(8),
        )
        text[at] = pick.choice((*values, pick.choice(self._vocabulary.numbers or (0,)))) & 255
        tokens[:] = [bytes(text)]

    def _copy_part(self, tokens: list[bytes]) -> None:
        pick = self._random
        text = b"".join(tokens)
        start = pick.randrange(len(text))
        stop = min(len(text), start + pick.choice((1, 2, 4, 8, 16, 32)))
        to = pick.randrange(len(text) + 1)
        part = pick.choice((b"", text[start:stop]))
        text = text[:start] + text[stop:] if not part else text[:to] + part + text[to:]
        tokens[:] = [text]


def _is_printable(text: bytes) -> bool:
    strange = sum(byte < 9 or 13 < byte < 32 or byte > 126 for byte in text)
    return strange * 20 <= len(text)


def _shapes(contents: Contents, free: Sequence[InputSource], ended: Ended) -> set[bytes]:
    """Return the lines that a run printed, without numbers and without the words of its input."""
    given = {word for source in free for word in _WORD.findall(contents.get(source, b""))}
    lines = _DIGITS.sub(b"0", ended.stdout[:_MAX_LENGTH]).splitlines()
    shapes = {_WORD.sub(lambda word: b"" if word[0] in given else word[0], line) for line in lines}
    return {*shapes, b"exit status %d" % ended.status}
