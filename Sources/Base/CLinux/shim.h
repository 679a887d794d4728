#ifndef KEYCHAIN_SYNC_CLINUX_H
#define KEYCHAIN_SYNC_CLINUX_H

#include <errno.h>
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>

// struct ucred is hidden unless _GNU_SOURCE is defined, which a module cannot rely on.
typedef struct {
    int32_t process_id;
    uint32_t user_id;
    uint32_t group_id;
} keychain_peer;

// Who is at the other end of a connected Unix socket, as it was when it connected.
static inline int keychain_peer_of(int descriptor, keychain_peer *peer) {
    socklen_t length = sizeof(*peer);
    return getsockopt(descriptor, SOL_SOCKET, 17 /* SO_PEERCRED */, peer, &length);
}

// sockaddr_un.sun_path comes into Swift as a tuple of 108 elements.
static inline int keychain_unix_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    if (length >= sizeof(address->sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

static inline int keychain_bind_unix(int descriptor, const char *path) {
    struct sockaddr_un address;
    if (keychain_unix_address(path, &address) != 0) return -1;
    return bind(descriptor, (const struct sockaddr *)&address, sizeof(address));
}

static inline int keychain_connect_unix(int descriptor, const char *path) {
    struct sockaddr_un address;
    if (keychain_unix_address(path, &address) != 0) return -1;
    return connect(descriptor, (const struct sockaddr *)&address, sizeof(address));
}

// prctl is variadic. With 0: no core dumps, and no other process of the same user may read our
// memory, nor see which program we are.
static inline int keychain_set_dumpable(int is_dumpable) {
    return prctl(PR_SET_DUMPABLE, is_dumpable, 0, 0, 0);
}

// Less than before is always allowed.
static inline void keychain_forbid_core_files(void) {
    struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
}

// Gives freed memory back to the system: after scrypt's 128 MiB, or once a burst is over.
static inline void keychain_give_memory_back(void) { malloc_trim(0); }

// The C library makes an arena for each thread that allocates; a daemon is better off with few.
static inline int keychain_limit_arenas(int count) { return mallopt(M_ARENA_MAX, count); }

// Its flags are an enum without a name, of another type than the parameter.
static inline int keychain_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// A timer whose clock also runs while the machine sleeps. Its flags are such an enum too.
static inline int keychain_boot_timer(void) {
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

// Makes the timer readable after this time, and unreadable until then.
static inline int keychain_set_timer(int descriptor, int64_t milliseconds) {
    struct itimerspec time = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000000}};
    return timerfd_settime(descriptor, 0, &time, NULL);
}

// These parts of spawn.h are hidden unless _GNU_SOURCE is defined.
static const short keychain_spawn_setsid = 0x80;
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);

static inline int keychain_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

static inline int keychain_spawn_change_directory(posix_spawn_file_actions_t *actions,
                                                  const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

#endif
