/* Which process made a call, and what does the call name: a path, an address, a descriptor? */

#ifndef WHENCE_NAMES_H
#define WHENCE_NAMES_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "log.h"

#define MAX_KEY (MAX_PATH + 512)
#define MAX_ROLE 256

/* A process.  Its role is its place in the tree of processes: "0", its second child is "0.2". */
typedef struct {
    pid_t pid;
    u32 number, children;
    char role[MAX_ROLE];
} process_t;

/* The folders that are written {cwd} and {home} in names, so that names mean the same elsewhere. */
static char start_folder[MAX_PATH], home_folder[MAX_PATH];
static struct stat standard_input;

/* Append `path` to `into`, without double slashes and single dots; return the length. */
static int tidy(const char *path, char *into, int length) {
    while (*path && length < MAX_PATH - 2) {
        if (path[0] == '/' && (path[1] == '/' || (path[1] == '.' && (path[2] == '/' || !path[2]))))
            path += path[1] == '/' ? 1 : 2;
        else
            into[length++] = *path++;
    }
    if (length > 1 && into[length - 1] == '/') length--;
    into[length] = 0;
    return length;
}

static int is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return length > 1 && !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* Write an absolute path as a name. */
static void name_path(const char *path, char name[MAX_PATH]) {
    static char clean[MAX_PATH + 2];
    tidy(path, clean, 0);
    if (!*clean) strcpy(clean, "/");
    if (is_below(clean, start_folder))
        snprintf(name, MAX_PATH, "{cwd}%s", clean + strlen(start_folder));
    else if (is_below(clean, home_folder))
        snprintf(name, MAX_PATH, "{home}%s", clean + strlen(home_folder));
    else
        snprintf(name, MAX_PATH, "%s", clean);
}

static int link_of(pid_t pid, const char *what, int number, char into[MAX_PATH]) {
    char link[64];
    snprintf(link, sizeof link, number < 0 ? "/proc/%d/%s" : "/proc/%d/%s/%d", pid, what, number);
    ssize_t length = readlink(link, into, MAX_PATH - 1);
    if (length < 0) return 0;
    into[length] = 0;
    return 1;
}

static int status_of(pid_t pid, int descriptor, struct stat *status) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, descriptor);
    return stat(link, status) == 0;
}

/* --- sockets and files of ours, by inode --- */

typedef struct {
    ino_t inode;
    char name[256];
    u8 *stat;  /* of a file of ours: the recorded answer of stat, or null */
    int is_ours;
    void *listing;  /* of a folder whose names are replaced: the entry of the plan */
} known_t;

static known_t *known;
static size_t known_count, known_room;

static known_t *known_inode(ino_t inode) {
    for (size_t i = known_count; i-- > 0;)
        if (known[i].inode == inode) return &known[i];
    return NULL;
}

static known_t *remember(ino_t inode, const char *name) {
    known_t *found = known_inode(inode);
    if (!found) {
        if (known_count == known_room) {
            known_room = known_room * 2 + 32;
            known = realloc(known, known_room * sizeof *known);
            if (!known) fatal("memory");
        }
        found = &known[known_count++];
        memset(found, 0, sizeof *found);
        found->inode = inode;
    }
    snprintf(found->name, sizeof found->name, "%s", name);
    return found;
}

/* Write the name of a socket address; return 0 if it has none. */
static int name_address(pid_t pid, u64 at, u64 length, char name[256]) {
    struct sockaddr_storage storage = {0};
    if (length > sizeof storage) length = sizeof storage;
    if (!at || length < 2 || read_memory(pid, at, &storage, length) != length) return 0;
    char text[INET6_ADDRSTRLEN];
    if (storage.ss_family == AF_INET) {
        struct sockaddr_in *v4 = (void *)&storage;
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof text);
        snprintf(name, 256, "%s:%d", text, ntohs(v4->sin_port));
        return 1;
    }
    if (storage.ss_family == AF_INET6) {
        struct sockaddr_in6 *v6 = (void *)&storage;
        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof text);
        snprintf(name, 256, "[%s]:%d", text, ntohs(v6->sin6_port));
        return 1;
    }
    if (storage.ss_family == AF_UNIX && length > 2) {
        struct sockaddr_un *un = (void *)&storage;
        if (!un->sun_path[0]) snprintf(name, 256, "unix:@%.100s", un->sun_path + 1);
        else if (un->sun_path[0] != '/') snprintf(name, 256, "unix:%.107s", un->sun_path);
        else {
            char path[MAX_PATH];
            name_path(un->sun_path, path);
            snprintf(name, 256, "unix:%.240s", path);
        }
        return 1;
    }
    return 0;
}

/* Write what a descriptor of a process names; return 0 if that means nothing in another run. */
static int name_descriptor(pid_t pid, int descriptor, char name[MAX_PATH]) {
    char target[MAX_PATH];
    if (!link_of(pid, "fd", descriptor, target)) return 0;
    int is_memfd = !strncmp(target, "/memfd:", 7);
    if (is_memfd || !strncmp(target, "socket:[", 8)) {
        struct stat status;
        known_t *found = status_of(pid, descriptor, &status) ? known_inode(status.st_ino) : NULL;
        if (!found || (is_memfd && !found->is_ours)) return 0;
        snprintf(name, MAX_PATH, "%s", found->name);
        return 1;
    }
    if (target[0] != '/') return 0;  /* a pipe, an event counter */
    size_t length = strlen(target);
    if (length > 10 && !strcmp(target + length - 10, " (deleted)")) return 0;
    name_path(target, name);
    return 1;
}

/* Write the absolute path that a call names; return 0 if it cannot be known. */
static int absolute_path(pid_t pid, int folder, u64 address, char path[MAX_PATH]) {
    static char given[MAX_PATH], base[MAX_PATH];
    int length = read_text(pid, address, given);
    if (length <= 0) return 0;
    if (given[0] == '/') {
        memcpy(path, given, length + 1);
        return 1;
    }
    if (folder == AT_FDCWD) {
        if (!link_of(pid, "cwd", -1, base)) return 0;
    } else {
        if (!link_of(pid, "fd", folder, base)) return 0;
        struct stat status;
        if (!strncmp(base, "/memfd:", 7)) {
            known_t *found = status_of(pid, folder, &status) ? known_inode(status.st_ino) : NULL;
            if (!found || !found->is_ours) return 0;
            if (!strncmp(found->name, "{cwd}", 5))
                snprintf(base, MAX_PATH, "%s%s", start_folder, found->name + 5);
            else if (!strncmp(found->name, "{home}", 6))
                snprintf(base, MAX_PATH, "%s%s", home_folder, found->name + 6);
            else
                snprintf(base, MAX_PATH, "%s", found->name);
        }
        if (base[0] != '/') return 0;
    }
    snprintf(path, MAX_PATH, "%s/%s", base, given);
    return 1;
}

#endif
