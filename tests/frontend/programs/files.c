// Files in the current folder: written, read back, sought, appended, renamed, removed; raw fds.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void streams(void) {
    FILE *f = fopen("text.txt", "w");
    for (int i = 0; i < 20; i++) fprintf(f, "line %d\n", i * i);
    fclose(f);
    f = fopen("text.txt", "r+");
    char line[40];
    int lines = 0, last = 0;
    while (fgets(line, sizeof line, f)) lines++, sscanf(line, "line %d", &last);
    printf("%d %d %d %ld\n", lines, last, !!feof(f), ftell(f));
    fseek(f, 5, SEEK_SET), ungetc('!', f);
    printf("%c%c %d\n", fgetc(f), fgetc(f), fileno(f) > 2);
    rewind(f), fputs("LINE", f), fseek(f, 0, SEEK_END), fputs("end\n", f), fclose(f);
    f = fopen("binary", "wb");
    double numbers[4] = {1, 2.5, -3, 1e9}, back[4];
    fwrite(numbers, sizeof *numbers, 4, f), fclose(f);
    f = fopen("binary", "rb");
    fread(back, sizeof *back, 4, f);
    printf("%g %zu\n", back[1] + back[2], fread(back, 1, 1, f));
    fclose(f);
    f = freopen("text.txt", "a", fopen("text.txt", "r"));
    fprintf(f, "%s", "appended\n"), fclose(f);
    printf("%d %s\n", fopen("missing/none", "r") == NULL, strerror(errno));
    f = tmpfile(), fputs("gone", f), rewind(f), printf("%s\n", fgets(line, 40, f)), fclose(f);
}

static void descriptors(void) {
    int fd = open("raw", O_CREAT | O_RDWR | O_TRUNC, 0600);
    struct iovec parts[2] = {{"first ", 6}, {"second", 6}};
    printf("%d ", (int)writev(fd, parts, 2));
    pwrite(fd, "F", 1, 0), lseek(fd, 3, SEEK_SET);
    char buffer[16] = "";
    printf("%d %s ", (int)read(fd, buffer, 5), buffer);
    pread(fd, buffer, 4, 8);
    int twin = dup(fd);
    write(twin, "!", 1), close(twin);
    printf("%s %d\n", buffer, (int)lseek(fd, 0, SEEK_CUR));
    struct stat about;
    fstat(fd, &about);
    char *map = mmap(NULL, 12, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    map[11] = 'D';
    printf("%d %.12s\n", (int)about.st_size, map);
    munmap(map, 12), close(fd);
    rename("raw", "renamed"), unlink("binary"), mkdir("folder", 0700), symlink("renamed", "folder/link");
    DIR *here = opendir("folder");
    int entries = 0;
    while (readdir(here)) entries++;
    closedir(here);
    int ends[2];
    pipe(ends), write(ends[1], "piped", 5), read(ends[0], buffer, 5);
    printf("%d %.5s %d\n", entries, buffer, access("raw", F_OK));
    close(ends[0]), close(ends[1]);
}

int main(void) {
    streams();
    descriptors();
    return 0;
}
