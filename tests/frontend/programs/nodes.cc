// The library code that links the nodes of maps, sets and lists: trees stay balanced, and in order.
#include <cstdio>
#include <list>
#include <map>
#include <set>

static unsigned state = 7;
static int pick(int limit) {
    state = state * 1103515245u + 12345u;
    return (int)((state >> 16) % (unsigned)limit);
}

#ifdef __GLIBCXX__
typedef const std::_Rb_tree_node_base *Node;
// The number of black nodes on each way down from `node`; -1 if two ways differ, or at two red nodes.
static int blacks(Node node) {
    if (!node) return 0;
    int left = blacks(node->_M_left), right = blacks(node->_M_right);
    bool red = node->_M_color == std::_S_red;
    for (Node child : {node->_M_left, node->_M_right}) {
        if (child && child->_M_parent != node) return -1;
        if (child && red && child->_M_color == std::_S_red) return -1;
    }
    return left < 0 || left != right ? -1 : left + !red;
}
template <class Tree> static bool is_balanced(const Tree &tree) {
    Node header = tree.end()._M_node;
    Node root = header->_M_parent;
    return tree.empty() ? !root : root->_M_parent == header && root->_M_color == std::_S_black && blacks(root) > 0;
}
#else
template <class Tree> static bool is_balanced(const Tree &) { return true; }
#endif

int main() {
    std::set<int> set;
    bool present[64] = {};
    unsigned sum = 0;
    for (int turn = 0; turn < 500; turn++) {
        int key = pick(64);
        if (pick(turn < 250 ? 3 : 2)) set.insert(key), present[key] = true;
        else set.erase(key), present[key] = false;
        if (!is_balanced(set)) { std::printf("unbalanced at %d\n", turn); return 1; }
        sum = sum * 31 + (unsigned)set.size() + (set.empty() ? 0 : (unsigned)(*set.begin() + *set.rbegin()));
    }
    int at = 0;
    for (int key : set) {
        while (at < key) if (present[at++]) return 2;
        if (!present[at++]) return 3;
    }
    for (auto it = set.rbegin(); it != set.rend(); ++it) sum = sum * 31 + (unsigned)*it;
    std::printf("%u %zu %d\n", sum, set.size(), *set.lower_bound(pick(20)));

    std::multimap<int, int> many;
    for (int i = 0; i < 60; i++) many.emplace(pick(9), i);
    many.erase(4), many.erase(many.begin()), many.erase(std::prev(many.end()));
    std::multimap<int, int> copy(many);
    while (copy.size() > 3) copy.erase(std::next(copy.begin(), pick((int)copy.size())));
    for (const auto &[key, value] : copy) std::printf("%d:%d ", key, value);
    std::printf("%zu %d\n", many.size(), is_balanced(many) && is_balanced(copy));
    copy.swap(many), many.clear();
    std::printf("%zu %zu %d\n", copy.size(), many.size(), is_balanced(copy) && is_balanced(many));

    std::list<int> list, other{5, 1, 4};
    for (int i = 0; i < 20; i++) pick(2) ? list.push_front(pick(50)) : list.push_back(pick(50));
    list.sort(), other.sort(), list.merge(other), list.unique(), list.reverse();
    list.splice(std::next(list.begin(), 2), list, std::prev(list.end()));
    other.splice(other.end(), list, list.begin(), std::next(list.begin(), 4));
    other.swap(list);
    for (int n : list) std::printf("%d ", n);
    for (int n : other) std::printf("%d ", n);
    std::printf("%zu %zu\n", list.size(), other.size());
    return 0;
}
