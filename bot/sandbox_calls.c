#include "bot/sandbox_calls.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
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

static const uint32_t never[] = {
	SYS_add_key,
	SYS_bpf,
	SYS_chroot,
	SYS_delete_module,
	SYS_finit_module,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fsopen,
	SYS_init_module,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_io_uring_setup,
	SYS_kexec_file_load,
	SYS_kexec_load,
	SYS_keyctl,
#ifdef SYS_mknod /* not on arm64 */
	SYS_mknod,
#endif
	SYS_mknodat,
	SYS_mount,
	SYS_move_mount,
	SYS_open_by_handle_at,
	SYS_open_tree,
	SYS_perf_event_open,
	SYS_personality,
	SYS_pidfd_getfd,
	SYS_pivot_root,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_quotactl,
	SYS_reboot,
	SYS_request_key,
	SYS_setns,
	SYS_swapoff,
	SYS_swapon,
	SYS_umount2,
	SYS_unshare,
	SYS_userfaultfd,
};

struct program {
	struct sock_filter line[160];
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

static void forbid(struct program *p, uint32_t call)
{
	end_if(p, call, SECCOMP_RET_ERRNO | EPERM);
}

/* The last part: sockets of other families (packet, vsock, ...) are refused,
 * all other calls are allowed. */
static void put_sockets(struct program *p, bool network)
{
	end_unless(p, SYS_socket, SECCOMP_RET_ALLOW);
	/* the kernel looks at the lower half of the register only */
	load(p, offsetof(struct seccomp_data, args[0]));
	end_if(p, AF_UNIX, SECCOMP_RET_ALLOW);
	if (network) {
		end_if(p, AF_NETLINK, SECCOMP_RET_ALLOW);
		end_if(p, AF_INET, SECCOMP_RET_ALLOW);
		end_if(p, AF_INET6, SECCOMP_RET_ALLOW);
	}
	end(p, SECCOMP_RET_ERRNO | EACCES);
}

int sandbox_limit_calls(const struct sandbox_calls *c)
{
	struct program p = { .n = 0 };
	struct sock_fprog loaded = { .filter = p.line };

	put_machine(&p, MACHINE);
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		forbid(&p, never[i]);
	if (!c->trace)
		forbid(&p, SYS_ptrace);
	if (!c->execute) {
		forbid(&p, SYS_execve);
		forbid(&p, SYS_execveat);
	}
	put_sockets(&p, c->network);
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
