"""Is a number in a set of three?"""

import sys

members = []
for text in sys.argv[1:4]:
    value, at = int(text), 0
    while at < len(members) and members[at] < value:
        at += 1
    if at == len(members) or members[at] != value:
        members.insert(at, value)
wanted = int(sys.argv[4])
for member in members:
    if member == wanted:
        print("yes")
        break
else:
    print("no")
