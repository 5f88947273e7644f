/* name: what people paste, one row a form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bot/name.h"

#define ID "202405171353.b56b845-oliver.sang@intel.com"

static const struct name_case {
	const char *typed, *want;
} cases[] = {
	{ ID, ID },
	{ "<" ID ">", ID },
	{ " " ID "\n", ID },
	{ "id:" ID, ID },
	{ "mid:" ID, ID },
	{ "https://lore.kernel.org/oe-lkp/" ID "/", ID },
	{ "https://lore.kernel.org/oe-lkp/" ID, ID },
	{ "<https://lore.kernel.org/r/" ID ">", ID },
	{ "https://lore.kernel.org/all/" ID "/T/#u", ID },
	{ "https://lore.kernel.org/all/" ID "/raw", ID },
	{ "https://lore.kernel.org/r/" ID "/?q=a%40b", ID },
	{ "https://lkml.kernel.org/r/"
	  "202405171353.b56b845-oliver.sang%40intel.com",
	  ID },
	{ "HTTP://lore.kernel.org/r/a%2Fb%2B1@x", "a/b+1@x" },
	{ "https://lore.kernel.org/r/a%zz%4@x%", "a%zz%4@x%" },
	{ "https://user@lore.kernel.org/lists/", "https://user@lore.kernel.org/"
						 "lists/" },
	{ "https://git.kernel.org/pub/scm/x.git/commit/?h=master&id=70A64b7919",
	  "70a64b7919" },
	{ "https://git.kernel.org/linus/70a64b7919cb", "70a64b7919cb" },
	{ "https://git.example.org/?p=x.git;a=commit;h=70a64b7919cb",
	  "70a64b7919cb" },
	{ "https://lore.kernel.org/oe-lkp/", "https://lore.kernel.org/"
					     "oe-lkp/" },
	{ "https://lore.kernel.org", "https://lore.kernel.org" },
	{ "https://", "https://" },
	{ "70A64B7919CB", "70a64b7919cb" },
	{ "mm: Walk the list", "mm: Walk the list" },
	{ "id: walk it", "id: walk it" },
	{ "uid:work/17", "uid:work/17" },
	{ "<>", "<>" },
	{ "", "" },
};

static void the_name_inside_is_found(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(name_plain(cases[i].typed, &arena).ptr,
				    cases[i].want);
	arena_release(&arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_inside_is_found),
	};

	return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
