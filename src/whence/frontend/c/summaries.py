"""What may library functions do with the pointers they are given?

A summary consists of words; N and M are argument numbers, counted from 0:

    rN, wN      reads, writes what argument N points to; with a *, also all arguments after it
    cNM         copies what M points to over what N points to
    =N, ~N      returns argument N, or a pointer into what it points to
    new, out    returns fresh memory, or memory that belongs to the library
    nN          makes the pointer that N points to point to fresh memory
    sNM         makes the pointer that N points to point into what M points to
    kNAB...     calls argument N with arguments A, B, ...

A function that is not listed may keep the pointers and do anything with what they lead to.
"""

from __future__ import annotations

# Each line: the words, then the functions that they sum up.
_TABLE = """
- : free cfree _ZdlPv _ZdlPvm _ZdaPv _ZdaPvm exit _exit _Exit abort toupper tolower isalpha isdigit
- : isalnum isspace isupper islower isprint ispunct iscntrl isgraph isxdigit abs labs fclose fflush
- : feof ferror clearerr fileno getc fgetc getchar putc fputc putchar rewind fseek fseeko ftell
- : ftello close lseek lseek64 fsync fdatasync ftruncate ftruncate64 dup dup2 rand srand random
- : srandom getpid getppid getuid geteuid getgid getegid sleep usleep alarm raise kill isatty umask
- : sysconf sqrt sin cos tan asin acos atan atan2 sinh cosh tanh pow exp log log2 log10 floor ceil
- : fabs fmod round trunc ldexp cbrt hypot setbuf ungetc closedir sched_yield longjmp _longjmp
- : siglongjmp __longjmp_chk __ctype_get_mb_cur_max munmap pthread_mutex_lock pthread_mutex_unlock
- : pthread_mutex_trylock pthread_mutex_destroy pthread_self __cxa_free_exception __cxa_end_catch
- : __cxa_guard_release __cxa_guard_abort fork _ZSt9terminatev
r0 : strlen atoi atol atoll atof puts perror unlink remove rmdir mkdir chmod access chdir system
r0 : fwrite fwrite_unlocked chown execv execvp wcslen
r0 r1 : strcmp strcasecmp strcoll strspn strcspn rename link symlink fputs strncmp strncasecmp
r0 r1 : memcmp bcmp execve utimes
r1 : write pwrite pwrite64 send
r0* : printf vprintf __printf_chk warn warnx err errx open open64 creat __assert_fail __assert_rtn
r0* : __assert __assert_perror_fail __assert_func
r1* : fprintf vfprintf __fprintf_chk dprintf vdprintf syslog openat
r2* : error
w0 r1* : sprintf vsprintf
w0 r2* : snprintf vsnprintf
w0 r3* : strftime __sprintf_chk __vsprintf_chk __snprintf_chk __vsnprintf_chk
w0 n0 r1* : asprintf vasprintf
r0 w1* : scanf __isoc99_scanf __isoc23_scanf
r0 r1 w2* : sscanf __isoc99_sscanf __isoc23_sscanf
r1 w2* : fscanf __isoc99_fscanf __isoc23_fscanf
w0 : bzero fread fread_unlocked gettimeofday pipe sigemptyset sigfillset sigaddset setjmp _setjmp
w0 : __sigsetjmp sigsetjmp time pthread_mutex_init uname times pthread_mutexattr_init
w0 : pthread_mutexattr_settype pthread_mutexattr_destroy llvm.memset
w1 : read pread pread64 fstat fstat64 recv fgetpos clock_gettime getrlimit getrusage frexp modf
w1 : pthread_join
r0 w1 : stat stat64 lstat lstat64 statfs nanosleep readlink
r0 r1 : fnmatch regcomp strverscmp wcscmp wcscoll
- : iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace
- : iswupper iswxdigit iswctype towlower towupper btowc wctob wcwidth
r0 : mbrlen mblen mbsinit wctype wcswidth
w0 r1 : mbtowc mbstowcs wcstombs
w0 : wctomb
w0 r1 w3 : mbrtowc
w0 w2 : wcrtomb
r0 =0 : gettext
r1 =1 : dgettext dcgettext
r0 r1 =0 =1 : ngettext
r1 r2 =1 =2 : dngettext dcngettext
w0 =0 : memset fgets fgets_unlocked gets getcwd __memset_chk
w0 r1 c01 =0 : memcpy memmove __memcpy_chk __memmove_chk llvm.memcpy llvm.memmove
w0 r1 c01 ~0 : mempcpy
w0 r1 c01 : llvm.va_copy
w0 r1 =0 : strcpy strncpy __strcpy_chk __strncpy_chk
r0 w0 r1 =0 : strcat strncat __strcat_chk __strncat_chk
w0 r1 ~0 : stpcpy stpncpy
r0 w0 r1 ~0 : strtok
w0 r1 : strxfrm strlcpy strlcat
r0 ~0 : strchr strrchr memchr index rindex strchrnul rawmemchr memrchr
r0 r1 ~0 : strstr strpbrk memmem strcasestr
r0 w0 r1 r2 w2 ~0 s20 : strtok_r
r0 w1 s10 : strtol strtoul strtoll strtoull strtod strtof strtold strtoimax strtoumax
r0 w1 s10 : __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull
new : malloc calloc valloc memalign aligned_alloc pvalloc _Znwm _Znam _ZnwmRKSt9nothrow_t
new : _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t __cxa_allocate_exception
r0 new : strdup strndup __strdup __strndup
new =0 w0 : realloc reallocf reallocarray
w0 n0 : posix_memalign
w0 w1 n0 : getline getdelim __getdelim
out : __errno_location localeconv tmpfile __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
out r0 r1 : getenv fopen fopen64 opendir popen strerror strsignal setlocale ctime gmtime localtime
out r1 : fdopen readdir readdir64
r0 w1 =1 : localtime_r gmtime_r
r0 w0 k300 : qsort
r0 r1 ~1 k401 : bsearch
w0 k23 : pthread_create thrd_create
k0 : atexit at_quick_exit
k1 : signal bsd_signal
=0 : llvm.threadlocal.address llvm.launder.invariant.group llvm.strip.invariant.group
=0 : llvm.ptr.annotation __cxa_begin_catch __dynamic_cast
~0 : llvm.ptrmask
"""


def _read() -> dict[str, tuple[str, ...]]:
    lines = (line.split(" : ") for line in _TABLE.split("\n") if line)
    return {
        name: tuple(words.split()) if words != "-" else ()
        for words, names in lines
        for name in names.split()
    }


SUMMARIES = _read()
_INTRINSICS = {name: words for name, words in SUMMARIES.items() if name.startswith("llvm.")}


def library_summary(name: str) -> tuple[str, ...] | None:
    """Return the words that sum up a function; None if the function is not known."""
    if name.startswith("llvm."):  # these names end with the types that they are used at
        known = (words for start, words in _INTRINSICS.items() if name.startswith(start))
        return next(known, ())  # all others compute, and touch no memory
    return SUMMARIES.get(name)
