// Which compiled templates of the C++ standard library does a recorded program get?
//
// The headers declare these templates `extern`: the program calls the copies in the library, which
// are not recorded.  Here they are compiled once more, recorded.  A program that is linked with
// this file uses these copies, and so does the library itself: the library looks for the functions
// and the virtual tables by name.
#if __has_include(<bits/c++config.h>)
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#include <fstream>
#include <iomanip>
#include <istream>
#include <list>
#include <locale>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#ifdef __GLIBCXX__
#include <cctype>
#include <cerrno>
#include <ext/stdio_sync_filebuf.h>
#include <unistd.h>
#endif

namespace std {

template class basic_string<char>;

template class basic_ios<char>;
template class basic_streambuf<char>;
template class basic_ostream<char>;
template class basic_istream<char>;
template class basic_iostream<char>;

template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;

template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
template class basic_fstream<char>;

template class num_get<char>;
template class num_put<char>;

template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);

template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);

#ifdef __GLIBCXX__
template ostream &__ostream_insert(ostream &, const char *, streamsize);
template ostream &ostream::_M_insert(long);
template ostream &ostream::_M_insert(unsigned long);
template ostream &ostream::_M_insert(bool);
template ostream &ostream::_M_insert(long long);
template ostream &ostream::_M_insert(unsigned long long);
template ostream &ostream::_M_insert(double);
template ostream &ostream::_M_insert(long double);
template ostream &ostream::_M_insert(const void *);

template istream &istream::_M_extract(unsigned short &);
template istream &istream::_M_extract(unsigned int &);
template istream &istream::_M_extract(long &);
template istream &istream::_M_extract(unsigned long &);
template istream &istream::_M_extract(bool &);
template istream &istream::_M_extract(long long &);
template istream &istream::_M_extract(unsigned long long &);
template istream &istream::_M_extract(float &);
template istream &istream::_M_extract(double &);
template istream &istream::_M_extract(long double &);
template istream &istream::_M_extract(void *&);
#else
template istream &operator>>(istream &, string &);
template istream &getline(istream &, string &, char);
#endif

} // namespace std

#ifdef __GLIBCXX__
// std::cin, std::cout and std::cerr use this buffer, unless std::ios::sync_with_stdio(false) gives
// them buffers that are not recorded.  That call only makes them faster.
template class __gnu_cxx::stdio_sync_filebuf<char>;

bool std::ios_base::sync_with_stdio(bool sync)
{
    static bool is_synchronous = true;
    bool before = is_synchronous;
    is_synchronous = sync;
    return before;
}

// Files are read with this function.
std::streamsize std::__basic_file<char>::xsgetn(char *text, std::streamsize length)
{
    std::streamsize count;
    do
        count = read(fd(), text, length);
    while (count == -1 && errno == EINTR);
    return count;
}
// The library has functions of its own for these streams and strings.
namespace {

bool is_space(const std::istream &in, int c)
{
    if (in.getloc() == std::locale::classic())
        return isspace(c) != 0;
    return std::isspace(static_cast<char>(c), in.getloc());
}

const int END = std::char_traits<char>::eof();

} // namespace

namespace std {

template <> istream &operator>>(istream &in, string &text)
{
    streamsize count = 0;
    ios_base::iostate state = ios_base::goodbit;
    istream::sentry ready(in, false);
    if (ready) {
        try {
            text.erase();
            streamsize width = in.width();
            streamsize most = width > 0 ? width : static_cast<streamsize>(text.max_size());
            int c = in.rdbuf()->sgetc();
            while (count < most && c != END && !is_space(in, c)) {
                text += static_cast<char>(c);
                count++;
                c = in.rdbuf()->snextc();
            }
            if (count < most && c == END)
                state |= ios_base::eofbit;
            in.width(0);
        } catch (...) {
            in._M_setstate(ios_base::badbit);
        }
    }
    if (count == 0)
        state |= ios_base::failbit;
    if (state)
        in.setstate(state);
    return in;
}

template <> istream &getline(istream &in, string &text, char end)
{
    streamsize count = 0;
    ios_base::iostate state = ios_base::goodbit;
    istream::sentry ready(in, true);
    if (ready) {
        try {
            text.erase();
            const int last = char_traits<char>::to_int_type(end);
            const streamsize most = static_cast<streamsize>(text.max_size());
            int c = in.rdbuf()->sgetc();
            while (count < most && c != END && c != last) {
                text += static_cast<char>(c);
                count++;
                c = in.rdbuf()->snextc();
            }
            if (c == END) {
                state |= ios_base::eofbit;
            } else if (c == last) {
                count++;
                in.rdbuf()->sbumpc();
            } else {
                state |= ios_base::failbit;
            }
        } catch (...) {
            in._M_setstate(ios_base::badbit);
        }
    }
    if (count == 0)
        state |= ios_base::failbit;
    if (state)
        in.setstate(state);
    return in;
}

template <> istream &istream::getline(char *text, streamsize size, char end)
{
    _M_gcount = 0;
    ios_base::iostate state = ios_base::goodbit;
    sentry ready(*this, true);
    if (ready) {
        try {
            const int last = char_traits<char>::to_int_type(end);
            int c = rdbuf()->sgetc();
            while (_M_gcount + 1 < size && c != END && c != last) {
                *text++ = static_cast<char>(c);
                _M_gcount++;
                c = rdbuf()->snextc();
            }
            if (c == END) {
                state |= ios_base::eofbit;
            } else if (c == last) {
                _M_gcount++;
                rdbuf()->sbumpc();
            } else {
                state |= ios_base::failbit;
            }
        } catch (...) {
            _M_setstate(ios_base::badbit);
        }
    }
    if (size > 0)
        *text = '\0';
    if (_M_gcount == 0)
        state |= ios_base::failbit;
    if (state)
        setstate(state);
    return *this;
}

template <> istream &istream::ignore(streamsize most, int end)
{
    const bool is_endless = most == __gnu_cxx::__numeric_traits<streamsize>::__max;
    _M_gcount = 0;
    sentry ready(*this, true);
    if (ready && most > 0) {
        ios_base::iostate state = ios_base::goodbit;
        try {
            while (is_endless || _M_gcount < most) {
                int c = rdbuf()->sbumpc();
                if (c == END) {
                    state |= ios_base::eofbit;
                    break;
                }
                _M_gcount++;
                if (c == end)
                    break;
            }
        } catch (...) {
            _M_setstate(ios_base::badbit);
        }
        if (state)
            setstate(state);
    }
    return *this;
}

template <> istream &istream::ignore(streamsize most)
{
    return ignore(most, END);
}

} // namespace std
#endif

#ifdef __GLIBCXX__
// What links the nodes of std::list, and those of std::map and std::set: a red-black tree.
namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base *const before) noexcept
{
    _M_next = before;
    _M_prev = before->_M_prev;
    before->_M_prev->_M_next = this;
    before->_M_prev = this;
}

void _List_node_base::_M_unhook() noexcept
{
    _M_prev->_M_next = _M_next;
    _M_next->_M_prev = _M_prev;
}

void _List_node_base::_M_transfer(_List_node_base *const first, _List_node_base *const end) noexcept
{
    if (this == end || first == end)
        return;
    _List_node_base *const last = end->_M_prev;
    first->_M_prev->_M_next = end;
    end->_M_prev = first->_M_prev;
    first->_M_prev = _M_prev;
    last->_M_next = this;
    _M_prev->_M_next = first;
    _M_prev = last;
}

void _List_node_base::_M_reverse() noexcept
{
    _List_node_base *node = this;
    do {
        _List_node_base *const next = node->_M_next;
        node->_M_next = node->_M_prev;
        node->_M_prev = next;
        node = next;
    } while (node != this);
}

void _List_node_base::swap(_List_node_base &one, _List_node_base &other) noexcept
{
    _List_node_base *const first = one._M_next, *const last = one._M_prev;
    const bool is_empty = first == &one;
    if (other._M_next == &other) {
        one._M_next = one._M_prev = &one;
    } else {
        one._M_next = other._M_next;
        one._M_prev = other._M_prev;
        one._M_next->_M_prev = one._M_prev->_M_next = &one;
    }
    if (is_empty) {
        other._M_next = other._M_prev = &other;
    } else {
        other._M_next = first;
        other._M_prev = last;
        first->_M_prev = last->_M_next = &other;
    }
}

} // namespace __detail

using TreeNode = _Rb_tree_node_base;

namespace {

// The header of a tree is the parent of its root, and the root is the parent of the header.
TreeNode *next_in_tree(TreeNode *node)
{
    if (node->_M_right) {
        node = node->_M_right;
        while (node->_M_left)
            node = node->_M_left;
        return node;
    }
    TreeNode *parent = node->_M_parent;
    while (node == parent->_M_right) {
        node = parent;
        parent = parent->_M_parent;
    }
    return node->_M_right == parent ? node : parent;
}

TreeNode *previous_in_tree(TreeNode *node)
{
    if (node->_M_color == _S_red && node->_M_parent->_M_parent == node)
        return node->_M_right; // the header: the last node comes before it
    if (node->_M_left) {
        node = node->_M_left;
        while (node->_M_right)
            node = node->_M_right;
        return node;
    }
    TreeNode *parent = node->_M_parent;
    while (node == parent->_M_left) {
        node = parent;
        parent = parent->_M_parent;
    }
    return parent;
}

void put_in_place_of(TreeNode *node, TreeNode *other, TreeNode *parent, TreeNode &header)
{
    if (header._M_parent == node)
        header._M_parent = other;
    else if (parent->_M_left == node)
        parent->_M_left = other;
    else
        parent->_M_right = other;
    if (other)
        other->_M_parent = parent;
}

void rotate_left(TreeNode *node, TreeNode &header)
{
    TreeNode *const child = node->_M_right;
    node->_M_right = child->_M_left;
    if (child->_M_left)
        child->_M_left->_M_parent = node;
    put_in_place_of(node, child, node->_M_parent, header);
    child->_M_left = node;
    node->_M_parent = child;
}

void rotate_right(TreeNode *node, TreeNode &header)
{
    TreeNode *const child = node->_M_left;
    node->_M_left = child->_M_right;
    if (child->_M_right)
        child->_M_right->_M_parent = node;
    put_in_place_of(node, child, node->_M_parent, header);
    child->_M_right = node;
    node->_M_parent = child;
}

bool is_black(const TreeNode *node)
{
    return !node || node->_M_color == _S_black;
}

// The paths through `node`, which may be null, have one black node too few.
void lift_black(TreeNode *node, TreeNode *parent, TreeNode &header)
{
    while (node != header._M_parent && is_black(node)) {
        const bool is_left = node == parent->_M_left;
        TreeNode *sibling = is_left ? parent->_M_right : parent->_M_left;
        if (sibling->_M_color == _S_red) {
            sibling->_M_color = _S_black;
            parent->_M_color = _S_red;
            (is_left ? rotate_left : rotate_right)(parent, header);
            sibling = is_left ? parent->_M_right : parent->_M_left;
        }
        if (is_black(sibling->_M_left) && is_black(sibling->_M_right)) {
            sibling->_M_color = _S_red;
            node = parent;
            parent = parent->_M_parent;
            continue;
        }
        if (is_black(is_left ? sibling->_M_right : sibling->_M_left)) {
            (is_left ? sibling->_M_left : sibling->_M_right)->_M_color = _S_black;
            sibling->_M_color = _S_red;
            (is_left ? rotate_right : rotate_left)(sibling, header);
            sibling = is_left ? parent->_M_right : parent->_M_left;
        }
        sibling->_M_color = parent->_M_color;
        parent->_M_color = _S_black;
        (is_left ? sibling->_M_right : sibling->_M_left)->_M_color = _S_black;
        (is_left ? rotate_left : rotate_right)(parent, header);
        break;
    }
    if (node)
        node->_M_color = _S_black;
}

} // namespace

TreeNode *_Rb_tree_increment(TreeNode *node) throw()
{
    return next_in_tree(node);
}

const TreeNode *_Rb_tree_increment(const TreeNode *node) throw()
{
    return next_in_tree(const_cast<TreeNode *>(node));
}

TreeNode *_Rb_tree_decrement(TreeNode *node) throw()
{
    return previous_in_tree(node);
}

const TreeNode *_Rb_tree_decrement(const TreeNode *node) throw()
{
    return previous_in_tree(const_cast<TreeNode *>(node));
}

void _Rb_tree_insert_and_rebalance(
    const bool is_left, TreeNode *node, TreeNode *parent, TreeNode &header) throw()
{
    node->_M_parent = parent;
    node->_M_left = node->_M_right = nullptr;
    node->_M_color = _S_red;
    if (is_left) {
        parent->_M_left = node; // for the first node, this is the first node of the header
        if (parent == &header) {
            header._M_parent = node;
            header._M_right = node;
        } else if (parent == header._M_left) {
            header._M_left = node;
        }
    } else {
        parent->_M_right = node;
        if (parent == header._M_right)
            header._M_right = node;
    }
    while (node != header._M_parent && node->_M_parent->_M_color == _S_red) {
        TreeNode *above = node->_M_parent;
        TreeNode *const top = above->_M_parent;
        const bool is_above_left = above == top->_M_left;
        TreeNode *const uncle = is_above_left ? top->_M_right : top->_M_left;
        if (!is_black(uncle)) {
            above->_M_color = uncle->_M_color = _S_black;
            top->_M_color = _S_red;
            node = top;
            continue;
        }
        if (node == (is_above_left ? above->_M_right : above->_M_left)) {
            node = above;
            (is_above_left ? rotate_left : rotate_right)(node, header);
            above = node->_M_parent;
        }
        above->_M_color = _S_black;
        top->_M_color = _S_red;
        (is_above_left ? rotate_right : rotate_left)(top, header);
    }
    header._M_parent->_M_color = _S_black;
}

TreeNode *_Rb_tree_rebalance_for_erase(TreeNode *const node, TreeNode &header) throw()
{
    TreeNode *const next = next_in_tree(node);
    if (header._M_left == node)
        header._M_left = next;
    if (header._M_right == node) // nothing is right of it; before the only node, the header is left
        header._M_right = node->_M_left ? previous_in_tree(node) : node->_M_parent;
    _Rb_tree_color taken = node->_M_color;
    TreeNode *child, *parent = node->_M_parent;
    if (!node->_M_left || !node->_M_right) {
        child = node->_M_left ? node->_M_left : node->_M_right;
        put_in_place_of(node, child, parent, header);
    } else {
        // The next node, which has no left child, takes the place of the node.
        taken = next->_M_color;
        child = next->_M_right;
        parent = next->_M_parent == node ? next : next->_M_parent;
        if (parent != next) {
            put_in_place_of(next, child, parent, header);
            next->_M_right = node->_M_right;
            next->_M_right->_M_parent = next;
        }
        put_in_place_of(node, next, node->_M_parent, header);
        next->_M_left = node->_M_left;
        next->_M_left->_M_parent = next;
        next->_M_color = node->_M_color;
    }
    if (taken == _S_black && header._M_parent && header._M_parent != &header)
        lift_black(child, parent, header);
    return node;
}

} // namespace std
#endif

#if defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
// Before C++20, the symbol is that of `str() const`; since then, that of `str() const &`.  A member
// function is called like a function whose first argument is the object.
#define WHENCE_MEMBER extern "C" __attribute__((weak))

WHENCE_MEMBER std::string
_ZNKSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv(const std::stringbuf *self)
{
    return self->str();
}

WHENCE_MEMBER std::string
_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv(const std::stringstream *self)
{
    return self->str();
}

WHENCE_MEMBER std::string
_ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv(const std::istringstream *self)
{
    return self->str();
}

WHENCE_MEMBER std::string
_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv(const std::ostringstream *self)
{
    return self->str();
}
#endif

#if defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
// The text of std::logic_error and std::runtime_error, and of all exceptions that derive from them.
// The library shares it between copies of an exception, and frees it: it stands behind its header.
extern "C" void *const _ZTVSt11logic_error[], *const _ZTVSt13runtime_error[];

namespace {

struct SharedText {
    std::size_t length;
    std::size_t capacity;
    int more_owners;
};

struct TextException {
    void *const *table;
    const char *text;
};

void set_text(TextException *self, void *const *table, const char *text, std::size_t length)
{
    void *const memory = ::operator new(sizeof(SharedText) + length + 1);
    *static_cast<SharedText *>(memory) = {length, length, 0};
    char *const copy = static_cast<char *>(memory) + sizeof(SharedText);
    std::char_traits<char>::copy(copy, text, length);
    copy[length] = '\0';
    self->table = table + 2; // its first function comes after two other entries
    self->text = copy;
}

} // namespace

#define WHENCE_TEXT_EXCEPTION(name, kind) \
    WHENCE_MEMBER void \
    _ZNSt##name##kind##ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE( \
        TextException *self, const std::string &text) \
    { \
        set_text(self, _ZTVSt##name, text.data(), text.size()); \
    } \
    WHENCE_MEMBER void _ZNSt##name##kind##EPKc(TextException *self, const char *text) \
    { \
        set_text(self, _ZTVSt##name, text, std::char_traits<char>::length(text)); \
    }

WHENCE_TEXT_EXCEPTION(11logic_error, C1)
WHENCE_TEXT_EXCEPTION(11logic_error, C2)
WHENCE_TEXT_EXCEPTION(13runtime_error, C1)
WHENCE_TEXT_EXCEPTION(13runtime_error, C2)

WHENCE_MEMBER const char *_ZNKSt11logic_error4whatEv(const TextException *self)
{
    return self->text;
}

WHENCE_MEMBER const char *_ZNKSt13runtime_error4whatEv(const TextException *self)
{
    return self->text;
}
#endif
