// The standard library: strings, vectors, maps, sets, lists, streams, shared pointers.
// stdin: the cat and the dog and the bird\n
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

struct Node {
    int value;
    std::vector<std::shared_ptr<Node>> children;
    std::weak_ptr<Node> parent;
};
static int sum(const std::shared_ptr<Node> &node) {
    int total = node->value;
    for (const auto &child : node->children) total += sum(child);
    return total;
}

int main() {
    std::map<std::string, int> counts;
    std::string word;
    while (std::cin >> word) counts[word]++;
    for (const auto &[key, count] : counts) std::cout << key << '=' << count << ' ';
    std::cout << std::endl;
    std::vector<std::string> words{"short", std::string(40, 'x'), "mid"};
    for (int i = 0; i < 20; i++) words.push_back(std::to_string(i * i));
    words.erase(words.begin() + 1), words.insert(words.begin(), "front");
    std::string joined;
    for (const auto &w : words) joined += w + ",";
    std::cout << joined.substr(0, 30) << ' ' << joined.find("81") << ' ' << joined.size() << '\n';
    std::set<int> primes;
    for (int n = 2; n < 40; n++) {
        bool prime = true;
        for (int p : primes) if (n % p == 0) { prime = false; break; }
        if (prime) primes.insert(n);
    }
    std::list<int> list(primes.begin(), primes.end());
    list.remove_if([](int n) { return n % 4 == 1; }), list.reverse();
    std::unordered_map<int, std::string> names{{1, "one"}, {2, "two"}};
    names[3] = "three", names.erase(1);
    std::cout << primes.size() << ' ' << list.front() << ' ' << names.at(3) << ' ' << names.count(1) << '\n';
    std::ostringstream out;
    out << std::hex << 255 << ' ' << 1.5 << ' ' << true;
    std::istringstream in("12 x 3.5");
    int n; char c; double d;
    in >> n >> c >> d;
    std::cout << out.str() << ' ' << n << c << d << '\n';
    auto root = std::make_shared<Node>(Node{1, {}, {}});
    for (int i = 2; i < 5; i++) root->children.push_back(std::make_shared<Node>(Node{i, {}, root}));
    std::cout << sum(root) << ' ' << root.use_count() << ' ' << root->children[0]->parent.lock()->value << '\n';
    std::cerr << "done\n";
    return 0;
}
