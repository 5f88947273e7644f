/*
 * Bytes that a server sends, whatever is asked: through the guard and the IMAP
 * library, as far as a session gets with them.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mail/imap_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
const char *__asan_default_options(void);

/* libetpan forgets some bytes of an answer that it cannot read; the connection
 * ends with it, and its process soon after. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static const struct imap_times times = { 1000, 1000, 1000, 1 };
static const struct config_mailbox box = {
	.name = "fuzz",
	.url = { .scheme = "imap" },
	.folder = "*",
	.auth = AUTH_ANONYMOUS,
	.insecure = true,
};

static enum status take(void *arg, const struct imap_message *m,
			struct err *err)
{
	size_t *bytes = arg;

	(void)err;
	for (size_t i = 0; i < m->raw.len; i++)
		*bytes += (unsigned char)m->raw.ptr[i];
	return PH_OK;
}

static void session(struct imap *imap)
{
	const char *const *folders;
	struct imap_folder folder;
	uint32_t last = 0, uids[4];
	size_t bytes = 0, n;
	struct err err;

	if (imap_select(imap, "INBOX", &folder, &err) ||
	    imap_fetch(imap, 0, 0, take, &bytes, &last, &err) ||
	    imap_folders(imap, &folders, &n, &err) ||
	    imap_find_id(imap, S("a@b"), uids, 4, &n, &err))
		return;
	imap_wait(imap, 1, -1, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct imap *imap;
	struct err err;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) < 0)
		abort();
	if (send(fds[1], data, len, MSG_NOSIGNAL) == (ssize_t)len) {
		shutdown(fds[1], SHUT_WR);
		if (!imap_open_socket(&box, fds[0], &times, &imap, &err)) {
			session(imap);
			imap_close(imap);
		}
	} else {
		close(fds[0]);
	}
	close(fds[1]);
	return 0;
}
