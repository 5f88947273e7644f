#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "mail/imap_session.h"
#include "tests/guard.h"
#include "tests/table.h"

static struct name_case {
	const char *name, *ours, *wire;
} cases[] = {
	{ "plain", "INBOX/Reports.0 x", "INBOX/Reports.0 x" },
	{ "ampersand", "R&D", "R&-D" },
	{ "one letter", "gr\xc3\xbcn", "gr&APw-n" },
	{ "RFC 3501's example",
	  "~peter/mail/\xe5\x8f\xb0\xe5\x8c\x97/"
	  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa"
	  "\x9e",
	  "~peter/mail/&U,BTFw-/&ZeVnLIqe-" },
	{ "a pair", "\xf0\x9f\x90\xa7", "&2D3cJw-" },
	{ "runs side by side", "\xc3\xbc&\xc3\xbc", "&APw-&-&APw-" },
	{ "empty", "", "" },
};

static void goes_both_ways(void **state)
{
	const struct name_case *c = *state;
	struct arena arena;

	arena_init(&arena);
	assert_string_equal(imap_name_to_wire(&arena, guard_copy(c->ours)),
			    c->wire);
	assert_string_equal(imap_name_from_wire(&arena, guard_copy(c->wire)),
			    c->ours);
	arena_release(&arena);
}

static void what_is_no_utf7_stays(void **state)
{
	static const char *const odd[] = { "a&b",   "&",     "&!-",
					   "&2D0-", "&3Kc-", "&2D3YPQ-" };
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		assert_string_equal(imap_name_from_wire(&arena,
							guard_copy(odd[i])),
				    odd[i]);
	arena_release(&arena);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + 1] = {
		cmocka_unit_test(what_is_no_utf7_stays),
	};
	size_t n = TABLE_LISTED(tests);

	TABLE_ADD(tests, n, cases, name, goes_both_ways);
	return cmocka_run_group_tests_name("imap_name", tests, NULL, NULL);
}
