#include "tests/guard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct slice guard_bytes(const void *ptr, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (len + page - 1) / page * page;
	char *map = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(map != MAP_FAILED);
	assert(mprotect(map + room, page, PROT_NONE) == 0);
	if (len)
		memcpy(map + room - len, ptr, len);
	return (struct slice){ map + room - len, len };
}

struct slice guard_copy(const char *str)
{
	return guard_bytes(str, strlen(str));
}

void guard_free(struct slice s)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (s.len + page - 1) / page * page;

	assert(munmap((char *)s.ptr + s.len - room, room + page) == 0);
}

static bool valgrind;

/* At the start: tests change LD_PRELOAD for what they start. */
__attribute__((constructor)) static void look(void)
{
	const char *preload = getenv("LD_PRELOAD");

	valgrind = preload && strstr(preload, "vgpreload");
}

bool guard_valgrind(void)
{
	return valgrind;
}

int guard_patience(void)
{
	return valgrind ? 10 : 1;
}
