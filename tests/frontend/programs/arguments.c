// The command line and the environment: argv, getopt, getenv, environ, setenv.
// args: -v --size=12 -o out.txt first "second word" ""
// env: WHENCE_TEST_WORD=hello
// exit: 3
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv) {
    static const struct option options[] = {{"size", required_argument, NULL, 's'}, {"verbose", no_argument, NULL, 'v'}, {0}};
    int size = 0, verbose = 0, c;
    const char *out = "-";
    while ((c = getopt_long(argc, argv, "vo:s:", options, NULL)) != -1) switch (c) {
        case 'v': verbose++; break;
        case 's': size = atoi(optarg); break;
        case 'o': out = optarg; break;
        default: return 99;
        }
    printf("%d %d %s %d\n", verbose, size, out, argc - optind);
    for (int i = optind; i < argc; i++) printf("[%s] %zu\n", argv[i], strlen(argv[i]));
    int seen = 0;
    for (char **e = environ; *e; e++) seen += strncmp(*e, "WHENCE_TEST_WORD=", 17) == 0;
    printf("%d %s %d\n", seen, getenv("WHENCE_TEST_WORD"), getenv("WHENCE_TEST_NONE") == NULL);
    setenv("WHENCE_TEST_NONE", "now", 1), unsetenv("WHENCE_TEST_WORD");
    printf("%s %d %d\n", getenv("WHENCE_TEST_NONE"), getenv("WHENCE_TEST_WORD") == NULL, argv[argc] == NULL);
    return argc - optind;
}
