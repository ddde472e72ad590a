"""Adds minutes to a time: divmod, negative numbers, floats, a nested function, str.format, match."""

import sys


def main(args: list[str]) -> int:
    def parsed(text: str) -> int:
        hours, _, minutes = text.partition(":")
        total = int(hours) * 60 + int(minutes or "0")
        if not 0 <= total < 24 * 60:
            raise OverflowError(text)
        return total

    try:
        start = parsed(args[0])
        more = float(args[1]) if "." in args[1] else int(args[1])
    except OverflowError:
        print("no-time")
        return 1
    except (ValueError, IndexError):
        print("no-number")
        return 1
    days, rest = divmod(start + int(more), 24 * 60)
    match days:
        case 0:
            print("today")
        case 1:
            print("tomorrow")
        case -1:
            print("yesterday")
        case n if n < 0:
            print("past")
        case _:
            print("later")
    hour, minute = rest // 60, rest % 60
    if minute == 0:
        print("full-hour")
    if hour >= 12 and not hour == 12:
        print("afternoon")
    if isinstance(more, float) and more != int(more):
        print("seconds-lost")
    return 0


sys.exit(main(sys.argv[1:]))
