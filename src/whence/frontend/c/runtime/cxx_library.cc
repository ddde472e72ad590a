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
#include <locale>
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
