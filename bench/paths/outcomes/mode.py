"""Formats the lines of a file as an environment variable says."""

import os
import sys

mode = os.environ.get("MODE", "plain")
width = int(os.environ.get("COLUMNS_WANTED", "20"))
with open(sys.argv[1]) as file:
    for number, line in enumerate(file, start=1):
        text = line.rstrip("\n")
        if mode.startswith("num"):
            text = f"{number:>3} {text}"
            print("numbered")
        elif mode == "upper":
            text = text.upper()
            print("upper")
        elif mode[:1] == "!":
            text = text[::-1]
            print("reversed")
        if len(text) > width:
            text = text[: max(width - 3, 0)] + "..."
            print("cut")
        if text.endswith("END"):
            print("end")
            break
        if "\t" in text:
            print("tab")
        if text.lower() != text and text.isidentifier():
            print("name")
