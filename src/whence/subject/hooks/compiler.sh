#!/bin/sh
# Compiles as $CC or $CXX did, and adds that functions log their first entry.
# What cannot be compiled or linked so is compiled or linked as it was asked for.
plain() { exec @COMPILER@ "$@"; }

flag='' runtime=@SCRATCH@/functions.o input=''
for word do
    case $word in
        -E | -M | -MM | - | @* | -ffreestanding | -nostdlib | -nostartfiles | -nodefaultlibs) plain "$@" ;;
        -c | -S | -r | -fsyntax-only) runtime='' ;;
        *.c | *.cc | *.cpp | *.cxx | *.c++ | *.C) flag=-finstrument-functions input=yes ;;
        *.o | *.lo | *.a | *.obj) input=yes ;;
    esac
done
[ "$input" ] || plain "$@"

if [ "$runtime" ] && ! [ -f "$runtime" ]; then # moved into place whole: builds run in parallel
    @COMPILER@ -x c -c -O1 -fPIC -w -fno-sanitize=all @LOG@ \
        @SCRATCH@/functions.c -o "$runtime.$$.o" >/dev/null 2>&1 </dev/null \
        && mv "$runtime.$$.o" "$runtime" || plain "$@"
fi

said=@SCRATCH@/said.$$
if @COMPILER@ $flag ${runtime:+"$runtime"} "$@" 2>"$said"; then
    cat "$said" >&2
    rm -f "$said"
    exit 0
fi
rm -f "$said"
plain "$@"
