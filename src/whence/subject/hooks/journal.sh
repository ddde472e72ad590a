#!/bin/sh
# Note the arguments of a compiler, then run it, or copy the object that the same text gave before.
# Two live processes never have the same number, so each has a file of the journal to itself.

# A compiler may search the PATH for another one of its name.  It must not find this script.
case :$PATH: in *:@SCRIPTS@:*)
    before=:$PATH: after=${before#*:@SCRIPTS@:} before=${before%%:@SCRIPTS@:*}
    before=${before#:} PATH=${before:+$before:}${after%:} ;;
esac
if [ -d "${WHENCE_CALLS:-}" ]; then
    { printf '=%s\0' "$PWD" @COMPILER@ "$@"; printf '\0'; } >>"$WHENCE_CALLS/$$" 2>/dev/null
fi

if [ "${WHENCE_FILL:-}" ] && @COMPILER@ "$WHENCE_FILL" -fsyntax-only -x c /dev/null 2>/dev/null; then
    set -- "$WHENCE_FILL" "$@"
fi

plain() { exec @COMPILER@ "$@"; }
[ -d "${WHENCE_OBJECTS:-}" ] || plain "$@"

# Only a call that compiles one source to one object is looked up.
output='' sources=0 compiles='' depends='' target='' written='' expected=''
for word do
    if [ "$expected" ]; then
        [ "$expected" != -o ] || output=$word
        expected=''
        continue
    fi
    case $word in
        -c) compiles=yes ;;
        -MD | -MMD) depends=yes ;;
        -MT | -MQ) target=yes expected=$word ;;
        -MF) written=yes expected=$word ;;
        -o | -I | -D | -U | -isystem | -iquote | -idirafter) expected=$word ;;
        -o* | -E | -S | -M | -MM | -Wp,* | -x | -include | -imacros | @* | - | -Winvalid-pch | -X* | \
        -fprofile* | -ftest-coverage | --coverage | -fplugin* | -save-temps* | -gsplit-dwarf | \
        -fmodules* | -fpch* | -fdump* | -fcallgraph-info* | -fstack-usage | -wrapper | -specs* | --*) plain "$@" ;;
        *.c | *.cc | *.cpp | *.cxx | *.c++ | *.C) sources=$((sources + 1)) ;;
        -*) ;;
        *) plain "$@" ;;
    esac
done
[ "$compiles" ] && [ "$sources" = 1 ] && [ "$output" ] || plain "$@"
[ "$depends" = "$target" ] && [ "$depends" = "$written" ] || plain "$@"

# Preprocessing also writes the file of dependencies, as the whole call would.
text=$WHENCE_OBJECTS/$$
preprocess() {
    expected=''
    for word do
        shift
        case $expected$word in
            -o) expected=-o ;;
            -o*) expected='' ;;
            -c) ;;
            *) set -- "$@" "$word" ;;
        esac
    done
    @COMPILER@ "$@" -E -o "$text.i" 2>/dev/null && ! grep -q incbin "$text.i"
}
if ! preprocess "$@"; then
    rm -f "$text.i"
    plain "$@"
fi
key=$({ printf '%s\0' "$PWD" @COMPILER@ "$@"; cat "$text.i"; } | sha256sum)
key=$WHENCE_OBJECTS/${key%% *}
rm -f "$text.i"
if [ -f "$key.o" ] && cp "$key.o" "$output" 2>/dev/null; then
    cat "$key.err" >&2
    exit 0
fi
@COMPILER@ "$@" 2>"$text.err"
status=$?
cat "$text.err" >&2
if [ "$status" = 0 ] && cp "$output" "$text.o" 2>/dev/null; then
    mv "$text.err" "$key.err" && mv "$text.o" "$key.o" # the object comes last: then the entry is whole
fi
rm -f "$text.err" "$text.o"
exit "$status"
