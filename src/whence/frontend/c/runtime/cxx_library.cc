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
