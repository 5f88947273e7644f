#include "bot/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/sandbox_calls.h"
#include "ph/slice.h"

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

/* Younger than Debian 12's headers: Landlock ABI 3 (Linux 6.2). */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#endif

#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_FILE                                                         \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | \
	 LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_EXECUTE)
#define FS_WRITE                                                        \
	(FS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE |                      \
	 LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
	 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |  \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REFER)
#define FS_ALL_OF_ABI_1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

/*
 * What the C library, OpenSSL, GnuTLS and SASL read while they work. Of /etc
 * only these, since secrets lie there too. A file that is replaced later is
 * another file to Landlock: a worker's next connection is a new process and
 * sees it.
 */
static const char *const system_paths[] = {
	"/usr",
	"/lib",
	"/lib64",
	"/etc/ssl",
	"/etc/ca-certificates",
	"/etc/gnutls",
	"/etc/resolv.conf",
	"/run/systemd/resolve",
	"/etc/hosts",
	"/etc/host.conf",
	"/etc/nsswitch.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/localtime",
	"/etc/passwd",
	"/etc/group",
	"/etc/ld.so.cache",
	"/etc/sasl2",
	"/proc/self",
	"/proc/sys",
	"/sys/devices/system/cpu",
	"/dev/urandom",
	"/dev/random",
};

static enum status refused(const char *what, struct err *err)
{
	return err_exit(err, PH_FATAL, EX_OSERR, "sandbox: %s: %s", what,
			strerror(errno));
}

/* The size of the address space now, in bytes. */
static size_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	char line[128];
	struct slice s;
	uint64_t pages = 0;

	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f)) {
		s = slice_of(line);
		slice_take_uint(&s, SIZE_MAX / 65536, &pages);
	}
	fclose(f);
	return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static enum status limit_memory(size_t more, struct err *err)
{
	size_t now = address_space();
	struct rlimit r;

	/* ASan's shadow is terabytes of address space. */
	if (!more || !now || UNDER_ASAN)
		return PH_OK;
	if (getrlimit(RLIMIT_AS, &r) != 0)
		return refused("RLIMIT_AS", err);
	if (r.rlim_max != RLIM_INFINITY && r.rlim_max < now + more)
		return PH_OK; /* the operator's own limit is the lower one */
	r.rlim_cur = r.rlim_max = now + more;
	if (setrlimit(RLIMIT_AS, &r) != 0)
		return refused("RLIMIT_AS", err);
	return PH_OK;
}

static int landlock_abi(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
			    LANDLOCK_CREATE_RULESET_VERSION);
}

static uint64_t known_rights(int abi)
{
	uint64_t rights = FS_ALL_OF_ABI_1 | LANDLOCK_ACCESS_FS_REFER;

	if (abi >= 3)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	return rights;
}

static enum status allow_path(int rules, const char *path, uint64_t rights,
			      struct err *err)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights };
	struct stat st;
	enum status s = PH_OK;

	if (!path)
		return PH_OK;
	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return PH_OK;
	if (fstat(rule.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.allowed_access &= FS_FILE;
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH,
		    &rule, 0) != 0)
		s = refused(path, err);
	close(rule.parent_fd);
	return s;
}

static enum status allow_paths(int rules, uint64_t rights,
			       const struct sandbox *s, struct err *err)
{
	enum status st = PH_OK;

	for (size_t i = 0; !st && i < ARRAY_LEN(system_paths); i++)
		st = allow_path(rules, system_paths[i], FS_READ & rights, err);
	for (size_t i = 0; !st && i < s->n_paths; i++)
		st = allow_path(rules, s->paths[i].path,
				(s->paths[i].write ? FS_WRITE : FS_READ) &
					rights,
				err);
	return st;
}

static enum status limit_files(const struct sandbox *s, struct err *err)
{
	int abi = landlock_abi();
	struct landlock_ruleset_attr attr;
	enum status st;
	int rules;

	/* ABI 1 (until Linux 5.18) lets nobody move a file from one folder to
	 * another, as the archive must */
	if (abi < 2 || s->runs_commands)
		return PH_OK;
	attr = (struct landlock_ruleset_attr){
		.handled_access_fs = known_rights(abi),
	};
	rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr),
			     0);
	if (rules < 0)
		return refused("landlock", err);
	st = allow_paths(rules, attr.handled_access_fs, s, err);
	if (!st && syscall(SYS_landlock_restrict_self, rules, 0) != 0)
		st = refused("landlock", err);
	close(rules);
	return st;
}

static enum status limit_calls(const struct sandbox *s, struct err *err)
{
	const struct sandbox_calls c = { .trace = UNDER_ASAN,
					 .execute = s->runs_commands,
					 .network = s->network };

	if (sandbox_limit_calls(&c) == 0 || errno == EINVAL || errno == ENOSYS)
		return PH_OK; /* EINVAL: a kernel built without it */
	return refused("seccomp", err);
}

enum status sandbox_enter(const struct sandbox *s, struct err *err)
{
	enum status st;

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return refused("prctl", err);
	st = limit_memory(s->memory, err);
	if (!st)
		st = limit_files(s, err);
	if (!st)
		st = limit_calls(s, err);
	return st;
}

const char *sandbox_folder_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	if (slash == path)
		return "/";
	return arena_str(arena, slice_between(path, slash));
}

void sandbox_allow_seconds(unsigned seconds)
{
	const struct itimerval t = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &t, NULL);
}
