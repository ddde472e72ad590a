/* The whole runtime as one translation unit: the object for static links and the shared library
 * are both made of it, and nothing but the interface is visible outside. */
#include "whence.h"

#include "system.c"
#include "register.c"
#include "stream.c"
#include "signals.c"
#include "effects.c"
#include "models.c"
#include "models_files.c"
#include "models_process.c"
#include "printf.c"
#include "scanf.c"
#include "patch.c"
