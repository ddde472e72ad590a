"""Which suspects do programs get whose fault is no plain wrong branch?"""

from __future__ import annotations

from pathlib import Path

from tests.darwin.comparing import check_suspect, compared, line_of

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"

DIVISION = (
    HEAD
    + """static int skipped(const char *text)
{
    int n = 0;
    while (text[n] == ' ')
        n++;
    return n;
}
int main(int argc, char **argv)
{
    const char *text = argv[1] + skipped(argv[1]);
    int by = text[0] - '0';
    CHECK
    printf("%d\\n", 8 / by + skipped(text + 1));
    return argc > 2;
}
"""
)


def test_a_program_that_crashed_may_go_on_behind_the_crash(tmp_path: Path) -> None:
    """Its path is what was before the crash: the same branches run again behind it."""
    good = DIVISION.replace("CHECK", 'if (by == 0) { puts("zero"); return 0; }')
    bad = DIVISION.replace("    CHECK\n", "")
    suspect = check_suspect(compared(tmp_path, good, bad, "0"), "good", line_of(good, "by == 0"))
    assert "may lack" in suspect.because


SIGNED = (
    HEAD
    + """int main(int argc, char **argv)
{
    int value = atoi(argv[1]);
    if (value > 127)
        value -= 256;
    printf("%d\\n", value);
    return argc > 2;
}
"""
)


def test_a_value_that_no_input_makes_equal_is_a_suspect_without_another_input(
    tmp_path: Path,
) -> None:
    bad = SIGNED.replace("value -= 256", "value -= 128")
    result = compared(tmp_path, SIGNED, bad, "200")
    (suspect,) = result.suspects
    assert (suspect.line, suspect.agrees, suspect.alternate) == (line_of(bad, "-= 128"), False, {})
    assert "No other input was found" in suspect.because
    assert suspect.test.command == "./p 200"


CHECKSUM = (
    HEAD
    + """static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c - 'A' + 10;
}
int main(int argc, char **argv)
{
    int sum = digit(argv[1][0]) + digit(argv[1][1]);
    if (sum != digit(argv[1][2]))
        puts("wrong sum");
    else
        puts("right");
    return argc > 2;
}
"""
)


def test_a_wrong_value_that_a_branch_of_the_reference_tests_is_a_suspect(tmp_path: Path) -> None:
    bad = CHECKSUM.replace("'A' + 10", "'A' + 9")
    result = compared(tmp_path, CHECKSUM, bad, "19A")
    found = [(one.version.value, one.line) for one in result.suspects]
    assert found == [
        ("bad", line_of(bad, "'A' + 9")), ("good", line_of(CHECKSUM, "sum != digit")),
    ]  # fmt: skip


TWO_OUTPUTS = (
    HEAD
    + """int main(int argc, char **argv)
{
    int month = atoi(argv[1]), next = month + 1;
    if (next > 12)
        next = 1;
    printf("next %d\\n", next);
    printf("season %d\\n", month == 12 ? 4 : month);
    return argc > 2;
}
"""
)


def test_the_first_byte_that_differs_counts_if_all_of_the_output_tells_nothing(
    tmp_path: Path,
) -> None:
    """No input but 12 keeps all of the output's path: the season has a branch for it."""
    bad = TWO_OUTPUTS.replace("next > 12", "next > 13")
    result = compared(tmp_path, TWO_OUTPUTS, bad, "12")
    check_suspect(result, "bad", line_of(bad, "next > 13"))


def test_a_path_is_kept_if_a_shorter_number_moves_the_bytes_behind_it(tmp_path: Path) -> None:
    good = (
        HEAD
        + """int main(int argc, char **argv)
{
    char line[40];
    int volume, length;
    if (fgets(line, sizeof line, stdin) == NULL)
        return 2;
    length = strlen(line);
    if (line[length - 1] == '\\n')
        line[length - 1] = '\\0';
    volume = atoi(strchr(line, '=') + 1);
    if (volume < 0)
        volume = 10;
    printf("%d\\n", volume);
    return argc > 2;
}
"""
    )
    bad = good.replace("    if (volume < 0)\n        volume = 10;\n", "")
    result = compared(tmp_path, good, bad, "", stdin="volume=-50\n")
    check_suspect(result, "good", line_of(good, "volume < 0"))


STREAMS = """#include <iostream>
#include <string>
int main(int argc, char **argv)
{
    int count = 0, price = 0;
    std::cin >> count >> price;
    int total = count * price;
    if (count >= 10)
        total -= total / 20;
    std::cout << "total " << total << "\\n";
    return argc > 2;
}
"""


def test_the_numbers_of_a_cxx_program_are_free_to_be_printed_otherwise(tmp_path: Path) -> None:
    bad = STREAMS.replace("count >= 10", "count > 10")
    result = compared(tmp_path, STREAMS, bad, "", stdin="10 70\n", name="p.cpp")
    check_suspect(result, "bad", line_of(bad, "count > 10"))


NAMES = (
    HEAD
    + """static int letters(const char *name)
{
    int n = 0;
    while (name[n] != '\\0')
        n++;
    return n;
}
int main(int argc, char **argv)
{
    int n = letters(argv[1]);
    if (n > 7)
        puts("too long");
    else
        printf("%d letters\\n", n);
    return argc > 2;
}
"""
)


def test_a_test_of_a_length_is_named_though_inputs_keep_their_length(tmp_path: Path) -> None:
    """Only a longer input goes the other way; how long it is, is no formula over its bytes."""
    bad = NAMES.replace("n > 7", "n > 8")
    result = compared(tmp_path, NAMES, bad, "abcdefgh")
    first = result.suspects[0]
    assert (first.version.value, first.line) == ("bad", line_of(bad, "n > 8")), result.suspects
