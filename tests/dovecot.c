#include "tests/dovecot.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ph/arena.h"

#define SCRIPT "tests/dovecot.sh"

bool dovecot_here(void)
{
	return access("/usr/sbin/dovecot", X_OK) == 0 &&
	       access("/usr/lib/dovecot/lmtp", X_OK) == 0;
}

static const char *certificate(unsigned flags)
{
	if (flags & DOVECOT_WRONG_NAME)
		return "wrongname";
	if (flags & DOVECOT_UNTRUSTED)
		return "untrusted";
	if (flags & DOVECOT_EXPIRED)
		return "expired";
	if (flags & DOVECOT_SELF_SIGNED)
		return "selfsigned";
	return "good";
}

static void exec_script(const struct dovecot *d, unsigned flags, int in,
			int out)
{
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setenv("CERT", certificate(flags), 1);
	setenv("LAYOUT", flags & DOVECOT_MDBOX ? "mdbox" : "maildir", 1);
	execl(SCRIPT, SCRIPT, "run", d->dir, (char *)NULL);
	perror(SCRIPT);
	_exit(127);
}

static bool answered(struct dovecot *d, const char *want)
{
	char line[16];

	return fgets(line, sizeof(line), d->answer) && !strcmp(line, want);
}

static bool tell(struct dovecot *d, const char *what, const char *want)
{
	return write(d->control, what, strlen(what)) == (ssize_t)strlen(what) &&
	       answered(d, want);
}

/* The script's DIR/env: KEY=VALUE lines. */
static bool read_env(struct dovecot *d)
{
	char path[128], line[256];
	unsigned ports = 0, n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/env", d->dir);
	f = fopen(path, "r");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "IMAP_PORT=%u", &n) == 1)
			ports++, d->imap_port = (uint16_t)n;
		else if (sscanf(line, "IMAPS_PORT=%u", &n) == 1)
			ports++, d->imaps_port = (uint16_t)n;
		else if (sscanf(line, "LMTP_PORT=%u", &n) == 1)
			ports++, d->lmtp_port = (uint16_t)n;
	}
	fclose(f);
	d->password = "secret";
	snprintf(d->ca_file, sizeof(d->ca_file), "%s/ca.crt", d->dir);
	return ports == 3;
}

/* Beside the server's own files: those belong to nobody when we are root. */
static bool write_password(struct dovecot *d)
{
	int fd;
	bool ok;

	snprintf(d->password_file, sizeof(d->password_file), "%s/password",
		 d->dir);
	fd = open(d->password_file, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return false;
	ok = dprintf(fd, "%s\n", d->password) > 0;
	close(fd);
	return ok;
}

bool dovecot_start(struct dovecot *d, unsigned flags)
{
	int in[2], out[2];

	*d = (struct dovecot){ .control = -1 };
	snprintf(d->dir, sizeof(d->dir), "%s/dovecot.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(d->dir) || pipe2(in, O_CLOEXEC) < 0)
		return false;
	if (pipe2(out, O_CLOEXEC) < 0)
		return false;
	signal(SIGPIPE, SIG_IGN);
	d->pid = fork();
	if (d->pid == 0)
		exec_script(d, flags, in[0], out[1]);
	close(in[0]);
	close(out[1]);
	d->control = in[1];
	d->answer = fdopen(out[0], "r");
	if (d->pid > 0 && answered(d, "up\n") && read_env(d) &&
	    write_password(d))
		return true;
	dovecot_stop(d);
	return false;
}

void dovecot_stop(struct dovecot *d)
{
	if (d->control >= 0)
		close(d->control);
	if (d->pid > 0)
		waitpid(d->pid, NULL, 0);
	if (d->answer)
		fclose(d->answer);
	*d = (struct dovecot){ .control = -1 };
}

bool dovecot_down(struct dovecot *d)
{
	return tell(d, "stop\n", "down\n");
}

bool dovecot_up(struct dovecot *d)
{
	return tell(d, "start\n", "up\n");
}

/* Sends a command and takes one reply, of several lines perhaps. */
static bool talk(FILE *f, char want, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool talk(FILE *f, char want, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fflush(f);
	do {
		if (!fgets(line, sizeof(line), f))
			return false;
	} while (strlen(line) > 3 && line[3] == '-');
	return line[0] == want;
}

static void put_stuffed(FILE *f, struct slice raw)
{
	struct slice line;

	while (slice_take_line(&raw, &line)) {
		if (line.len && line.ptr[0] == '.')
			fputc('.', f);
		fwrite(line.ptr, 1, line.len, f);
		fputs("\r\n", f);
	}
}

static bool deliver_one(FILE *f, const char *user, struct slice raw)
{
	if (!talk(f, '2', "MAIL FROM:<lkp@intel.com>\r\n") ||
	    !talk(f, '2', "RCPT TO:<%s>\r\n", user) ||
	    !talk(f, '3', "DATA\r\n"))
		return false;
	put_stuffed(f, raw);
	return talk(f, '2', ".\r\n");
}

bool dovecot_deliver_all(const struct dovecot *d, const char *user,
			 const struct slice *raw, size_t n)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
				   .sin_port = htons(d->lmtp_port),
				   .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ok;
	FILE *f;

	if (connect(fd, (struct sockaddr *)&sin, sizeof(sin)) < 0 ||
	    !(f = fdopen(fd, "r+"))) {
		close(fd);
		return false;
	}
	ok = talk(f, '2', "%s", "") && talk(f, '2', "LHLO localhost\r\n");
	for (size_t i = 0; ok && i < n; i++)
		ok = deliver_one(f, user, raw[i]);
	fclose(f);
	return ok;
}

bool dovecot_deliver(const struct dovecot *d, const char *user,
		     struct slice raw)
{
	return dovecot_deliver_all(d, user, &raw, 1);
}
