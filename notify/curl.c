#include "notify/curl.h"

#include <stdbool.h>
#include <stdlib.h>
#include "ph/arena.h"

static void set_up(void)
{
	static bool done;

	if (!done && curl_global_init_mem(CURL_GLOBAL_DEFAULT, xmalloc, free,
					  xrealloc, xstrdup, xcalloc) != 0)
		out_of_memory();
	done = true;
}

CURL *curl_handle(void)
{
	CURL *ret;

	set_up();
	ret = curl_easy_init();
	if (!ret)
		out_of_memory();
	return ret;
}
