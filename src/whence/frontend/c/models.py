"""Which external functions does the recording runtime know, and how are its hooks called?

For a call of such a function with these LLVM types, `wh_b_NAME(args...)` is called before it (if
`before`) and `wh_a_NAME(result, args...)` after it (if `after`; without result if it is void).  A
model without hooks states that the function touches no memory that the program can see.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Model:
    """An external function with its LLVM types and its hooks."""

    name: str
    result: str
    params: tuple[str, ...]
    variadic: bool
    before: bool
    after: bool


# Each line: when, result type, (parameter types), names that share them.  L is long double.
_TABLE = """
after ptr (ptr ptr i64) memcpy memmove mempcpy __mempcpy strncpy stpncpy strncat
after ptr (ptr ptr i64 i64) __memcpy_chk __memmove_chk __mempcpy_chk
after ptr (ptr ptr i64 i64) __strncpy_chk __stpncpy_chk __strncat_chk
after void (ptr ptr i64) bcopy
after ptr (ptr i32 i64) memset memchr memrchr
after ptr (ptr i32 i64 i64) __memset_chk
after void (ptr i64) bzero explicit_bzero
after i32 (ptr ptr i64) memcmp bcmp strncmp strncasecmp
after ptr (ptr i64 ptr i64) memmem
after i64 (ptr) strlen atol atoll
after i64 (ptr i64) strnlen
after ptr (ptr ptr) strcpy stpcpy __stpcpy strcat strstr strcasestr strpbrk
after ptr (ptr ptr i64) __strcpy_chk __stpcpy_chk __strcat_chk
after i64 (ptr ptr i64) strlcpy strlcat
after i32 (ptr ptr) strcmp strcasecmp strcoll
after ptr (ptr i32) rawmemchr strchr index strchrnul strrchr rindex
after i64 (ptr ptr) strspn strcspn
both ptr (ptr ptr) strtok strsep
both ptr (ptr ptr ptr) strtok_r __strtok_r
after ptr (ptr) strdup __strdup
after ptr (ptr i64) strndup __strndup
after ptr (i32) strerror

after i64 (ptr ptr i32) strtol strtoul strtoll strtoull strtoimax strtoumax
after i64 (ptr ptr i32) __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull
after i64 (ptr ptr i32) __isoc23_strtoimax __isoc23_strtoumax
after double (ptr ptr) strtod
after float (ptr ptr) strtof
after L (ptr ptr) strtold
after i32 (ptr) atoi
after double (ptr) atof

after ptr (i64) malloc valloc _Znwm _Znam
after ptr (i64 ptr) _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t
after ptr (i64 i64) calloc aligned_alloc memalign _ZnwmSt11align_val_t _ZnamSt11align_val_t
after i32 (ptr i64 i64) posix_memalign
both ptr (ptr i64) realloc
both ptr (ptr i64 i64) reallocarray
before void (ptr) free _ZdlPv _ZdaPv
before void (ptr i64) _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t
before void (ptr ptr) _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t
before void (ptr i64 i64) _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t

after i32 (ptr i32 ...) open open64
after i32 (i32 ptr i32 ...) openat openat64
after i32 (ptr i32) creat
before i32 (i32) close
after i32 (i32) dup
after i32 (i32 i32) dup2
after i32 (i32 i32 i32) dup3 socket
after i32 (i32 i32 ...) fcntl fcntl64
after i32 (ptr) pipe
after i32 (ptr i32) pipe2
after i32 (i32 ptr ptr) accept
after i64 (i32 i64 i32) lseek lseek64
after i64 (i32 ptr i64) read
both i64 (i32 ptr i64) write
after i64 (i32 ptr i64 i64) __read_chk pread pread64 pwrite pwrite64
after i64 (i32 ptr i32) readv
both i64 (i32 ptr i32) writev
after i64 (i32 ptr i64 i32) recv send
after i64 (i32 ptr i64 i32 ptr ptr) recvfrom
after i64 (i32 ptr i64 i32 ptr i32) sendto
after ptr (ptr i64 i32 i32 i32 i64) mmap mmap64
before i32 (ptr i64) munmap
before i32 (ptr i64 i32) msync

after ptr (ptr ptr) fopen fopen64 popen
after ptr () tmpfile tmpfile64
before i32 (ptr) fclose pclose
both ptr (ptr ptr ptr) freopen freopen64
after i32 (ptr i64 i32) fseek fseeko fseeko64
after i32 (ptr ptr) fsetpos fsetpos64
after void (ptr) rewind
after i64 (ptr i64 i64 ptr) fread fread_unlocked fwrite_unlocked
both i64 (ptr i64 i64 ptr) fwrite
after i32 (ptr) fgetc getc _IO_getc getc_unlocked fgetc_unlocked
after i32 () getchar getchar_unlocked
after i32 (i32 ptr) ungetc _IO_ungetc
after ptr (ptr i32 ptr) fgets fgets_unlocked
after ptr (ptr i64 i32 ptr) __fgets_chk
after ptr (ptr) gets
after i64 (ptr ptr i32 ptr) getdelim __getdelim
after i64 (ptr ptr ptr) getline
both i32 (ptr ptr) fputs
after i32 (ptr ptr) fputs_unlocked
both i32 (ptr) puts
both i32 (i32 ptr) fputc putc
after i32 (i32 ptr) _IO_putc putc_unlocked fputc_unlocked
both i32 (i32) putchar
after i32 (i32) putchar_unlocked
before void (ptr) perror
before void (i32 i32 ptr ...) error
before void (i32 i32 ptr i32 ptr ...) error_at_line
before void (ptr ...) warn warnx
before void (i32 ptr ...) err errx
before void (ptr ptr) vwarn vwarnx
before void (i32 ptr ptr) verr verrx

both i32 (ptr ...) printf
both i32 (ptr ptr ...) fprintf
after i32 (ptr ptr ...) sprintf asprintf
after i32 (i32 ptr ...) dprintf
both i32 (i32 ptr ...) __printf_chk
after i32 (ptr i64 ptr ...) snprintf
both i32 (ptr i32 ptr ...) __fprintf_chk
after i32 (ptr i32 ptr ...) __asprintf_chk
after i32 (i32 i32 ptr ...) __dprintf_chk
after i32 (ptr i32 i64 ptr ...) __sprintf_chk
after i32 (ptr i64 i32 i64 ptr ...) __snprintf_chk
before i32 (ptr ptr) vprintf
before i32 (ptr ptr ptr) vfprintf vsprintf
before i32 (i32 ptr ptr) vdprintf __vprintf_chk
before i32 (ptr i64 ptr ptr) vsnprintf
before i32 (ptr i32 ptr ptr) __vfprintf_chk
before i32 (ptr i32 i64 ptr ptr) __vsprintf_chk
before i32 (ptr i64 i32 i64 ptr ptr) __vsnprintf_chk
both i32 (ptr ptr ptr) vasprintf

both i32 (ptr ...) scanf __isoc99_scanf __isoc23_scanf
both i32 (ptr ptr ...) fscanf __isoc99_fscanf __isoc23_fscanf
after i32 (ptr ptr ...) sscanf __isoc99_sscanf __isoc23_sscanf
both i32 (ptr ptr) vscanf __isoc99_vscanf __isoc23_vscanf
both i32 (ptr ptr ptr) vfscanf __isoc99_vfscanf __isoc23_vfscanf
both i32 (ptr ptr ptr) vsscanf __isoc99_vsscanf __isoc23_vsscanf

both void (ptr i64 i64 ptr) qsort
both void (ptr i64 i64 ptr ptr) qsort_r
before ptr (ptr ptr i64 i64 ptr) bsearch
after ptr (ptr) getenv secure_getenv
after i32 (i32 ptr ptr) getopt
after i32 (i32 ptr ptr ptr ptr) getopt_long getopt_long_only

after i64 (ptr) time mktime timegm
after i32 (ptr ptr) gettimeofday
after i32 (i32 ptr) clock_gettime
after ptr (ptr) localtime gmtime asctime ctime
after ptr (ptr ptr) localtime_r gmtime_r
after i64 (ptr i64 ptr ptr) strftime
after i32 (ptr ptr) stat lstat stat64 lstat64
after i32 (i32 ptr) fstat fstat64
after i32 (i32 ptr ptr i32) fstatat fstatat64
after ptr (ptr) readdir readdir64
after ptr (ptr i64) getcwd
after ptr (ptr ptr) realpath
after i64 (ptr ptr i64) readlink

after i32 (ptr ptr i32) fnmatch regcomp
after i32 (ptr ptr) strverscmp
after i32 (ptr ptr i64 ptr i32) regexec
after i64 (i32 ptr ptr i64) regerror
after ptr (ptr i64 ptr) re_compile_pattern
after i32 (ptr) re_compile_fastmap
after i32 (ptr ptr i32 i32 i32 ptr) re_search
after i32 (ptr ptr i32 i32 ptr) re_match
after i32 (ptr ptr i32 ptr i32 i32 i32 ptr i32) re_search_2
after i32 (ptr ptr i32 ptr i32 i32 ptr i32) re_match_2
both i64 (ptr ptr i64 ptr) mbrtowc mbsrtowcs
both i64 (ptr i64 ptr) mbrlen
after i32 (ptr ptr i64) mbtowc
after i32 (ptr i64) mblen wcswidth
after i64 (ptr ptr i64) mbstowcs wcstombs
both i64 (ptr i32 ptr) wcrtomb
after i32 (ptr i32) wctomb
after i32 (ptr) mbsinit
after i64 (ptr) wcslen wctype
after i32 (ptr ptr) wcscmp wcscoll
after ptr (ptr ptr) wcscpy
after ptr (ptr i32) wcschr
after ptr (ptr ptr i64) wmemcpy wmemmove
after ptr (ptr i32 i64) wmemset
after ptr (ptr) gettext
after ptr (ptr ptr) dgettext
after ptr (ptr ptr i32) dcgettext
after ptr (ptr ptr i64) ngettext
after ptr (ptr ptr ptr i64) dngettext
after ptr (ptr ptr ptr i64 i32) dcngettext
both void (ptr i32) _obstack_newchunk
after i32 (ptr i32 i32 ptr ptr) _obstack_begin

before void (i32) exit _exit _Exit quick_exit
both i32 (ptr ptr) execv execvp
both i32 (ptr ptr ptr) execve execvpe
both i32 (ptr ptr ...) execl execlp execle

none ptr () __errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
none i64 () __ctype_get_mb_cur_max
none i32 (i32) isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace
none i32 (i32) iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct
none i32 (i32) iswspace iswupper iswxdigit towlower towupper btowc wctob wcwidth
none i32 (i32 i64) iswctype
none i32 (i32) isupper isxdigit tolower toupper toascii isascii abs ffs isatty
none i64 (i64) labs llabs
none i32 () getpid getppid getuid geteuid getgid getegid rand
none void (i32) srand
none double (double) sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log
none double (double) log2 log10 log1p sqrt cbrt ceil floor round trunc rint nearbyint fabs erf erfc
none double (double double) pow fmod atan2 hypot fmin fmax fdim copysign remainder nextafter
none double (double i32) ldexp scalbn
none double (double double double) fma
none i64 (double) lround llround lrint llrint
none float (float) sinf cosf tanf asinf acosf atanf expf exp2f logf log2f log10f sqrtf cbrtf ceilf
none float (float) floorf roundf truncf rintf nearbyintf fabsf
none float (float float) powf fmodf atan2f hypotf fminf fmaxf fdimf copysignf
none float (float float float) fmaf
none i64 (float) lroundf llroundf lrintf llrintf
"""

_LONG_DOUBLE = "x86_fp80" if platform.machine() in ("x86_64", "AMD64") else "fp128"


def _read(table: str) -> Iterator[Model]:
    for line in filter(None, table.splitlines()):
        match = re.fullmatch(r"(\w+) (\w+) \(([^)]*)\) (.+)", line)
        assert match, line
        when, result, written, names = match.groups()
        types = [_LONG_DOUBLE if t == "L" else t for t in (result, *written.split())]
        variadic = types[-1] == "..."
        params = tuple(types[1 : len(types) - variadic])
        for name in names.split():
            before, after = when in ("before", "both"), when in ("after", "both")
            yield Model(name, types[0], params, variadic, before, after)


MODELS: Mapping[str, Model] = MappingProxyType({model.name: model for model in _read(_TABLE)})

_READERS = """
memchr memrchr memcmp bcmp memmem rawmemchr strlen strnlen strcmp strncmp strcasecmp
strncasecmp strstr strcasestr strpbrk strchr index strchrnul strrchr rindex strspn strcspn
strverscmp fnmatch mbsinit wcslen wctype wcscmp wcscoll wcschr wcswidth
"""
_WRITES_LOGGED = """
atoi atol atoll atof getenv secure_getenv write pwrite pwrite64 writev fwrite fwrite_unlocked
fputs fputs_unlocked puts fputc putc _IO_putc putc_unlocked fputc_unlocked putchar
putchar_unlocked perror printf fprintf dprintf __printf_chk __fprintf_chk __dprintf_chk
error error_at_line warn warnx err errx vwarn vwarnx verr verrx
vprintf vfprintf vdprintf __vprintf_chk __vfprintf_chk
fgetc getc _IO_getc getc_unlocked fgetc_unlocked getchar getchar_unlocked ungetc _IO_ungetc
fgets fgets_unlocked __fgets_chk gets fread fread_unlocked read __read_chk pread pread64
memcpy memmove mempcpy __mempcpy __memcpy_chk __memmove_chk __mempcpy_chk bcopy
memset __memset_chk bzero explicit_bzero
strcpy stpcpy __stpcpy strcat strncpy stpncpy strncat strlcpy strlcat
__strcpy_chk __stpcpy_chk __strcat_chk __strncpy_chk __stpncpy_chk __strncat_chk
scanf fscanf sscanf __isoc99_scanf __isoc99_fscanf __isoc99_sscanf __isoc23_scanf __isoc23_fscanf
__isoc23_sscanf vscanf vfscanf vsscanf __isoc99_vscanf __isoc99_vfscanf __isoc99_vsscanf
__isoc23_vscanf __isoc23_vfscanf __isoc23_vsscanf
sprintf snprintf vsprintf vsnprintf __sprintf_chk __snprintf_chk __vsprintf_chk __vsnprintf_chk
strtol strtoul strtoll strtoull strtoimax strtoumax strtod strtof strtold
__isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull
__isoc23_strtoimax __isoc23_strtoumax
mbrtowc mbsrtowcs mbrlen mbtowc mblen mbstowcs wcrtomb wctomb wcstombs wcscpy wmemcpy wmemmove
wmemset gettext dgettext dcgettext ngettext dngettext dcngettext
"""
# Functions that write no memory, not even errno.
READERS = frozenset(_READERS.split())
# Functions whose hooks log all that they write, except errno and the state of streams.
# The replay does not take them for the writer of bytes whose writer is not logged.
WRITES_LOGGED = frozenset(_WRITES_LOGGED.split())

ERRNO_LOCATION = "__errno_location"  # the function that returns the address of errno

# Functions for which a recorded program calls another function of the same type.
REPLACED: Mapping[str, str] = MappingProxyType(
    {
        "sigaction": "wh_sigaction",
        "signal": "wh_signal",
        "bsd_signal": "wh_signal",
        "ssignal": "wh_signal",
        "sysv_signal": "wh_sysv_signal",
        "__sysv_signal": "wh_sysv_signal",
        "pthread_create": "wh_pthread_create",
        "vfork": "fork",  # a child that shares memory would write into its parent's log
        "_Fork": "fork",
    }
)
