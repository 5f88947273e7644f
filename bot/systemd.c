#include "bot/systemd.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "ph/slice.h"

void systemd_tell(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	socklen_t addr_len;
	int fd;

	if (len < 2 || len >= sizeof(addr.sun_path))
		return;
	memcpy(addr.sun_path, path, len);
	if (path[0] == '@') /* the abstract name space */
		addr.sun_path[0] = '\0';
	addr_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* A service manager that does not listen is no reason to stop. */
	(void)!sendto(fd, text, strlen(text), MSG_NOSIGNAL,
		      (const struct sockaddr *)&addr, addr_len);
	close(fd);
}

static bool env_number(const char *name, uint64_t *ret)
{
	struct slice s = slice_of(getenv(name));

	return slice_take_uint(&s, INT64_MAX, ret) && !s.len;
}

int64_t systemd_watchdog_ms(void)
{
	uint64_t usec, pid;

	if (!env_number("WATCHDOG_USEC", &usec))
		return 0;
	if (env_number("WATCHDOG_PID", &pid) && pid != (uint64_t)getpid())
		return 0;
	return (int64_t)(usec / 2000); /* twice as often as is asked */
}
