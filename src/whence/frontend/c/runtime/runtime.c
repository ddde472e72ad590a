/* The whole runtime is one translation unit.  The object for static links and the shared library
 * are both made from it; only the interface is visible outside. */
#include "whence.h"

#include "system.c"
#include "register.c"
#include "stream.c"
#include "signals.c"
#include "effects.c"
#include "models.c"
#include "models_files.c"
#include "models_process.c"
#include "models_text.c"
#include "printf.c"
#include "scanf.c"
#include "patch.c"
