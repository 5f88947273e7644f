#include "bot/carrier.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/sandbox.h"
#include "bot/step.h"
#include "ph/limits.h"
#include "ph/log.h"

#define CARRIER_MEMORY (96 * MIB)

/* On the wire between the two: this, then the parcel's bytes in the order of
 * struct parcel. Both ends are the same program. */
struct head {
	size_t body, message_id, recipient, extra;
	int64_t now;
};

static bool write_all(int fd, const void *ptr, size_t len)
{
	const char *p = ptr;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_all(int fd, void *ptr, size_t len)
{
	char *p = ptr;

	while (len) {
		ssize_t n = recv(fd, p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* -- the carrier's own side -- */

static bool read_part(int fd, size_t len, struct arena *arena,
		      struct slice *ret)
{
	char *p = arena_alloc(arena, len + 1);

	*ret = (struct slice){ p, len };
	return read_all(fd, p, len);
}

static bool read_parcel(int fd, struct arena *arena, struct parcel *ret,
			int64_t *ret_now)
{
	struct head h;

	if (!read_all(fd, &h, sizeof(h)))
		return false;
	*ret_now = h.now;
	return read_part(fd, h.body, arena, &ret->body) &&
	       read_part(fd, h.message_id, arena, &ret->message_id) &&
	       read_part(fd, h.recipient, arena, &ret->recipient) &&
	       read_part(fd, h.extra, arena, &ret->extra);
}

static void carry(int fd, const struct config *config,
		  const struct config_channel *channel)
{
	struct sender *sender = sender_new(config);
	struct delivery_result result;
	struct parcel parcel;
	struct arena arena;
	int64_t now;

	arena_init(&arena);
	while (read_parcel(fd, &arena, &parcel, &now)) {
		memset(&result, 0, sizeof(result));
		step("to be sent");
		channel_send(sender, channel, &parcel, now, &result);
		step("sent");
		if (!write_all(fd, &result, sizeof(result)))
			break;
		arena_reset(&arena);
	}
	arena_release(&arena);
	sender_free(sender);
}

static enum status shut_in(const struct config *config,
			   const struct config_channel *ch, struct err *err)
{
	const bool mail = ch->type == CHANNEL_MAIL && config->has_smtp;
	const char *path = ch->path;
	struct arena arena;
	enum status s;

	arena_init(&arena);
	const struct sandbox_path paths[] = {
		{ secret_file(ch->url_file, &arena), false },
		{ secret_file(ch->token_file, &arena), false },
		{ secret_file(ch->secret_file, &arena), false },
		{ ch->ca_file, false },
		{ path ? sandbox_folder_of(&arena, path) : NULL, true },
		{ mail ? secret_file(config->smtp.password_file, &arena) : NULL,
		  false },
		{ mail ? config->smtp.ca_file : NULL, false },
	};
	const struct sandbox sandbox = {
		.memory = CARRIER_MEMORY,
		.paths = paths,
		.n_paths = sizeof(paths) / sizeof(paths[0]),
		.network = true,
	};

	s = sandbox_enter(&sandbox, err);
	arena_release(&arena);
	return s;
}

/*
 * It ends when the courier has closed the pair, not by a signal to the whole
 * group: what is on its way shall arrive, and be known to have. When the
 * courier is dead nobody can be told any more, and every further byte would
 * only make a double more likely.
 */
_Noreturn static void live(int fd, pid_t courier, const struct config *config,
			   const struct config_channel *channel)
{
	char name[80];
	struct err err;

	config_forget_urls(config, channel);
	signal(SIGTERM, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != courier)
		_exit(EX_OSERR);
	snprintf(name, sizeof(name), "courier %s", channel->name);
	log_set_name(name);
	if (shut_in(config, channel, &err)) {
		log_error("%s", err.text);
		exit(EX_OSERR);
	}
	carry(fd, config, channel);
	exit(EX_OK);
}

/* -- the courier's side -- */

enum status carrier_start(struct carrier *all, size_t i,
			  const struct config *config,
			  const struct config_channel *channel, struct err *err)
{
	struct carrier *c = &all[i];
	pid_t courier = getpid();
	int pair[2];

	*c = (struct carrier){ .channel = channel, .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_exit(err, PH_FATAL, EX_OSERR, "socketpair: %s",
				strerror(errno));
	fflush(NULL);
	c->pid = fork();
	if (c->pid == 0) {
		close(pair[0]);
		while (i--)
			close(all[i].fd);
		live(pair[1], courier, config, channel);
	}
	close(pair[1]);
	c->fd = pair[0];
	if (c->pid > 0)
		return PH_OK;
	close(c->fd);
	*c = (struct carrier){ .channel = channel, .fd = -1 };
	return err_exit(err, PH_FATAL, EX_OSERR, "fork: %s", strerror(errno));
}

int carrier_stop(struct carrier *c)
{
	int wait_status = 0;

	if (!c->pid)
		return EX_OK;
	shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	while (waitpid(c->pid, &wait_status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	c->fd = -1;
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EX_SOFTWARE;
}

static enum status dead(const struct carrier *c, struct err *err)
{
	return err_exit(err, PH_RETRY, EX_SOFTWARE,
			"channel %s: its sending process died",
			c->channel->name);
}

enum status carrier_give(struct carrier *c, const struct parcel *parcel,
			 int64_t now, struct err *err)
{
	const struct head h = { .body = parcel->body.len,
				.message_id = parcel->message_id.len,
				.recipient = parcel->recipient.len,
				.extra = parcel->extra.len,
				.now = now };
	const struct slice part[] = { parcel->body, parcel->message_id,
				      parcel->recipient, parcel->extra };

	if (!write_all(c->fd, &h, sizeof(h)))
		return dead(c, err);
	for (size_t i = 0; i < ARRAY_LEN(part); i++)
		if (!write_all(c->fd, part[i].ptr, part[i].len))
			return dead(c, err);
	c->busy = true;
	return PH_OK;
}

enum status carrier_take(struct carrier *c, struct delivery_result *ret,
			 struct err *err)
{
	struct delivery_result result;

	c->busy = false;
	if (!read_all(c->fd, &result, sizeof(result)))
		return dead(c, err);
	*ret = result;
	return PH_OK;
}
