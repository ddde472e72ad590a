"""Are two of three elements in one set, after one union?"""

import sys

parent = {0: 0, 1: 1, 2: 2}
rank = {0: 0, 1: 0, 2: 0}
numbers = [int(text) for text in sys.argv[1:5]]


def find(x):
    while parent[x] != x:
        x = parent[x]
    return x


def join(a, b):
    a, b = find(a), find(b)
    if a == b:
        return
    if rank[a] < rank[b]:
        parent[a] = b
    else:
        parent[b] = a
        if rank[a] == rank[b]:
            rank[a] += 1


if all(0 <= number <= 2 for number in numbers):
    join(numbers[0], numbers[1])
    print("same" if find(numbers[2]) == find(numbers[3]) else "other")
else:
    print("range")
