/* What happens when a signal arrives?  Handlers log into streams of their own; a crash is noted. */
#include <ucontext.h>

static struct sigaction wanted[NSIG]; /* what the program asked for, if `ours` is set */
static unsigned char ours[NSIG];

static int is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
           signal == SIGABRT || signal == SIGTRAP || signal == SIGSYS;
}

static uint64_t program_counter(const void *context)
{
    const ucontext_t *u = context;
#if defined(__x86_64__)
    return (uint64_t)u->uc_mcontext.gregs[16 /* REG_RIP */];
#elif defined(__aarch64__)
    return u->uc_mcontext.pc;
#else
    (void)u;
    return 0;
#endif
}

static void note_crash(int signal, const siginfo_t *info, const void *context)
{
    struct stream *s = current;
    while (s && !s->header) /* a handler that has not logged anything */
        s = s->outer;
    /* A handler that has not logged anything and crashes too must not hide the first crash. */
    if (!s || (s != current && s->header->state == WH_CRASHED))
        return;
    struct wh_header *h = s->header;
    /* A handler may raise the signal of a fault once more: the first delivery knows the address. */
    int is_raised = info->si_code <= 0;
    if (!is_raised || h->crash_signal != (uint32_t)signal) {
        h->crash_signal = (uint32_t)signal;
        h->crash_address = is_raised ? 0 : (uint64_t)info->si_addr;
        h->crash_code = (uint32_t)info->si_code;
        h->crash_pc = program_counter(context);
    }
    if (h->state == WH_RUNNING)
        h->state = WH_CRASHED;
}

static void survived(struct stream *s)
{
    if (s->header && s->header->state == WH_CRASHED)
        s->header->state = WH_RUNNING;
}

/* The program has no handler for this signal: note the crash, then die of the signal. */
static void die(int signal, siginfo_t *info, void *context)
{
    note_crash(signal, info, context);
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(signal, &plain, NULL);
    syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
}

static void catch_crash(int signal)
{
    struct sigaction action = {.sa_sigaction = die, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(signal, &action, NULL);
}

static void watch_crashes(void)
{
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction was;
        if (!is_crash(signal) || sigaction(signal, NULL, &was) || was.sa_handler != SIG_DFL)
            continue;
        wanted[signal] = was;
        ours[signal] = 1;
        catch_crash(signal);
    }
}

static void set_crash_stack(struct stream *s)
{
    stack_t was;
    if (sigaltstack(NULL, &was) || !(was.ss_flags & SS_DISABLE))
        return;
    s->crash_stack = sys_map(CRASH_STACK, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->crash_stack)
        sigaltstack(&(stack_t){.ss_sp = s->crash_stack, .ss_size = CRASH_STACK}, NULL);
}

static void drop_crash_stack(struct stream *s)
{
    stack_t is;
    if (!s->crash_stack || sigaltstack(NULL, &is) || is.ss_sp != s->crash_stack)
        return;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    sys_unmap(s->crash_stack, CRASH_STACK);
}

/* --- handlers of the program --- */

static struct stream *enter_handler(int signal, const siginfo_t *info, const char *frame)
{
    stack_t stack;
    sigaltstack(NULL, &stack);
    struct lock_state lock = enter();
    struct stream *s = new_stream(WH_HANDLER);
    s->outer = current;
    s->signal = (uint32_t)signal;
    s->fault = is_crash(signal) && info->si_code > 0 ? (uint64_t)info->si_addr : 0;
    s->parent = current ? current->number : 0;
    s->parent_offset = current && current->log != &nowhere ? wh_offset(current->log) : 0;
    s->low = stack.ss_flags & SS_ONSTACK ? stack.ss_sp : NULL;
    s->high = frame;
    current = s;
    wh_log = &nowhere;
    leave(lock);
    return s;
}

static void leave_handler(void)
{
    struct lock_state lock = enter();
    struct stream *s = current;
    current = s->outer;
    wh_log = current ? current->log : &nowhere;
    end_stream(s);
    drop_stream(s);
    leave(lock);
}

static void handle(int signal, siginfo_t *info, void *context)
{
    struct sigaction action = wanted[signal];
    if (is_crash(signal))
        note_crash(signal, info, context);
    if (action.sa_flags & SA_RESETHAND) {
        wanted[signal].sa_handler = SIG_DFL;
        if (is_crash(signal) && recording())
            catch_crash(signal);
    }
    struct stream *s = enter_handler(signal, info, __builtin_frame_address(0));
    if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, info, context);
    else
        action.sa_handler(signal);
    while (current != s)
        leave_handler(); /* handlers left by a jump into code that is not recorded */
    leave_handler();
    if (current && is_crash(signal) && signal != SIGABRT) /* abort() still ends the process */
        survived(current);
}

void wh_landed(void *frame)
{
    const char *at = frame;
    while (current && current->kind == WH_HANDLER && !(current->low <= at && at <= current->high)) {
        if (current->header && current->header->state == WH_RUNNING)
            current->header->state = WH_LEFT;
        leave_handler();
        if (current)
            survived(current);
    }
}

int wh_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    if (signal <= 0 || signal >= NSIG)
        return sigaction(signal, action, old);
    struct lock_state lock = enter();
    begin(NULL, NULL);
    struct sigaction before = wanted[signal], real, was;
    unsigned char mine = ours[signal];
    int result;
    if (!action) {
        result = sigaction(signal, NULL, &was);
    } else {
        int plain = action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN;
        real = wanted[signal] = *action;
        ours[signal] = 1;
        if (!plain) {
            real.sa_sigaction = handle;
            real.sa_flags |= SA_SIGINFO;
        } else if (action->sa_handler == SIG_DFL && is_crash(signal) && recording()) {
            real = (struct sigaction){.sa_sigaction = die, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        }
        result = sigaction(signal, &real, &was);
        if (result) {
            wanted[signal] = before;
            ours[signal] = mine;
        }
    }
    if (result)
        lock.error = errno;
    else if (old)
        *old = mine ? before : was;
    leave(lock);
    return result;
}

static sighandler_t set_handler(int signal, sighandler_t handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    if (!(flags & SA_NODEFER))
        sigaddset(&action.sa_mask, signal);
    return wh_sigaction(signal, &action, &old) ? SIG_ERR : old.sa_handler;
}

sighandler_t wh_signal(int signal, sighandler_t handler)
{
    return set_handler(signal, handler, SA_RESTART);
}

sighandler_t wh_sysv_signal(int signal, sighandler_t handler)
{
    return set_handler(signal, handler, (int)SA_RESETHAND | SA_NODEFER);
}
