#include "bot/sandbox_calls.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "ph/slice.h"

/* Written by hand: libseccomp damages the heap when memory ends. */

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define MACHINE AUDIT_ARCH_PPC64LE
#endif

#ifdef MACHINE

/* x86-64 has its calls a second time, with pointers of 32 bits. */
#define X32_CALLS 0x40000000

/*
 * What we and our libraries call once the door is shut, found with strace over
 * all flow tests, and beside each what other releases of the C library call in
 * its place. clone3 is not among them: its flags lie in memory, where no filter
 * sees them, and the C library then takes clone.
 */
/* clang-format off */
static const uint32_t needed[] = {
	/* memory */
	SYS_brk, SYS_madvise, SYS_membarrier, SYS_mmap, SYS_mprotect,
	SYS_mremap, SYS_munmap,
	/* time, and waiting */
	SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep,
	SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2,
	SYS_eventfd2, SYS_getitimer, SYS_gettimeofday, SYS_nanosleep,
	SYS_ppoll, SYS_pselect6, SYS_setitimer, SYS_signalfd4,
	SYS_timerfd_create, SYS_timerfd_gettime, SYS_timerfd_settime,
	/* threads, signals, children, the end */
	SYS_exit, SYS_exit_group, SYS_futex, SYS_get_robust_list,
	SYS_restart_syscall, SYS_rseq, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_rt_sigreturn, SYS_rt_sigtimedwait, SYS_sched_getaffinity,
	SYS_sched_yield, SYS_set_robust_list, SYS_set_tid_address,
	SYS_sigaltstack, SYS_wait4, SYS_waitid,
	/* files that are open */
	SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_fadvise64,
	SYS_fallocate, SYS_fchmod, SYS_fchown, SYS_fcntl, SYS_fdatasync,
	SYS_flock, SYS_fstat, SYS_fstatfs, SYS_fsync, SYS_ftruncate,
	SYS_getdents64, SYS_lseek, SYS_msync, SYS_pipe2, SYS_pread64,
	SYS_preadv, SYS_pwrite64, SYS_pwritev, SYS_read, SYS_readv,
	SYS_write, SYS_writev,
	/* files by name: which ones is Landlock's matter */
	SYS_faccessat, SYS_faccessat2, SYS_fchmodat, SYS_getcwd, SYS_mkdirat,
	SYS_newfstatat, SYS_openat, SYS_openat2, SYS_readlinkat,
	SYS_renameat2, SYS_statfs, SYS_statx, SYS_umask, SYS_unlinkat,
	SYS_utimensat,
	/* sockets: of which families, below */
	SYS_bind, SYS_connect, SYS_getpeername, SYS_getsockname,
	SYS_getsockopt, SYS_recvfrom, SYS_recvmmsg, SYS_recvmsg, SYS_sendmmsg,
	SYS_sendmsg, SYS_sendto, SYS_setsockopt, SYS_shutdown, SYS_socketpair,
	/* who and where we are */
	SYS_getcpu, SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getpid,
	SYS_getppid, SYS_getrandom, SYS_getrusage, SYS_gettid, SYS_getuid,
	SYS_prctl, SYS_sysinfo, SYS_uname,
#ifdef SYS_open /* older names, not on arm64 and riscv64 */
	SYS_access, SYS_dup2, SYS_epoll_wait, SYS_getdents, SYS_lstat,
	SYS_mkdir, SYS_open, SYS_pipe, SYS_poll, SYS_readlink, SYS_rename,
	SYS_rmdir, SYS_select, SYS_stat, SYS_time, SYS_unlink, SYS_utimes,
#endif
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_recv
	SYS_recv, SYS_send,
#endif
};

/* A command of the operator's may need whatever a program needs. These it does
 * not: they break out of a process, or into one. */
static const uint32_t never[] = {
	SYS_add_key, SYS_bpf, SYS_chroot, SYS_clone3, SYS_delete_module,
	SYS_finit_module, SYS_fsconfig, SYS_fsmount, SYS_fsopen,
	SYS_init_module, SYS_io_uring_enter, SYS_io_uring_register,
	SYS_io_uring_setup, SYS_kexec_file_load, SYS_kexec_load, SYS_keyctl,
	SYS_mknodat, SYS_mount, SYS_move_mount, SYS_open_by_handle_at,
	SYS_open_tree, SYS_perf_event_open, SYS_personality, SYS_pidfd_getfd,
	SYS_pivot_root, SYS_process_vm_readv, SYS_process_vm_writev,
	SYS_quotactl, SYS_reboot, SYS_request_key, SYS_setns,
	SYS_swapoff, SYS_swapon, SYS_umount2, SYS_unshare, SYS_userfaultfd,
#ifdef SYS_mknod /* not on arm64 and riscv64 */
	SYS_mknod,
#endif
};
/* clang-format on */

struct program {
	struct sock_filter line[320];
	unsigned short n;
};

static void put(struct program *p, uint16_t code, uint32_t value, uint8_t yes,
		uint8_t no)
{
	assert(p->n < ARRAY_LEN(p->line));
	p->line[p->n++] = (struct sock_filter){ code, yes, no, value };
}

static void load(struct program *p, size_t offset)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end(struct program *p, uint32_t action)
{
	put(p, BPF_RET | BPF_K, action, 0, 0);
}

/* Ends with this action when what was loaded is the value. */
static void end_if(struct program *p, uint32_t value, uint32_t action)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
	end(p, action);
}

static void end_unless(struct program *p, uint32_t value, uint32_t action)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
	end(p, action);
}

/* Numbers of another machine's calls mean other calls. */
static void put_machine(struct program *p, uint32_t machine)
{
	load(p, offsetof(struct seccomp_data, arch));
	end_unless(p, machine, SECCOMP_RET_KILL_PROCESS);
	load(p, offsetof(struct seccomp_data, nr));
	if (machine != AUDIT_ARCH_X86_64)
		return;
	/* how a tracer has a call skipped; it has no other use */
	end_if(p, UINT32_MAX, SECCOMP_RET_ALLOW);
	put(p, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1);
	end(p, SECCOMP_RET_KILL_PROCESS);
}

/* As if the kernel did not have it: the C library then goes another way. */
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)
#define DENIED (SECCOMP_RET_ERRNO | EPERM)

/* The lines up to the matching end_of are for this call alone, with the lower
 * half of an argument loaded: of an int the kernel looks at no more. */
static unsigned short only(struct program *p, uint32_t call, unsigned arg)
{
	put(p, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 0);
	load(p, offsetof(struct seccomp_data, args[arg]));
	return p->n;
}

/* What no line before this one has decided ends with this action; so the
 * number of the call, which the next one compares, is loaded still. */
static void end_of(struct program *p, unsigned short block, uint32_t action)
{
	end(p, action);
	p->line[block - 2].jf = (uint8_t)(p->n - block + 1);
}

/* Sockets of other families (packet, vsock, ...) have had holes of their own. */
static void put_sockets(struct program *p, bool network)
{
	const unsigned short block = only(p, SYS_socket, 0);

	end_if(p, AF_UNIX, SECCOMP_RET_ALLOW);
	if (network) {
		end_if(p, AF_NETLINK, SECCOMP_RET_ALLOW);
		end_if(p, AF_INET, SECCOMP_RET_ALLOW);
		end_if(p, AF_INET6, SECCOMP_RET_ALLOW);
	}
	end_of(p, block, SECCOMP_RET_ERRNO | EACCES);
}

/* A thread or a fork, in no room of its own: as root of one, a process gets at
 * much of the kernel that it does not reach otherwise. */
static void put_clone(struct program *p)
{
	const unsigned short block = only(p, SYS_clone, 0);

	put(p, BPF_JMP | BPF_JSET | BPF_K,
	    CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS |
		    CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS,
	    0, 1);
	end(p, DENIED);
	end_of(p, block, SECCOMP_RET_ALLOW);
}

/* Writes into the terminal that the watch was started from. */
static void put_terminal(struct program *p)
{
	const unsigned short block = only(p, SYS_ioctl, 1);

	end_if(p, TIOCSTI, DENIED);
	end_if(p, TIOCLINUX, DENIED);
	end_of(p, block, SECCOMP_RET_ALLOW);
}

/* A call whose first argument is a process; only this one. */
static void put_process(struct program *p, uint32_t call, uint32_t process)
{
	const unsigned short block = only(p, call, 0);

	end_if(p, process, SECCOMP_RET_ALLOW);
	end_of(p, block, DENIED);
}

static void put_needed(struct program *p)
{
	const uint32_t own = (uint32_t)getpid();

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		end_if(p, needed[i], SECCOMP_RET_ALLOW);
	put_process(p, SYS_kill, own);
	put_process(p, SYS_tgkill, own);
	put_process(p, SYS_prlimit64, 0);
	end(p, ABSENT);
}

static void put_never(struct program *p)
{
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		end_if(p, never[i], ABSENT);
	end(p, SECCOMP_RET_ALLOW);
}

int sandbox_limit_calls(const struct sandbox_calls *c)
{
	struct program p = { .n = 0 };
	struct sock_fprog loaded = { .filter = p.line };

	put_machine(&p, MACHINE);
	put_sockets(&p, c->network);
	put_clone(&p);
	put_terminal(&p);
	end_if(&p, SYS_ptrace, c->trace ? SECCOMP_RET_ALLOW : ABSENT);
	if (c->execute)
		put_never(&p);
	else
		put_needed(&p);
	loaded.len = p.n;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &loaded);
}

#else

int sandbox_limit_calls(const struct sandbox_calls *c)
{
	(void)c;
	errno = ENOSYS;
	return -1;
}

#endif
