/* A whole configuration as it is read, and the ceilings on one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sysexits.h>
#include "ph/config.h"
#include "ph/limits.h"
#include "tests/scratch.h"

#define PROOF "trust: {proof: none}\n"
#define CH    "channels: {c: {type: stdout}}\n"

static const char whole[] =
	"state: %1$s/state.db\n"
	"send: false\n"
	"operator: ops\n"
	"keep: 2w\n"
	"mailboxes:\n"
	"  lore:\n"
	"    url: imaps://lore.kernel.org/dev.linux.lists.oe-lkp.*\n"
	"    auth: anonymous\n"
	"    since: 90d\n"
	"  work:\n"
	"    url: "
	"imap://perf-bot%%40x.org@mail.example.org:1143/Reports%%20in\n"
	"    password_file: %1$s/imap.secret\n"
	"    done: move:Old\n"
	"    tell_since: 2024-10-16\n"
	"trust:\n"
	"  proof: none\n"
	"  dkim: [intel.com, example.org]\n"
	"git: {path: /srv/linux.git, merged: origin/master}\n"
	"smtp:\n"
	"  url: smtps://mail.example.org\n"
	"  from: perfherald <perf-bot@example.org>\n"
	"  password_file: %1$s/smtp.secret\n"
	"channels:\n"
	"  perf-chat: {type: slack, url_file: %1$s/slack.url, "
	"max_per_hour: 7}\n"
	"  mm: {type: mail, to: mm@example.org, digest: weekly tue 08:30, "
	"hours: \"mon-wed,fri 22:00-06:00 Europe/Berlin\"}\n"
	"  ops: {type: mail, to: [root@example.org, a@example.org], "
	"allow: \"*@example.org\", only_if_new: true}\n"
	"routes:\n"
	"  - match: {verdict: regression, min_percent: 5%%, "
	"testcase: [will-it-scale, vm-scalability]}\n"
	"    to: [mm, perf-chat]\n"
	"    continue: true\n"
	"  - match: {list: linux-mm@kvack.org, not: {evidence: [D]}}\n"
	"    to: mm\n";

static struct config *read_whole(const char *format)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct err err;
	struct buf yaml;

	scratch_file("imap.secret", "one\n", 0600);
	scratch_file("smtp.secret", "two\n", 0400);
	scratch_file("slack.url", "https://hooks.slack.com/services/T/B/x\n",
		     0600);
	buf_init(&yaml);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(&yaml, format, scratch_dir());
#pragma GCC diagnostic pop
	config_errors_init(&errors);
	if (config_read(scratch_file("whole.yaml", buf_str(&yaml), 0644),
			CONFIG_TO_WORK, &c, &errors, NULL, &err) != PH_OK)
		for (size_t i = 0; i < errors.n; i++)
			print_error("%s\n", errors.line[i].text);
	assert_non_null(c);
	config_errors_release(&errors);
	buf_release(&yaml);
	return c;
}

static void reads_a_whole_file(void **state)
{
	struct config *c = read_whole(whole);
	const struct config_mailbox *lore = config_mailbox(c, "lore");
	const struct config_mailbox *work = config_mailbox(c, "work");

	(void)state;
	assert_false(c->send);
	assert_string_equal(c->operator_->name, "ops");
	assert_int_equal(c->keep, 14 * 86400);
	assert_int_equal(c->reload_limit, 20);
	assert_int_equal(c->n_mailboxes, 2);
	assert_string_equal(lore->folder, "dev.linux.lists.oe-lkp.*");
	assert_int_equal(lore->auth, AUTH_ANONYMOUS);
	assert_int_equal(lore->since, 90 * 86400);
	assert_int_equal(lore->poll, 300);
	assert_int_equal(lore->url.port, 993);
	assert_false(lore->has_tell_since);
	assert_int_equal(lore->mark.line, 6);
	assert_int_equal(lore->mark.column, 3);
	assert_string_equal(work->url.user, "perf-bot@x.org");
	assert_string_equal(work->url.host, "mail.example.org");
	assert_string_equal(work->url.scheme, "imap");
	assert_int_equal(work->url.port, 1143);
	assert_string_equal(work->folder, "Reports in");
	assert_int_equal(work->done, DONE_MOVE);
	assert_string_equal(work->done_folder, "Old");
	assert_int_equal(work->tell_since, 1729036800);
	assert_true(work->has_tell_since);
	config_free(c);
}

static void reads_the_rest_of_it(void **state)
{
	struct config *c = read_whole(whole);
	const struct config_channel *mm = config_channel(c, "mm");

	(void)state;
	assert_int_equal(c->trust.n_proof, 1);
	assert_int_equal(c->trust.proof[0], PROOF_NONE);
	assert_int_equal(c->trust.dkim.n, 2);
	assert_int_equal(c->trust.from.n, 4);
	assert_string_equal(c->trust.from.item[3], "rong.a.chen@intel.com");
	assert_true(c->git.maintainers);
	assert_int_equal(c->git.merged.n, 1);
	assert_string_equal(c->smtp.from_name, "perfherald");
	assert_string_equal(c->smtp.from_address, "perf-bot@example.org");
	assert_string_equal(c->smtp.envelope_from, "perf-bot@example.org");
	assert_string_equal(c->smtp.user, "perf-bot@example.org");
	assert_int_equal(config_channel(c, "perf-chat")->max_per_hour, 7);
	assert_int_equal(mm->digest.every, DIGEST_WEEKLY);
	assert_int_equal(mm->digest.weekday, 1);
	assert_int_equal(mm->digest.minute, 8 * 60 + 30);
	assert_int_equal(mm->hours.days, 0x17);
	assert_int_equal(mm->hours.from, 22 * 60);
	assert_int_equal(mm->hours.to, 6 * 60);
	assert_string_equal(mm->hours.zone, "Europe/Berlin");
	assert_null(config_channel(c, "nobody"));
	assert_int_equal(c->n_routes, 2);
	assert_ptr_equal(c->routes[0].to[0], mm);
	assert_true(c->routes[0].go_on);
	assert_true(c->routes[0].match.has_min_percent);
	assert_float_equal(c->routes[0].match.min_percent, 5, 0);
	assert_int_equal(c->routes[0].match.testcase.n, 2);
	assert_false(c->routes[1].go_on);
	assert_string_equal(c->routes[1].match.not_->evidence.item[0], "D");
	config_free(c);
}

static void nesting_has_a_ceiling(void **state)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	(void)state;
	/* file, routes, route, match: four levels stand around the first not */
	for (int deeper = 0; deeper < 2; deeper++) {
		buf_init(&yaml);
		config_errors_init(&errors);
		buf_add_str(&yaml, PROOF CH "routes: [{to: c, match: ");
		for (int i = 0; i < LIMIT_CONFIG_NEST - 4 + deeper; i++)
			buf_add_str(&yaml, "{not: ");
		buf_add_str(&yaml, "{tree: x}");
		for (int i = 0; i < LIMIT_CONFIG_NEST - 4 + deeper; i++)
			buf_add_char(&yaml, '}');
		buf_add_str(&yaml, "}]\n");
		assert_int_equal(config_parse("f", buf_slice(&yaml), false, &c,
					      &errors, NULL, &err),
				 deeper ? PH_FATAL : PH_OK);
		assert_int_equal(errors.n, deeper);
		config_free(c);
		c = NULL;
		if (deeper)
			assert_non_null(strstr(errors.line[0].text,
					       "nested over 16 levels "
					       "(LIMIT_CONFIG_NEST)"));
		config_errors_release(&errors);
		buf_release(&yaml);
	}
}

static void mistakes_have_a_ceiling(void **state)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	struct err err;

	(void)state;
	buf_init(&yaml);
	config_errors_init(&errors);
	buf_add_str(&yaml, PROOF);
	for (int i = 0; i < LIMIT_CONFIG_ERRORS + 3; i++)
		buf_printf(&yaml, "unheard-of-%d: 1\n", i);
	assert_int_equal(config_parse("f", buf_slice(&yaml), false, &c, &errors,
				      NULL, &err),
			 PH_FATAL);
	assert_int_equal(errors.n, LIMIT_CONFIG_ERRORS);
	assert_int_equal(errors.more, 3);
	assert_string_equal(err.text, "f: 53 mistakes");
	config_errors_release(&errors);
	buf_release(&yaml);
}

static enum status read_size(size_t size, struct err *err)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct buf yaml;
	enum status s;

	buf_init(&yaml);
	config_errors_init(&errors);
	buf_add_str(&yaml, PROOF "#");
	while (yaml.len < size - 1)
		buf_add_char(&yaml, 'x');
	buf_add_char(&yaml, '\n');
	s = config_read(scratch_file("big.yaml", buf_str(&yaml), 0644),
			CONFIG_TO_WORK, &c, &errors, NULL, err);
	config_free(c);
	config_errors_release(&errors);
	buf_release(&yaml);
	return s;
}

static void size_has_a_ceiling(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_size(LIMIT_CONFIG, &err), PH_OK);
	assert_int_equal(read_size(LIMIT_CONFIG + 1, &err), PH_FATAL);
	assert_int_equal(err.exit_code, EX_CONFIG);
	assert_non_null(strstr(err.text, "(LIMIT_CONFIG)"));
}

static void a_missing_file_is_66(void **state)
{
	struct config_errors errors;
	struct config *c = NULL;
	struct err err;

	(void)state;
	config_errors_init(&errors);
	assert_int_equal(config_read("/nowhere/x.yaml", CONFIG_TO_WORK, &c,
				     &errors, NULL, &err),
			 PH_FATAL);
	assert_int_equal(err.exit_code, EX_NOINPUT);
	assert_string_equal(err.text,
			    "/nowhere/x.yaml: No such file or directory");
	config_errors_release(&errors);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_whole_file),
		cmocka_unit_test(reads_the_rest_of_it),
		cmocka_unit_test(nesting_has_a_ceiling),
		cmocka_unit_test(mistakes_have_a_ceiling),
		cmocka_unit_test(size_has_a_ceiling),
		cmocka_unit_test(a_missing_file_is_66),
	};

	unsetenv("CREDENTIALS_DIRECTORY");
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
