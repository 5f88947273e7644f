#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include "bot/desk.h"
#include "bot/reload.h"
#include "bot/store/message.h"
#include "bot/store/pack.h"
#include "ph/clock.h"
#include "ph/log.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

static struct arena arena;
static struct err err;

static void ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err.text);
}

static struct config *config_with(const char *match)
{
	const char *yaml = arena_printf(
		&arena,
		"state: %s\nsend: true\nreload_limit: 20\n"
		"channels:\n  chat: {type: file, path: /tmp/chat}\n"
		"routes:\n  - match: {%s}\n    to: [chat]\n",
		scratch_path("state.db"), match);
	struct config_errors errors;
	struct config *config = NULL;

	config_errors_init(&errors);
	ok(config_parse("test.yaml", slice_of(yaml), true, &config, &errors,
			NULL, &err));
	config_errors_release(&errors);
	return config;
}

static void give(struct store *s, int i)
{
	struct message msg;
	struct report report;
	struct message_in in = { .source = S("file"),
				 .folder = S("test"),
				 .now = clock_wall(),
				 .by_hand = true,
				 .proven = PROVEN_DKIM,
				 .message = &msg,
				 .report = &report };
	struct robot_mail m = {
		.commit = arena_printf(&arena, "%040d", i),
		.title = arena_printf(&arena, "mm: patch %d", i),
		.tree = "https://git.kernel.org/cgit/linux/kernel/git/next/"
			"linux-next.git master",
		.metric = "will-it-scale.per_process_ops",
		.percent = 3.5 + i,
	};
	int64_t id;

	in.arrived = in.now;
	ok(message_read(robot_mail(&m, &arena), &arena, &msg, &err));
	msg.date = in.now;
	ok(report_read(&msg, &arena, &report, &err));
	in.packed = pack_text(s, &arena, msg.text);
	ok(store_begin(s, &err));
	ok(store_end(s, message_add(s, &in, &id, &err), &err));
}

static void fill(int reports)
{
	struct store *s = scratch_store("state.db");
	struct config *config = config_with("min_percent: 1");
	struct desk desk;

	for (int i = 0; i < reports; i++)
		give(s, i);
	desk_init(&desk, config, s, NULL);
	while (desk_step(&desk, clock_wall(), &err) == PH_OK)
		;
	config_free(config);
	store_close(s);
}

static int judge(const char *before, const char *after)
{
	struct config *a = config_with(before), *b = config_with(after);
	int code = reload_judge(a, b);

	/* the supervisor's way, through a child, says the same */
	assert_int_equal(reload_allowed(a, b), code == 0);
	config_free(a);
	config_free(b);
	return code;
}

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena);
	log_set_level(LOG_ERROR_ + 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void a_small_change_is_let_in(void **state)
{
	(void)state;
	fill(10);
	assert_int_equal(judge("min_percent: 1", "min_percent: 1"), 0);
	/* two of ten */
	assert_int_equal(judge("min_percent: 1", "min_percent: 5"), 0);
}

static void a_large_change_is_refused(void **state)
{
	(void)state;
	fill(10);
	/* three of ten */
	assert_int_equal(judge("min_percent: 1", "min_percent: 6"), 1);
	assert_int_equal(judge("min_percent: 1", "verdict: improvement"), 1);
}

static void few_reports_say_nothing(void **state)
{
	(void)state;
	fill(9);
	assert_int_equal(judge("min_percent: 1", "verdict: improvement"), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_small_change_is_let_in),
		TEST(a_large_change_is_refused),
		TEST(few_reports_say_nothing),
	};

	return cmocka_run_group_tests_name("reload", tests, NULL, NULL);
}
