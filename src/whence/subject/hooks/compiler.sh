#!/bin/sh
# Run the original $CC or $CXX, and instrument functions to log their first entry.
# If instrumented code cannot be compiled or linked, run the original command unchanged.
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

if [ "$runtime" ] && ! [ -f "$runtime" ]; then # moved into place: builds may run in parallel
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
