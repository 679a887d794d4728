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
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

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

// Whether a folder's files are in memory: tmpfs or ramfs. Its struct begins with the type; the
// header would make Swift take other structs for this module's.
static inline int keychain_is_in_memory(const char *path) {
    long status[64];
    if (syscall(SYS_statfs, path, status) != 0) return 0;
    return (uint32_t)status[0] == 0x01021994 || (uint32_t)status[0] == 0x858458f6;
}

// pipe2 is hidden unless _GNU_SOURCE is defined; pipe's ends could get into a program that another
// thread starts.
extern int pipe2(int ends[2], int flags);
static inline int keychain_pipe(int ends[2]) { return pipe2(ends, 02000000 /* O_CLOEXEC */); }

// signal.h and sys/wait.h would make Swift take their structs for this module's.
typedef void (*keychain_handler)(int);
extern keychain_handler signal(int number, keychain_handler handler);
extern int sigaddset(sigset_t *set, int number);
extern int sigemptyset(sigset_t *set);
extern int sigfillset(sigset_t *set);
extern int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);
extern pid_t waitpid(pid_t process, int *status, int options);

// A program to be started in a session of its own, with a terminal.
typedef struct {
    const char *path;
    char *const *arguments;
    // For a script that does not name its interpreter.
    char *const *shell_arguments;
    char *const *environment;
    int32_t terminal;
    int32_t streams[3];
    // A pipe for keychain_session_report; closed on exec.
    int32_t reports;
} keychain_session_program;

enum { KEYCHAIN_SESSION_STARTED, KEYCHAIN_SESSION_FAILED, KEYCHAIN_SESSION_STATUS };

// The program's process id, an errno, or what waitpid said of the program.
typedef struct {
    int32_t kind;
    int32_t value;
} keychain_session_report;

static inline void keychain_report(int descriptor, int32_t kind, int32_t value) {
    keychain_session_report report = {kind, value};
    while (write(descriptor, &report, sizeof(report)) < 0 && errno == EINTR) {}
}

static inline void keychain_execute(const keychain_session_program *program) {
    setpgid(0, 0);
    tcsetpgrp(program->terminal, getpid());
    for (int stream = 0; stream < 3; stream++) dup2(program->streams[stream], stream);
    // A handler of the parent must not run here once signals are let in: HUP, INT, QUIT, USR1,
    // USR2, PIPE, TERM, CHLD, CONT, TSTP, WINCH.
    static const int handled[] = {1, 2, 3, 10, 12, 13, 15, 17, 18, 20, 28};
    keychain_handler usual = (keychain_handler)0, ignored = (keychain_handler)1;
    for (unsigned index = 0; index < sizeof(handled) / sizeof(*handled); index++) {
        if (signal(handled[index], usual) == ignored) signal(handled[index], ignored);
    }
    // Swift's threads block signals, which a program expects to be let in.
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(2 /* SIG_SETMASK */, &none, NULL);
    execve(program->path, program->arguments, program->environment);
    if (errno == ENOEXEC) execve("/bin/sh", program->shell_arguments, program->environment);
    keychain_report(program->reports, KEYCHAIN_SESSION_FAILED, errno);
    _exit(127);
}

// Leads the session, and reports each change of the program's state. Without a process in between
// the program could not be stopped: the kernel ignores the stop key for a process group without a
// parent in its own session.
static inline void keychain_lead_session(const keychain_session_program *program) {
    setsid();
    syscall(SYS_ioctl, program->terminal, 0x540E /* TIOCSCTTY */, 0);
    pid_t child = fork();
    if (child == 0) keychain_execute(program);
    if (child < 0) {
        keychain_report(program->reports, KEYCHAIN_SESSION_FAILED, errno);
        _exit(1);
    }
    keychain_report(program->reports, KEYCHAIN_SESSION_STARTED, child);
    // When the parent is gone, and with it the other end of the terminal, the kernel sends a SIGHUP
    // to the leader alone; at the leader's end it sends one to the program.
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, 1 /* SIGHUP */);
    signal(1, (keychain_handler)0);
    pthread_sigmask(1 /* SIG_UNBLOCK */, &hangup, NULL);
    if (syscall(436 /* close_range */, program->reports + 1, ~0U, 0) != 0) {
        for (int other = program->reports + 1; other < 1024; other++) close(other);
    }
    for (int other = 0; other < program->reports; other++) close(other);
    while (1) {
        int status;
        if (waitpid(child, &status, 2 /* WUNTRACED */) < 0) _exit(1);
        keychain_report(program->reports, KEYCHAIN_SESSION_STATUS, status);
        if ((status & 0xFF) != 0x7F /* stopped */) _exit(0);
    }
}

// Swift has no fork: in the child of a process with threads only calls that are safe in a signal
// handler are allowed, and Swift's runtime promises none. All the code above makes only such calls.
static inline pid_t keychain_start_session(const keychain_session_program *program) {
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(2 /* SIG_SETMASK */, &all, &mask);
    pid_t leader = fork();
    if (leader == 0) keychain_lead_session(program);
    pthread_sigmask(2 /* SIG_SETMASK */, &mask, NULL);
    return leader;
}

#endif
