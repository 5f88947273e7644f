#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>
#include "bot/desk.h"
#include "bot/fixes.h"
#include "bot/gate.h"
#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/patch.h"
#include "bot/store/query.h"
#include "tests/robot_mail.h"
#include "tests/scratch.h"

/* A Thursday, 2026-10-01 12:00:00 UTC. */
#define NOW 1790856000
#define DAY 86400

#define COMMIT_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
#define COMMIT_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2"
#define COMMIT_C "ccccccccccccccccccccccccccccccccccccccc3"
#define NEXT                                                 \
	"https://git.kernel.org/cgit/linux/kernel/git/next/" \
	"linux-next.git master"
#define MAINLINE                                                 \
	"https://git.kernel.org/cgit/linux/kernel/git/torvalds/" \
	"linux.git master"

static struct store *s;
static struct config *config;
static struct desk desk;
static struct arena arena;
static struct err err;
static int64_t now;

static void ok(enum status st)
{
	if (st != PH_OK)
		fail_msg("status %d: %s", st, err.text);
}

static const char usual[] = "state: /tmp/x.db\n"
			    "send: true\n"
			    "operator: ops\n"
			    "smtp: {url: smtps://mail.example.org, "
			    "from: bot@example.org}\n"
			    "channels:\n"
			    "  ops: {type: file, path: /tmp/ops}\n"
			    "  chat: {type: file, path: /tmp/chat}\n"
			    "  author: {type: mail, to: \"@author\"}\n"
			    "routes:\n"
			    "  - match: {min_percent: 3}\n"
			    "    to: [chat]\n";

static void use_config(const char *yaml)
{
	struct config_errors errors;
	enum status st;

	config_free(config);
	config = NULL;
	config_errors_init(&errors);
	st = config_parse("test.yaml", slice_of(yaml), true, &config, &errors,
			  NULL, &err);
	if (st != PH_OK)
		fail_msg("%s", errors.n ? errors.line[0].text : err.text);
	config_errors_release(&errors);
	desk_init(&desk, config, s, NULL);
}

static int set_up(void **state)
{
	(void)state;
	s = scratch_store("state.db");
	arena_init(&arena);
	now = NOW;
	use_config(usual);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	config_free(config);
	config = NULL;
	store_close(s);
	return 0;
}

/* -- telling the story -- */

static int64_t give(const struct robot_mail *m, enum proven proven)
{
	struct message *msg = arena_new(&arena, struct message);
	struct report *report = arena_new(&arena, struct report);
	struct message_in in = { .source = S("file"),
				 .folder = S("test"),
				 .arrived = now,
				 .now = now,
				 .by_hand = true,
				 .proven = proven,
				 .proof = S("made up"),
				 .message = msg,
				 .report = report };
	int64_t id;

	ok(message_read(robot_mail(m, &arena), &arena, msg, &err));
	ok(report_read(msg, &arena, report, &err));
	assert_int_equal(report->kind, REPORT_PERFORMANCE);
	assert_int_equal(report->n_results, 1);
	assert_false(report->partial);
	msg->date = now;
	in.packed = message_pack(&arena, msg->text);
	ok(store_begin(s, &err));
	ok(store_end(s, message_add(s, &in, &id, &err), &err));
	return id;
}

static void decide_all(void)
{
	enum status st;

	while ((st = desk_step(&desk, now, &err)) == PH_OK)
		;
	assert_int_equal(st, PH_NONE);
}

struct notices {
	char text[4096];
};

static void add_notice(void *arg, const struct outbox_row *row)
{
	static const char *const kind[] = { "first", "update", "forward",
					    "digest", "operator" };
	struct notices *l = arg;
	struct notice n = { 0 };
	size_t len = strlen(l->text);
	struct buf subject;

	ok(notice_from_json(row->facts, &arena, &n, &err));
	buf_init(&subject);
	notice_subject(&n, &subject);
	snprintf(l->text + len, sizeof(l->text) - len, "%s %.*s%s%.*s: %s\n",
		 kind[row->kind], S_FMT(row->channel),
		 row->target.len ? " " : "", S_FMT(row->target),
		 buf_str(&subject));
	buf_release(&subject);
}

static void expect_of(int64_t message, const char *want)
{
	struct notices l = { "" };

	ok(outbox_each(s, ~0u, 0, message, &arena, add_notice, &l, &err));
	assert_string_equal(l.text, want);
}

/* What one report leads to. */
static int64_t tell(struct robot_mail m, const char *want)
{
	int64_t id = give(&m, PROVEN_DKIM);

	decide_all();
	expect_of(id, want);
	return id;
}

static void add_trace(void *arg, const struct trace *t)
{
	struct notices *l = arg;
	size_t len = strlen(l->text);

	snprintf(l->text + len, sizeof(l->text) - len, "%.*s: %.*s\n",
		 S_FMT(t->step), S_FMT(t->text));
}

static void why(int64_t message, const char *part)
{
	struct notices l = { "" };

	ok(trace_each(s, message, 0, &arena, add_trace, &l, &err));
	if (!strstr(l.text, part))
		fail_msg("no \"%s\" in:\n%s", part, l.text);
}

static int64_t patch_of(int64_t message)
{
	struct message_row row;
	int64_t root;

	ok(message_get(s, message, &arena, &row, &err));
	assert_true(row.patch);
	ok(patch_root(s, row.patch, &root, &err));
	return root;
}

static enum message_state state_of(int64_t message)
{
	struct message_row row;

	ok(message_get(s, message, &arena, &row, &err));
	return row.state;
}

static const struct robot_mail base = {
	.commit = COMMIT_A,
	.title = "mm: walk the list under one lock",
	.to = "author@example.org",
	.tree = NEXT,
	.label = "linux-next:master",
	.metric = "will-it-scale.per_process_ops",
	.percent = 12.0,
};

/* -- the story of one patch -- */

static void the_story_of_a_patch(void **state)
{
	struct robot_mail m = base;
	int64_t first, id;

	(void)state;
	first = tell(m, "first chat: WORSE 12.0% will-it-scale.per_process_ops"
			": mm: walk the list under one lock\n");

	/* the same result again, in the same tree: a repeat */
	now += DAY;
	id = tell(m, "");
	why(id, "repeat: known as 12.0%");
	assert_int_equal(patch_of(id), patch_of(first));

	/* a rebase: another hash, the same title and author */
	m.commit = COMMIT_B;
	id = tell(m, "");
	why(id, "the same title and author (author@example.org)");
	why(id, "nothing in it is new: not told");
	assert_int_equal(patch_of(id), patch_of(first));

	/* another test is news, in the same thread */
	m.metric = "vm-scalability.throughput";
	m.percent = 7.0;
	tell(m, "update chat: WORSE 7.0% vm-scalability.throughput: mm: walk "
		"the list under one lock\n");

	/* the verdict turned */
	m.verdict = "improvement";
	id = tell(m, "update chat: BETTER 7.0% vm-scalability.throughput: mm: "
		     "walk the list under one lock\n");
	why(id, "the verdict turned from regression");

	/* it moved by little, then by much */
	m = base;
	m.percent = 16.0;
	id = tell(m, "");
	m.percent = 18.5;
	id = tell(m, "update chat: WORSE 18.5% will-it-scale.per_process_ops: "
		     "mm: walk the list under one lock\n");
	why(id, "it moved from 12.0%");

	/* it came into mainline */
	m.tree = MAINLINE;
	m.label = "linus:master";
	id = tell(m, "update chat: WORSE 18.5% will-it-scale.per_process_ops: "
		     "mm: walk the list under one lock\n");
	why(id, "a higher tree");
	id = tell(m, "");

	/* a third hash long after the last telling */
	now += 15 * DAY;
	id = tell(m, "");
	m.commit = COMMIT_C;
	id = tell(m, "update chat: WORSE 18.5% will-it-scale.per_process_ops: "
		     "mm: walk the list under one lock\n");
	why(id, "a new commit id, and nothing told for 14 days");
	assert_int_equal(patch_of(id), patch_of(first));
}

static void a_mail_of_a_series_is_the_same_patch(void **state)
{
	struct robot_mail m = base;
	int64_t posted, id;

	(void)state;
	m.tree = m.label = NULL;
	posted = tell(m, "first chat: WORSE 12.0% will-it-scale."
			 "per_process_ops: mm: walk the list under one lock\n");
	m = base;
	m.commit = COMMIT_B;
	id = tell(m, "update chat: WORSE 12.0% will-it-scale.per_process_ops: "
		     "mm: walk the list under one lock\n");
	why(id, "a higher tree");
	assert_int_equal(patch_of(id), patch_of(posted));
}

static void another_author_is_another_patch(void **state)
{
	struct robot_mail m = base;
	int64_t first = tell(m, "first chat: WORSE 12.0% will-it-scale."
				"per_process_ops: mm: walk the list under one "
				"lock\n");
	int64_t id;

	(void)state;
	m.commit = COMMIT_B;
	m.to = "else@example.org";
	id = tell(m, "first chat: WORSE 12.0% will-it-scale.per_process_ops: "
		     "mm: walk the list under one lock\n");
	assert_int_not_equal(patch_of(first), patch_of(id));
	why(id, "no other patch has this title and author");
}

static void merges_never_match_by_title(void **state)
{
	struct robot_mail m = base;
	int64_t first, id;

	(void)state;
	m.title = "Merge tag 'mm-6.18' of git://git.kernel.org/mm";
	first = give(&m, PROVEN_DKIM);
	m.commit = COMMIT_B;
	id = give(&m, PROVEN_DKIM);
	decide_all();
	assert_int_not_equal(patch_of(first), patch_of(id));
	why(id, "a merge or no title");
}

static void the_same_mail_twice_tells_once(void **state)
{
	struct robot_mail m = base;
	int64_t first, id;

	(void)state;
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	first = give(&m, PROVEN_AUTHRES);
	decide_all();
	m.id = "202610010915.4e1c09ab-lkp@xxxxxxxxx";
	id = give(&m, PROVEN_DKIM);
	decide_all();
	/* the better proven one replaces it, and has nothing more to say */
	assert_int_equal(state_of(first), MESSAGE_DUPLICATE);
	assert_int_equal(state_of(id), MESSAGE_REPORT);
	expect_of(id, "");
	why(id, "told of this report already");
}

static void an_unproven_copy_cannot_silence_the_real_one(void **state)
{
	struct robot_mail m = base;
	int64_t forged, real;

	(void)state;
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	m.percent = 3.1;
	forged = give(&m, PROVEN_NOT);
	decide_all();
	assert_int_equal(state_of(forged), MESSAGE_UNPROVEN);
	expect_of(forged, "");
	m.percent = 12.0;
	real = tell(m, "first chat: WORSE 12.0% will-it-scale.per_process_ops:"
		       " mm: walk the list under one lock\n");
	assert_int_equal(state_of(real), MESSAGE_REPORT);
}

static void a_vouched_message_is_believed(void **state)
{
	struct robot_mail m = base;
	int64_t id = give(&m, PROVEN_NOT);

	(void)state;
	decide_all();
	ok(store_begin(s, &err));
	ok(store_end(s, message_again(s, id, true, false, &err), &err));
	decide_all();
	expect_of(id, "first chat: WORSE 12.0% will-it-scale.per_process_ops: "
		      "mm: walk the list under one lock\n");
	why(id, "vouched");
}

static void a_closed_patch_reopens(void **state)
{
	struct robot_mail m = base;
	struct patch_row patch;
	int64_t id = tell(m, "first chat: WORSE 12.0% will-it-scale."
			     "per_process_ops: mm: walk the list under one "
			     "lock\n");

	(void)state;
	ok(store_begin(s, &err));
	ok(store_end(s,
		     patch_set_life(s, patch_of(id), LIFE_FIXED, S("by me"),
				    now, &err),
		     &err));
	now += DAY;
	id = tell(m, "update chat: WORSE 12.0% will-it-scale.per_process_ops: "
		     "mm: walk the list under one lock\n");
	why(id, "it was fixed (by me) and is open again");
	ok(patch_get(s, patch_of(id), &arena, &patch, &err));
	assert_int_equal(patch.life, LIFE_OPEN);
}

static void deciding_anew_tells_nothing_twice(void **state)
{
	struct robot_mail m = base;
	int64_t id = tell(m, "first chat: WORSE 12.0% will-it-scale."
			     "per_process_ops: mm: walk the list under one "
			     "lock\n");

	(void)state;
	ok(store_begin(s, &err));
	ok(store_end(s, message_again(s, id, false, false, &err), &err));
	decide_all();
	expect_of(id, "first chat: WORSE 12.0% will-it-scale.per_process_ops: "
		      "mm: walk the list under one lock\n");
	why(id, "told of this report already");
	/* unless a person wants just that */
	ok(store_begin(s, &err));
	ok(store_end(s, message_again(s, id, false, true, &err), &err));
	decide_all();
	expect_of(id, "first chat: WORSE 12.0% will-it-scale.per_process_ops: "
		      "mm: walk the list under one lock\n"
		      "update chat: WORSE 12.0% will-it-scale."
		      "per_process_ops: mm: walk the list under one lock\n");
}

/* -- whom -- */

#define WITH(channel, to)                                                \
	"state: /tmp/x.db\nsend: true\n"                                 \
	"smtp: {url: smtps://mail.example.org, from: bot@example.org}\n" \
	"channels:\n  c: {" channel "}\n"                                \
	"routes:\n  - {match: {verdict: regression}, to: [c]}\n" to

static void the_author_is_asked_for_proof(void **state)
{
	struct robot_mail m = base;
	int64_t id;

	(void)state;
	use_config(WITH("type: mail, to: \"@author\"", ""));
	id = give(&m, PROVEN_OPEN);
	decide_all();
	expect_of(id, "");
	why(id, "asks for a real proof");
	m.commit = COMMIT_B;
	m.title = "mm: else";
	tell(m, "first c author@example.org: WORSE 12.0% will-it-scale."
		"per_process_ops: mm: else\n");
}

static void who_was_mailed_is_spared(void **state)
{
	struct robot_mail m = base;
	int64_t id;

	(void)state;
	use_config(WITH("type: mail, to: \"@author\", only_if_new: true", ""));
	id = tell(m, "");
	why(id, "the robot has mailed it already");
}

static void the_allow_list_is_kept(void **state)
{
	int64_t id;

	(void)state;
	use_config(WITH("type: mail, to: \"@author\", "
			"allow: [\"*@example.net\"]",
			""));
	id = tell(base, "");
	why(id, "allow list");
}

static void a_private_branch_reaches_no_list(void **state)
{
	struct robot_mail m = base;
	struct trees trees;
	int64_t id;

	(void)state;
	use_config(WITH("type: mail, to: [mm@lists.example.org, "
			"a@example.org], list_consent: true",
			""));
	trees_init(&trees);
	ok(trees_add(&trees, S("queue"), S("private_report_branch: sched/.*\n"),
		     &err));
	desk.trees = &trees;
	m.label = "queue:sched/core";
	m.tree = "https://git.example.org/queue.git sched/core";
	id = tell(m, "");
	why(id, "mm@lists.example.org: not told: the tree's owner wants no "
		"list to hear of this branch");
	m.commit = COMMIT_B;
	m.title = "mm: else";
	m.label = "queue:mm/core";
	m.tree = "https://git.example.org/queue.git mm/core";
	tell(m, "first c mm@lists.example.org: WORSE 12.0% will-it-scale."
		"per_process_ops: mm: else\n"
		"first c a@example.org: WORSE 12.0% will-it-scale."
		"per_process_ops: mm: else\n");
	trees_release(&trees);
}

static void nothing_leaves_while_send_is_false(void **state)
{
	struct outbox_row row;
	int64_t n;

	(void)state;
	use_config("state: /tmp/x.db\n"
		   "channels:\n  c: {type: file, path: /tmp/c}\n"
		   "routes:\n  - {match: {verdict: regression}, to: [c]}\n");
	tell(base, "first c: WORSE 12.0% will-it-scale.per_process_ops: mm: "
		   "walk the list under one lock\n");
	assert_int_equal(outbox_claim(s, now, S(""), &arena, &row, &err),
			 PH_NONE);
	ok(outbox_release(s, 0, now, true, &n, &err));
	assert_int_equal(n, 1);
	ok(store_begin(s, &err));
	ok(store_end(s, outbox_release(s, 0, now, false, &n, &err), &err));
	ok(outbox_claim(s, now, S(""), &arena, &row, &err));
}

static void a_silence_is_kept_and_ends(void **state)
{
	struct silence_row silence = { .match = S("testcase=will-*\n"),
				       .author = S("me"),
				       .reason = S("known"),
				       .from = NOW,
				       .until = NOW + DAY };
	struct robot_mail m = base;
	int64_t id;

	(void)state;
	ok(store_begin(s, &err));
	ok(store_end(s, silence_add(s, &silence, &id, &err), &err));
	id = tell(m, "");
	why(id, "1 of 1 new results: silence 1 of me until "
		"2026-10-02T12:00:00Z: known");
	m.commit = COMMIT_B;
	m.title = "mm: else";
	now += DAY;
	tell(m, "first chat: WORSE 12.0% will-it-scale.per_process_ops: mm: "
		"else\n");
}

static void the_gate_looks_again(void **state)
{
	struct silence_row silence = { .match = S("host=lkp-spr-*\n"),
				       .author = S("me"),
				       .reason = S("known"),
				       .from = NOW,
				       .until = NOW + DAY };
	enum outbox_state where;
	struct outbox_row row;
	struct slice reason;
	int64_t id;

	(void)state;
	tell(base, "first chat: WORSE 12.0% will-it-scale.per_process_ops: "
		   "mm: walk the list under one lock\n");
	ok(outbox_claim(s, now, S(""), &arena, &row, &err));
	ok(gate_check(config, s, &row, now, &arena, &where, &reason, &err));
	ok(store_begin(s, &err));
	ok(store_end(s, silence_add(s, &silence, &id, &err), &err));
	assert_int_equal(gate_check(config, s, &row, now, &arena, &where,
				    &reason, &err),
			 PH_NONE);
	assert_int_equal(where, OUTBOX_CANCELLED);
	use_config("state: /tmp/x.db\n"
		   "channels:\n  else: {type: file, path: /tmp/c}\n");
	assert_int_equal(gate_check(config, s, &row, now, &arena, &where,
				    &reason, &err),
			 PH_NONE);
	assert_non_null(strstr(reason.ptr, "no such channel"));
}

/* -- when -- */

static void too_many_become_one_digest(void **state)
{
	struct robot_mail m = base;
	struct notices l = { "" };
	int64_t next;

	(void)state;
	use_config(WITH("type: file, path: /tmp/c, max_per_hour: 1", ""));
	tell(m, "first c: WORSE 12.0% will-it-scale.per_process_ops: mm: walk "
		"the list under one lock\n");
	m.commit = COMMIT_B;
	m.title = "mm: two";
	why(tell(m, ""), "over max_per_hour, so in the next digest");
	m.commit = COMMIT_C;
	m.title = "mm: three";
	m.percent = 30;
	tell(m, "");
	ok(desk_timers(&desk, now, &next, &err));
	assert_int_equal(next, now + 600);
	now += 3600;
	ok(desk_timers(&desk, now, &next, &err));
	ok(outbox_each(s, 1u << OUTBOX_PENDING, 0, 0, &arena, add_notice, &l,
		       &err));
	assert_string_equal(l.text,
			    "first c: WORSE 12.0% will-it-scale."
			    "per_process_ops: mm: walk the list under one "
			    "lock\n"
			    "digest c: 2 worse, 0 better, 2026-10-01\n");
}

static void take_lines(void *arg, const struct outbox_row *row)
{
	struct notices *l = arg;
	struct notice n = { 0 };

	if (row->kind != NOTICE_DIGEST)
		return;
	ok(notice_from_json(row->facts, &arena, &n, &err));
	for (size_t i = 0; i < n.n_lines; i++)
		snprintf(l->text + strlen(l->text),
			 sizeof(l->text) - strlen(l->text), "%.*s\n",
			 S_FMT(n.lines[i]));
}

static void a_digest_comes_by_schedule(void **state)
{
	struct robot_mail m = base;
	struct notices l = { "" };
	int64_t next;

	(void)state;
	use_config("state: /tmp/x.db\nsend: true\n"
		   "channels:\n"
		   "  c: {type: file, path: /tmp/c, digest: weekly mon 08:00}\n"
		   "routes:\n  - {match: {min_percent: 1}, to: [c]}\n");
	ok(desk_timers(&desk, now, &next, &err));
	why(tell(m, ""), "in the next digest");
	m.commit = COMMIT_B;
	m.title = "mm: two";
	m.verdict = "improvement";
	m.percent = 40;
	tell(m, "");
	m.commit = COMMIT_C;
	m.title = "mm: three";
	m.verdict = "regression";
	tell(m, "");
	now = NOW + 3 * DAY + 20 * 3600 - 1;
	ok(desk_timers(&desk, now, &next, &err));
	ok(outbox_each(s, ~0u, 0, 0, &arena, take_lines, &l, &err));
	assert_string_equal(l.text, "");
	now++;
	ok(desk_timers(&desk, now, &next, &err));
	ok(outbox_each(s, ~0u, 0, 0, &arena, take_lines, &l, &err));
	assert_string_equal(
		l.text,
		"WORSE 40.0% will-it-scale.per_process_ops  cccccccccccc "
		"mm: three\n"
		"WORSE 12.0% will-it-scale.per_process_ops  aaaaaaaaaaaa "
		"mm: walk the list under one lock\n"
		"\n"
		"BETTER 40.0% will-it-scale.per_process_ops  bbbbbbbbbbbb "
		"mm: two\n");
	/* nothing new, nothing said */
	now += 7 * DAY;
	l.text[0] = '\0';
	ok(desk_timers(&desk, now, &next, &err));
	ok(outbox_each(s, 1u << OUTBOX_PENDING, 0, 0, &arena, add_notice, &l,
		       &err));
	assert_string_equal(l.text, "digest c: 2 worse, 1 better, "
				    "2026-10-01 to 2026-10-05\n");
}

static void reports_of_a_patch_are_grouped(void **state)
{
	struct robot_mail m = base;
	struct notices l = { "" };
	struct outbox_row row;

	(void)state;
	use_config(WITH("type: file, path: /tmp/c, group_wait: 10m", ""));
	give(&m, PROVEN_DKIM);
	decide_all();
	now += 300;
	m.metric = "vm-scalability.throughput";
	m.percent = 20;
	give(&m, PROVEN_DKIM);
	decide_all();
	ok(outbox_each(s, 1u << OUTBOX_PENDING, 0, 0, &arena, add_notice, &l,
		       &err));
	assert_string_equal(l.text,
			    "first c: WORSE 20.0% vm-scalability.throughput: "
			    "mm: walk the list under one lock\n");
	assert_int_equal(outbox_claim(s, NOW + 599, S(""), &arena, &row, &err),
			 PH_NONE);
	ok(outbox_claim(s, NOW + 600, S(""), &arena, &row, &err));
}

static void the_operator_is_told_once(void **state)
{
	(void)state;
	ok(desk_tell_operator(&desk, S("pause:chat:1"), S("chat is paused"),
			      S("why\nwhat to do"), now, &err));
	assert_int_equal(desk_tell_operator(&desk, S("pause:chat:1"), S("x"),
					    S("y"), now, &err),
			 PH_NONE);
	expect_of(0, "operator ops: chat is paused\n");
}

static enum status late(void *arg, struct slice hex, struct arena *a,
			struct commit_facts *ret, struct err *e)
{
	const int *answers = arg;

	(void)a, (void)ret, (void)e;
	if (slice_eq(hex, S(COMMIT_A)))
		return *answers ? PH_NONE : PH_RETRY;
	return PH_NONE;
}

static void a_slow_answer_delays_nobody_else(void **state)
{
	int answers = 0;
	struct desk_git git = { late, &answers };
	struct robot_mail m = base;
	int64_t slow, other;

	(void)state;
	desk_init(&desk, config, s, &git);
	slow = give(&m, PROVEN_DKIM);
	m.commit = COMMIT_B;
	m.title = "mm: two";
	other = give(&m, PROVEN_DKIM);
	decide_all();
	assert_true(desk.waits);
	assert_int_equal(state_of(slow), MESSAGE_NEW);
	assert_int_equal(state_of(other), MESSAGE_REPORT);
	answers = 1;
	decide_all();
	assert_false(desk.waits);
	assert_int_equal(state_of(slow), MESSAGE_REPORT);
}

static void what_is_older_than_keep_goes(void **state)
{
	struct robot_mail m = base;
	struct message_row row;
	struct store_counts counts;
	int64_t old, young, next;

	(void)state;
	use_config("state: /tmp/x.db\nsend: true\nkeep: 30d\n"
		   "channels:\n  c: {type: file, path: /tmp/c}\n"
		   "routes:\n  - {match: {min_percent: 50}, to: [c]}\n");
	old = give(&m, PROVEN_DKIM);
	decide_all();
	now += 20 * DAY;
	m.commit = COMMIT_B;
	m.title = "mm: else";
	young = give(&m, PROVEN_DKIM);
	decide_all();
	now += 15 * DAY;
	ok(desk_timers(&desk, now, &next, &err));
	assert_int_equal(message_get(s, old, &arena, &row, &err), PH_NONE);
	ok(message_get(s, young, &arena, &row, &err));
	ok(query_counts(s, &counts, &err));
	assert_int_equal(counts.patches, 1);
	ok(store_check(s, &err));
}

/* -- what people answer -- */

static int64_t give_mail(const char *raw, enum proven proven)
{
	struct message *msg = arena_new(&arena, struct message);
	struct report *report = arena_new(&arena, struct report);
	struct message_in in = { .source = S("file"),
				 .folder = S("test"),
				 .arrived = now,
				 .now = now,
				 .by_hand = true,
				 .proven = proven,
				 .proof = S("made up"),
				 .message = msg,
				 .report = report };
	struct slice bytes = slice_of(arena_str(&arena, slice_of(raw)));
	int64_t id;

	ok(message_read(bytes, &arena, msg, &err));
	ok(report_read(msg, &arena, report, &err));
	in.packed = message_pack(&arena, msg->bounce ? bytes : msg->text);
	ok(store_begin(s, &err));
	ok(store_end(s, message_add(s, &in, &id, &err), &err));
	decide_all();
	return id;
}

/* The first notice to the author, sent with this Message-ID. */
static int64_t tell_author(void)
{
	struct delivery_result sent = { .what = DELIVERY_SENT };
	struct parcel parcel = { S_INIT("body"), S_INIT("n1@example.org"),
				 S_INIT("author@example.org"), S_INIT("") };
	struct outbox_row row;
	int64_t id;

	use_config(WITH("type: mail, to: \"@author\"", ""));
	id = tell(base, "first c author@example.org: WORSE 12.0% will-it-scale."
			"per_process_ops: mm: walk the list under one lock\n");
	ok(outbox_claim(s, now, S(""), &arena, &row, &err));
	ok(outbox_rendered(s, row.id, &parcel, S(""), &err));
	ok(outbox_attempt(s, &row, &sent, now, 0, NULL, &err));
	return id;
}

static int64_t answer_with(const char *from, const char *id, const char *line,
			   enum proven proven)
{
	return give_mail(arena_printf(&arena,
				      "From: %s\nTo: bot@example.org\n"
				      "Subject: Re: [perfherald] WORSE\n"
				      "Message-ID: <%s>\n"
				      "In-Reply-To: <n1@example.org>\n"
				      "Date: Thu, 1 Oct 2026 12:00:00 +0000\n"
				      "\n%s\n",
				      from, id, line),
			 proven);
}

static enum patch_life life_of(int64_t message)
{
	struct patch_row row;

	ok(patch_get(s, patch_of(message), &arena, &row, &err));
	return row.life;
}

static void a_recipient_commands_by_reply(void **state)
{
	int64_t report = tell_author(), id;
	enum outbox_state where;
	struct outbox_row row;
	struct slice reason;

	(void)state;
	id = answer_with("author@example.org", "r1@x", "#perfherald ack",
			 PROVEN_DKIM);
	assert_int_equal(state_of(id), MESSAGE_REPLY);
	assert_int_equal(life_of(report), LIFE_ACK);
	why(id, "command: done: #perfherald ack");
	/* a wrong word gets help, once a day */
	answer_with("author@example.org", "r2@x", "#perfherald what",
		    PROVEN_DKIM);
	answer_with("author@example.org", "r3@x", "#perfherald what",
		    PROVEN_DKIM);
	id = answer_with("author@example.org", "r4@x", "#perfherald stop",
			 PROVEN_DKIM);
	why(id, "done: #perfherald stop");
	/* the answer goes out all the same, nothing else does */
	for (int i = 0; i < 3; i++) {
		ok(outbox_claim(s, now, S(""), &arena, &row, &err));
		assert_int_equal(row.kind, NOTICE_ANSWER);
		ok(gate_check(config, s, &row, now, &arena, &where, &reason,
			      &err));
		ok(outbox_set(s, row.id, OUTBOX_SENT, S(""), now, &err));
	}
	assert_int_equal(outbox_claim(s, now, S(""), &arena, &row, &err),
			 PH_NONE);
	row.kind = NOTICE_UPDATE;
	row.facts = S("{\"version\":1}");
	assert_int_equal(gate_check(config, s, &row, now, &arena, &where,
				    &reason, &err),
			 PH_NONE);
	assert_true(slice_eq(reason, S("it said stop")));
}

static void nobody_else_commands(void **state)
{
	int64_t report = tell_author(), id;

	(void)state;
	id = answer_with("else@example.org", "r1@x", "#perfherald ack",
			 PROVEN_DKIM);
	why(id, "ignored: the notice was not to its sender");
	id = answer_with("author@example.org", "r2@x", "#perfherald ack",
			 PROVEN_NOT);
	why(id, "ignored: nothing proves its sender");
	id = answer_with("author@example.org", "r3@x",
			 "> #perfherald ack\nreally?", PROVEN_DKIM);
	assert_int_equal(state_of(id), MESSAGE_REPLY);
	assert_int_equal(life_of(report), LIFE_OPEN);
}

static void bounces_of_our_own_count(void **state)
{
	static const char bounce[] =
		"From: MAILER-DAEMON@mx.example.org\n"
		"To: bot@example.org\nReturn-Path: <>\n"
		"Message-ID: <dsn%d@mx.example.org>\n"
		"Subject: Undelivered\n"
		"Content-Type: multipart/report; boundary=x;\n"
		" report-type=delivery-status\nMIME-Version: 1.0\n\n"
		"--x\nContent-Type: text/plain\n\nno\n"
		"--x\nContent-Type: message/delivery-status\n\n"
		"Reporting-MTA: dns; mx\n\n"
		"Final-Recipient: rfc822; author@example.org\n"
		"Action: failed\nStatus: 5.1.1\n\n"
		"--x\nContent-Type: text/rfc822-headers\n\n"
		"Message-ID: <%s@example.org>\n\n--x--\n";
	struct slice reason;
	int64_t id;

	(void)state;
	tell_author();
	id = give_mail(arena_printf(&arena, bounce, 0, "else"), PROVEN_NOT);
	why(id, "not of a notice of ours");
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(optout_get(s, S("author@example.org"), &arena,
					    &reason, &err),
				 PH_NONE);
		id = give_mail(arena_printf(&arena, bounce, i, "n1"),
			       PROVEN_NOT);
		why(id, "counted against author@example.org: 5.1.1");
	}
	ok(optout_get(s, S("author@example.org"), &arena, &reason, &err));
}

/* -- what the tree says -- */

static struct commit_facts tree_says;

static enum status answer(void *arg, struct slice hex, struct arena *a,
			  struct commit_facts *ret, struct err *e)
{
	(void)arg, (void)hex, (void)a, (void)e;
	*ret = tree_says;
	return PH_OK;
}

static void one_patch_id_is_one_patch(void **state)
{
	struct desk_git git = { answer, NULL };
	struct robot_mail m = base;
	int64_t first, other, id;

	(void)state;
	desk_init(&desk, config, s, &git);
	tree_says = (struct commit_facts){
		.author = { S("A. Author"), S("mapped@example.org") },
		.n_parents = 1,
		.patch_id = "1111111111111111111111111111111111111111",
	};
	first = give(&m, PROVEN_DKIM);
	decide_all();
	why(first, "no other patch has this title and author");
	/* a rebase under another title, no 14 days of silence */
	m.commit = COMMIT_B;
	m.title = "mm: walk the list under a lock";
	now += 20 * DAY;
	id = tell(m, "");
	assert_int_equal(patch_of(first), patch_of(id));
	why(id, "the same patch id 1111");
	/* two patches that turn out to be one */
	m.commit = COMMIT_C;
	m.title = "mm: else";
	m.metric = "vm-scalability.throughput";
	strcpy(tree_says.patch_id, "2222222222222222222222222222222222222222");
	other = give(&m, PROVEN_DKIM);
	decide_all();
	assert_int_not_equal(patch_of(first), patch_of(other));
	strcpy(tree_says.patch_id, "1111111111111111111111111111111111111111");
	now += DAY;
	id = give(&m, PROVEN_DKIM);
	decide_all();
	why(id, "another patch has the same patch id and is merged with it");
	assert_int_equal(patch_of(first), patch_of(other));
}

static struct fix_claim claim_of(const char *commit, const char *report)
{
	struct fix_claim claim = { .title = S("mm: mend it"),
				   .commit = slice_of(commit),
				   .report = slice_of(report) };

	memset(claim.fix, 'f', GIT_HEX);
	return claim;
}

static void take_fix(const char *commit, const char *report)
{
	struct fix_claim claim = claim_of(commit, report);

	ok(store_begin(s, &err));
	ok(store_end(s, fixes_take(&desk, &claim, now, &err), &err));
}

static void a_fix_in_the_tree_closes_the_patch(void **state)
{
	struct robot_mail m = base;
	int64_t id;

	(void)state;
	m.id = "202610010915.4e1c09ab-lkp@intel.com";
	id = give(&m, PROVEN_DKIM);
	decide_all();
	take_fix("bbbbbbbbbbbb", "");
	assert_int_equal(life_of(id), LIFE_OPEN);
	take_fix("", "202610010915.4e1c09ab-lkp@intel.com");
	assert_int_equal(life_of(id), LIFE_FIXED);
	/* a tree without the fix is no reason to open it again */
	m.id = NULL;
	now += DAY;
	id = tell(m, "");
	assert_int_equal(life_of(id), LIFE_FIXED);
}

static void take_fix_words(void *arg, const struct outbox_row *row)
{
	struct notice n = { 0 };

	ok(notice_from_json(row->facts, &arena, &n, &err));
	snprintf(arg, 256, "%.*s", S_FMT(n.fix));
}

static void a_fix_may_come_before_the_report(void **state)
{
	char words[256] = "";
	int64_t id;

	(void)state;
	take_fix("aaaaaaaaaaaa", "");
	id = tell(base, "first chat: WORSE 12.0% will-it-scale."
			"per_process_ops: mm: walk the list under one lock\n");
	assert_int_equal(life_of(id), LIFE_FIXED);
	ok(outbox_each(s, ~0u, 0, id, &arena, take_fix_words, words, &err));
	assert_string_equal(words, "fixed by ffffffffffff (\"mm: mend it\")");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_story_of_a_patch),
		TEST(a_mail_of_a_series_is_the_same_patch),
		TEST(another_author_is_another_patch),
		TEST(merges_never_match_by_title),
		TEST(the_same_mail_twice_tells_once),
		TEST(an_unproven_copy_cannot_silence_the_real_one),
		TEST(a_vouched_message_is_believed),
		TEST(a_closed_patch_reopens),
		TEST(deciding_anew_tells_nothing_twice),
		TEST(the_author_is_asked_for_proof),
		TEST(a_private_branch_reaches_no_list),
		TEST(who_was_mailed_is_spared),
		TEST(the_allow_list_is_kept),
		TEST(nothing_leaves_while_send_is_false),
		TEST(a_silence_is_kept_and_ends),
		TEST(the_gate_looks_again),
		TEST(too_many_become_one_digest),
		TEST(a_digest_comes_by_schedule),
		TEST(reports_of_a_patch_are_grouped),
		TEST(the_operator_is_told_once),
		TEST(what_is_older_than_keep_goes),
		TEST(a_slow_answer_delays_nobody_else),
		TEST(a_recipient_commands_by_reply),
		TEST(nobody_else_commands),
		TEST(bounces_of_our_own_count),
		TEST(one_patch_id_is_one_patch),
		TEST(a_fix_in_the_tree_closes_the_patch),
		TEST(a_fix_may_come_before_the_report),
	};

	return cmocka_run_group_tests_name("desk", tests, NULL, NULL);
}
