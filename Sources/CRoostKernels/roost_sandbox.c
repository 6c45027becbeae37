#define _GNU_SOURCE
#include "roost_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
/* The numbers of the ABI x32, which would name the same calls a second time. */
#define FIRST_FOREIGN_CALL 0x40000000
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define FIRST_FOREIGN_CALL 0xFFFFFFFF
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | error)
#define DENY(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), REFUSE(EPERM)
/* Permits a call only if an argument has none, or one, of the bits. */
#define PERMIT(call, argument, bits, if_set, if_not)                                                      \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOAD(args[argument]),                         \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), RETURN(if_set), RETURN(if_not)

#define ALLOWED SECCOMP_RET_ALLOW
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static void filter_calls(void) {
    static struct sock_filter calls[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        REFUSE(EPERM),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN_CALL, 0, 1),
        REFUSE(EPERM),
        /* Files */
        PERMIT(openat, 2, WRITING, REFUSED, ALLOWED),
#ifdef __x86_64__
        PERMIT(open, 1, WRITING, REFUSED, ALLOWED),
        DENY(creat), DENY(mkdir), DENY(mknod), DENY(link), DENY(symlink), DENY(rename), DENY(unlink), DENY(rmdir),
        DENY(chmod), DENY(chown), DENY(lchown), DENY(fork), DENY(vfork),
#endif
        DENY(mkdirat), DENY(mknodat), DENY(linkat), DENY(symlinkat), DENY(renameat2), DENY(unlinkat),
        DENY(truncate), DENY(fchmod), DENY(fchmodat), DENY(fchown), DENY(fchownat), DENY(utimensat),
        DENY(setxattr), DENY(lsetxattr), DENY(mount), DENY(umount2), DENY(chroot),
#ifdef __NR_renameat
        DENY(renameat),
#endif
#ifdef __NR_openat2
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat2, 0, 1), REFUSE(ENOSYS),
#endif
        /* Networks */
        DENY(socket), DENY(socketpair), DENY(connect), DENY(bind), DENY(listen), DENY(accept), DENY(accept4),
        /* Processes: threads only. The arguments of clone3 are in memory; without it, libraries call clone. */
        PERMIT(clone, 0, CLONE_THREAD, ALLOWED, REFUSED),
#ifdef __NR_clone3
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1), REFUSE(ENOSYS),
#endif
        DENY(execve), DENY(execveat), DENY(kill), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev),
        DENY(unshare), DENY(setns), DENY(bpf), DENY(perf_event_open), DENY(keyctl), DENY(add_key),
#ifdef __NR_io_uring_setup
        DENY(io_uring_setup),
#endif
        RETURN(ALLOWED),
    };
    struct sock_fprog program = {.len = sizeof calls / sizeof *calls, .filter = calls};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    /* A kernel that refuses the filter leaves the other limits. */
    syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
#else
static void filter_calls(void) {}
#endif

void roost_sandbox(void) {
    const struct rlimit nothing = {0, 0};
    setrlimit(RLIMIT_CORE, &nothing);
    setrlimit(RLIMIT_FSIZE, &nothing);
    filter_calls();
}

static void set_limit(int resource, rlim_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max ? value : limit.rlim_max;
    setrlimit(resource, &limit);
}

void roost_limit(long seconds, size_t bytes) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        set_limit(RLIMIT_CPU, usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 2 + seconds);
    set_limit(RLIMIT_DATA, bytes);
}

int roost_socket_pair(int sockets[2]) {
#ifdef __linux__
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets);
#else
    const int on = 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return -1;
    for (int index = 0; index < 2; index++) {
        fcntl(sockets[index], F_SETFD, FD_CLOEXEC);
        setsockopt(sockets[index], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    }
    return 0;
#endif
}

long roost_send(int socket, const void *bytes, size_t count) {
#ifdef __linux__
    return send(socket, bytes, count, MSG_NOSIGNAL);
#else
    return send(socket, bytes, count, 0);
#endif
}
