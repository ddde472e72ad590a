"""How deep in a search tree of three keys is a key?"""

import sys


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(node, key):
    if node is None:
        return Node(key)
    if key < node.key:
        node.left = insert(node.left, key)
    elif key > node.key:
        node.right = insert(node.right, key)
    return node


def depth(node, key):
    if node is None:
        return None
    if key == node.key:
        return 0
    below = depth(node.left if key < node.key else node.right, key)
    return None if below is None else below + 1


root = None
for text in sys.argv[1:4]:
    root = insert(root, int(text))
print(depth(root, int(sys.argv[4])))
