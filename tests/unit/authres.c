#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "mail/header.h"
#include "mail/proof.h"
#include "tests/guard.h"

static const char *const domains[] = { "intel.com", "example.com" };

static const struct config_trust trust = {
	.dkim = { (const char **)domains, 2 },
	.authserv_id = "mx.example.org",
};

#define AR "Authentication-Results: "

static struct authres_case {
	const char *name, *in;
	enum proof_verdict want;
} cases[] = {
	{ "plain", AR "mx.example.org; dkim=pass header.d=intel.com",
	  PROOF_PROVEN },
	{ "case of everything",
	  "AUTHENTICATION-RESULTS:MX.Example.ORG;"
	  "DKIM=Pass HEADER.D=Intel.Com",
	  PROOF_PROVEN },
	{ "version, comments, folds",
	  AR "(by) mx.example.org (it) 1 (v(1)) ;\r\n"
	     "\tdkim (we) / 1 = (oh) pass (2048-bit; \\) key)\n"
	     " header . d (yes) = intel.com (end)",
	  PROOF_PROVEN },
	{ "other methods around it",
	  AR "mx.example.org; spf=pass smtp.mailfrom=lkp@intel.com;"
	     " dkim=pass reason=\"good; signature\" header.i=@intel.com"
	     " header.s=Intel header.b=aB/+3c== header.d=intel.com;"
	     " dmarc=pass (p=NONE) header.from=intel.com",
	  PROOF_PROVEN },
	{ "one signature failed, another passed",
	  AR "mx.example.org; dkim=fail header.d=intel.com;"
	     " dkim=pass header.d=intel.com",
	  PROOF_PROVEN },
	{ "quoted domain",
	  AR "mx.example.org; dkim=pass header.d=\"intel.com\"", PROOF_PROVEN },
	{ "quoted id", AR "\"mx.example.org\"; dkim=pass header.d=intel.com",
	  PROOF_PROVEN },
	{ "other servers' fields above ours",
	  AR "mx.example.net; dkim=fail header.d=intel.com\n" AR "(broken\n" AR
	     "mx.example.org; dkim=pass header.d=intel.com",
	  PROOF_PROVEN },

	{ "no field at all", "Subject: x", PROOF_UNPROVEN },
	{ "only another server's",
	  AR "mx.example.net; dkim=pass header.d=intel.com", PROOF_UNPROVEN },
	{ "an id that starts like ours",
	  AR "mx.example.org.evil.example; dkim=pass header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "forged below the server's own",
	  AR "mx.example.org; dkim=none\n" AR
	     "mx.example.org; dkim=pass header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "forged below one that checked nothing",
	  AR "mx.example.org; none\n" AR
	     "mx.example.org; dkim=pass header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "forged below a broken one",
	  AR "mx.example.org; dkim=\n" AR
	     "mx.example.org; dkim=pass header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "another domain",
	  AR "mx.example.org; dkim=pass header.d=evil.example",
	  PROOF_UNPROVEN },
	{ "a domain under ours",
	  AR "mx.example.org; dkim=pass header.d=x.intel.com", PROOF_UNPROVEN },
	{ "only header.i", AR "mx.example.org; dkim=pass header.i=@intel.com",
	  PROOF_UNPROVEN },
	{ "header.d named twice",
	  AR "mx.example.org; dkim=pass header.d=evil.example"
	     " header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "the domain stands in a comment",
	  AR "mx.example.org; dkim=pass (header.d=intel.com)", PROOF_UNPROVEN },
	{ "the result stands in a comment",
	  AR "mx.example.org; (dkim=pass header.d=intel.com)", PROOF_UNPROVEN },
	{ "the result stands in a reason",
	  AR "mx.example.org; dkim=fail reason=\"x; dkim=pass "
	     "header.d=intel.com\" header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "the domain stands in another method",
	  AR "mx.example.org; dkim=pass header.d=evil.example;"
	     " dmarc=pass header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "a property of another type",
	  AR "mx.example.org; dkim=pass smtp.d=intel.com", PROOF_UNPROVEN },
	{ "fail", AR "mx.example.org; dkim=fail header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "a result that starts with pass",
	  AR "mx.example.org; dkim=passable header.d=intel.com",
	  PROOF_UNPROVEN },
	{ "a backslash in the domain",
	  AR "mx.example.org; dkim=pass header.d=\"int\\el.com\"",
	  PROOF_UNPROVEN },
	{ "comment without end",
	  AR "mx.example.org; dkim=pass header.d=intel.com (", PROOF_UNPROVEN },
	{ "comment that ends in a backslash",
	  AR "mx.example.org; dkim=pass header.d=intel.com (\\",
	  PROOF_UNPROVEN },
	{ "quote without end",
	  AR "mx.example.org; dkim=pass header.d=intel.com reason=\"x",
	  PROOF_UNPROVEN },
	{ "junk behind a good result",
	  AR "mx.example.org; dkim=pass header.d=intel.com; \"",
	  PROOF_UNPROVEN },
	{ "only the id", AR "mx.example.org", PROOF_UNPROVEN },
	{ "empty", AR, PROOF_UNPROVEN },
};

static void check_authres(void **state)
{
	const struct authres_case *c = *state;
	struct proof_mail m = { .trust = &trust, .header = guard_copy(c->in) };
	struct err why = { 0 };

	assert_int_equal(proof_authres(&m, &why), c->want);
	assert_true(strlen(why.text) > 0);
}

static void without_an_id_nothing_counts(void **state)
{
	struct config_trust t = trust;
	struct proof_mail m = { .trust = &t,
				.header = guard_copy(cases[0].in) };
	struct err why;

	(void)state;
	t.authserv_id = NULL;
	assert_int_equal(proof_authres(&m, &why), PROOF_UNPROVEN);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(cases) + 1];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		tests[i] = (struct CMUnitTest){ .name = cases[i].name,
						.test_func = check_authres,
						.initial_state = &cases[i] };
	tests[ARRAY_LEN(cases)] = (struct CMUnitTest)cmocka_unit_test(
		without_an_id_nothing_counts);
	return cmocka_run_group_tests_name("authres", tests, NULL, NULL);
}
