#include "tests/repo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include "tests/scratch.h"

const char *repo_sh(const char *fmt, ...)
{
	static char out[8][4096];
	static unsigned turn;
	char command[8192], *ret = out[turn++ % 8];
	va_list ap;
	FILE *f;
	size_t n;
	int len = snprintf(command, sizeof(command),
			   "cd %s && export GIT_CONFIG_GLOBAL=/dev/null "
			   "GIT_CONFIG_NOSYSTEM=1 && exec 2>&1 && ",
			   scratch_dir());

	va_start(ap, fmt);
	vsnprintf(command + len, sizeof(command) - (size_t)len, fmt, ap);
	va_end(ap);
	f = popen(command, "r");
	assert_non_null(f);
	n = fread(ret, 1, sizeof(out[0]) - 1, f);
	ret[n] = '\0';
	if (pclose(f) != 0)
		fail_msg("%s:\n%s", command, ret);
	ret[strcspn(ret, "\n")] = '\0';
	return ret;
}

const char *repo_make(const char *name)
{
	repo_sh("git init -q -b master %s && cd %s && "
		"git config user.name 'Old Name' && "
		"git config user.email old@example.org && mkdir mm && "
		"printf 'New Name <new@example.org> <old@example.org>\\n' "
		">.mailmap && "
		"printf 'MEMORY\\nM:\\tM. Keeper <keeper@example.org>\\n"
		"S:\\tMaintained\\nF:\\tmm/\\n' >MAINTAINERS && "
		"seq 1 50 >mm/a.c && cp mm/a.c mm/b.c && git add . && "
		"git commit -q -m start",
		name, name);
	return scratch_path(name);
}
