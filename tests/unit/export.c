#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/export.h"
#include "tests/scratch.h"
#include "tests/stage.h"

/*
 * Exports as other programs read them: each format is taken apart again by
 * rules that were written from its specification.
 */

#define COMMIT_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"
#define COMMIT_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb2"
#define COMMIT_C "ccccccccccccccccccccccccccccccccccccccc3"
#define NEXT                                                                \
	"https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git " \
	"master"
#define OCTOBER	 1601553600 /* 2020-10-01T12:00:00Z */
#define NOVEMBER (OCTOBER + 31 * 86400)

/* What a sheet would run, and what would end a cell, a line or a tag. */
#define HOSTILE "=cmd|' /C calc'!A0,\"</script>"

static const struct robot_mail mail_a = {
	.id = "202610010915.4e1c09ab-lkp@intel.com",
	.commit = COMMIT_A,
	.title = HOSTILE,
	.to = "author@example.org",
	.tree = NEXT,
	.label = "linux-next:master",
	.metric = "will-it-scale.per_process_ops",
	.percent = 12.0,
	.dev = 3,
};

static int set_up(void **state)
{
	struct robot_mail m = mail_a;

	(void)state;
	stage_set(NULL);
	stage_give(&m, PROVEN_DKIM, OCTOBER);
	m.id = "202611010915.4e1c09ac-lkp@intel.com";
	m.commit = COMMIT_B;
	m.title = "ext4: batch it";
	m.metric = "fsmark.files_per_sec";
	m.verdict = "improvement";
	m.percent = 30.5;
	m.host = "lkp-icl-2sp8";
	stage_give(&m, PROVEN_DKIM, NOVEMBER);
	m.id = "202611020915.4e1c09ad-lkp@intel.com";
	m.commit = COMMIT_C;
	m.title = "nobody vouches for this";
	stage_give(&m, PROVEN_NOT, NOVEMBER);
	return 0;
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void says(const char *part)
{
	if (!strstr(stage_output(), part))
		fail_msg("no \"%s\" in:\n%s", part, stage_output());
}

static void says_not(const char *part)
{
	if (strstr(stage_output(), part))
		fail_msg("\"%s\" in:\n%s", part, stage_output());
}

/* -- JSON lines -- */

static json_t *json_line(size_t n)
{
	const char *at = stage_output();
	json_t *ret;

	while (n--) {
		at = strchr(at, '\n');
		assert_non_null(at);
		at++;
	}
	ret = json_loadb(at, strcspn(at, "\n"), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(ret);
	return ret;
}

static const char *text_in(const json_t *j, const char *key)
{
	const char *ret = json_string_value(json_object_get(j, key));

	if (!ret)
		fail_msg("no text \"%s\"", key);
	return ret;
}

static double number_in(const json_t *j, const char *key)
{
	const json_t *ret = json_object_get(j, key);

	if (!json_is_number(ret))
		fail_msg("no number \"%s\"", key);
	return json_number_value(ret);
}

static void json_says_all_of_a_result(void **state)
{
	json_t *j;

	(void)state;
	assert_int_equal(stage_run("export", NULL), 0);
	assert_int_equal(lines(stage_output()), 2);
	j = json_line(0);
	assert_string_equal(text_in(j, "schema"), "perfherald.result/1");
	assert_int_equal(strlen(text_in(j, "patch")), 12);
	assert_string_equal(text_in(j, "title"), HOSTILE);
	assert_string_equal(text_in(j, "commit"), COMMIT_A);
	assert_string_equal(text_in(j, "branch"), "master");
	assert_string_equal(text_in(j, "label"), "linux-next:master");
	assert_string_equal(text_in(j, "subsystem"), "mm");
	assert_string_equal(text_in(j, "state"), "open");
	assert_string_equal(text_in(j, "testcase"), "will-it-scale");
	assert_non_null(strstr(text_in(j, "parameters"), "nr_task=100%"));
	assert_string_equal(text_in(j, "host"), "lkp-spr-2sp4");
	assert_string_equal(text_in(j, "better"), "higher");
	assert_string_equal(text_in(j, "verdict"), "regression");
	assert_float_equal(number_in(j, "percent"), 12, 1e-6);
	assert_float_equal(number_in(j, "change"), -12, 1e-6);
	assert_string_equal(text_in(j, "change_kind"), "relative");
	assert_float_equal(number_in(j, "base"), 100000, 1e-6);
	assert_float_equal(number_in(j, "base_deviation"), 3, 1e-6);
	assert_float_equal(number_in(j, "value"), 88000, 1e-6);
	assert_string_equal(text_in(j, "evidence"), "C");
	assert_true(json_is_true(json_object_get(j, "news")));
	assert_true(json_is_true(json_object_get(j, "headline")));
	assert_string_equal(text_in(j, "proof"), "dkim");
	assert_string_equal(text_in(j, "message_id"), mail_a.id);
	assert_string_equal(text_in(j, "report"),
			    "https://lore.kernel.org/r/"
			    "202610010915.4e1c09ab-lkp@intel.com");
	assert_string_equal(text_in(j, "reported"), "2026-10-01T01:15:41Z");
	assert_string_equal(text_in(j, "arrived"), "2020-10-01T12:00:00Z");
	json_decref(j);
}

static void authors_are_named_only_when_asked_for(void **state)
{
	static const char *const forms[] = { "json", "csv", "kcidb" };
	json_t *j;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		assert_int_equal(stage_run("export", "--format", forms[i],
					   NULL),
				 0);
		says_not("author@example.org");
	}
	assert_int_equal(stage_run("export", "--authors", NULL), 0);
	j = json_line(0);
	assert_string_equal(text_in(j, "author"), "author@example.org");
	json_decref(j);
	assert_int_equal(stage_run("export", "--format=csv", "--authors", NULL),
			 0);
	says(",author\r\n");
	says(",author@example.org\r\n");
	assert_int_equal(stage_run("export", "--format=kcidb", "--authors",
				   NULL),
			 EX_USAGE);
}

static void what_nothing_proves_is_left_out(void **state)
{
	json_t *j;

	(void)state;
	assert_int_equal(stage_run("export", NULL), 0);
	says_not(COMMIT_C);
	assert_int_equal(stage_run("export", "--unproven", NULL), 0);
	assert_int_equal(lines(stage_output()), 3);
	j = json_line(2);
	assert_string_equal(text_in(j, "commit"), COMMIT_C);
	assert_string_equal(text_in(j, "proof"), "not proven");
	/* it belongs to no patch, so nothing of one is said */
	assert_null(json_object_get(j, "patch"));
	assert_null(json_object_get(j, "state"));
	json_decref(j);
}

/* -- what is chosen -- */

static const struct choice {
	const char *words[4]; /* behind "export" */
	size_t lines;
} choices[] = {
	{ { "--since", "2020-10-15" }, 1 },
	{ { "--until", "2020-10-15" }, 1 },
	{ { "--since", "2020-10-15", "--until", "2020-10-20" }, 0 },
	{ { "--since", "2020-10-01T12:00:00Z" }, 2 },
	{ { "--until", "2020-10-01T12:00:00Z" }, 0 },
	{ { "--verdict", "improvement" }, 1 },
	{ { "--state", "open,fixed" }, 2 },
	{ { "--state", "fixed" }, 0 },
	{ { "--match", "metric=fsmark.*" }, 1 },
	{ { "--match", "host=lkp-*", "--match", "metric=*ops" }, 1 },
	{ { "--match", "host=lkp-icl*", "--match", "host=lkp-spr*" }, 2 },
	{ { "--match", "host=lkp-icl*", "--match", "metric=*ops" }, 0 },
	{ { "--match", "percent=30.5" }, 1 },
	{ { "--match", "headline=true" }, 2 },
	{ { "--match", "author=*@example.org" }, 2 },
};

static void results_are_chosen(void **state)
{
	const struct choice *c = *state;

	assert_int_equal(stage_run("export", c->words[0], c->words[1],
				   c->words[2], c->words[3], NULL),
			 0);
	assert_int_equal(lines(stage_output()), c->lines);
}

static void nonsense_is_refused(void **state)
{
	static const char *const words[][2] = {
		{ "--format", "xml" },
		{ "--since", "soon" },
		{ "--verdict", "worse" },
		{ "--state", "odd" },
		{ "--state", "" },
		{ "--match", "colour=red" },
		{ "--match", "metric" },
		{ "--match", "metric=" },
		{ "--origin", "Our Robot" },
		{ "--origin", "" },
		{ "a", "b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_int_equal(stage_run("export", words[i][0], words[i][1],
					   NULL),
				 EX_USAGE);
}

/* -- CSV -- */

/* Takes one cell by RFC 4180 off *at; true when another follows in its line. */
static bool take_csv(const char **at, struct buf *ret)
{
	const char *p = *at;

	buf_reset(ret);
	if (*p == '"') {
		for (p++; *p != '"' || p[1] == '"'; p++) {
			assert_true(*p);
			p += *p == '"';
			buf_add_char(ret, *p);
		}
		p++;
	} else {
		for (; !strchr(",\r", *p); p++) {
			assert_true(*p != '"' && *p != '\n');
			buf_add_char(ret, *p);
		}
	}
	if (*p == ',') {
		*at = p + 1;
		return true;
	}
	assert_memory_equal(p, "\r\n", 2);
	*at = p + 2;
	return false;
}

static void csv_has_the_same_cells_in_every_line(void **state)
{
	struct buf cell, title;
	const char *at;
	size_t rows = 0;

	(void)state;
	buf_init(&cell);
	buf_init(&title);
	assert_int_equal(stage_run("export", "--format", "csv", NULL), 0);
	for (at = stage_output(); *at; rows++) {
		size_t n = 0;
		bool more;

		do {
			more = take_csv(&at, &cell);
			if (rows == 0)
				assert_string_equal(buf_str(&cell),
						    export_names[n]);
			if (rows == 1 && !strcmp(export_names[n], "title"))
				buf_add_slice(&title, buf_slice(&cell));
			n++;
		} while (more);
		assert_int_equal(n, n_export_names);
	}
	assert_int_equal(rows, 3);
	/* text, not a formula; a number that falls stays a number */
	assert_string_equal(buf_str(&title), "'" HOSTILE);
	says(",-12,relative,");
	buf_release(&cell);
	buf_release(&title);
}

static const struct formula {
	const char *text, *cell;
} formulas[] = {
	{ "plain", "plain" },
	{ "two words", "\"two words\"" },
	{ "a,b", "\"a,b\"" },
	{ "say \"x\"", "\"say \"\"x\"\"\"" },
	{ "=1+1", "\"'=1+1\"" },
	{ "+1", "\"'+1\"" },
	{ "-1", "\"'-1\"" },
	{ "@SUM(A1)", "\"'@SUM(A1)\"" },
	{ "\t=1", "\"' =1\"" },
	{ "\r=1", "\"' =1\"" },
	{ " \n@x", "\"'  @x\"" },
	{ "\xef\xbc\x9d\x31", "\"'\xef\xbc\x9d\x31\"" },
	{ "\xef\xbc\x8b\x31", "\"'\xef\xbc\x8b\x31\"" },
	{ "\xef\xbc\x8d\x31", "\"'\xef\xbc\x8d\x31\"" },
	{ "\xef\xbc\xa0\x31", "\"'\xef\xbc\xa0\x31\"" },
	{ "a=b", "a=b" },
	{ "mm-unstable", "mm-unstable" },
	{ "x\xff", "x\xef\xbf\xbd" },
};

static void a_csv_cell_is_never_a_formula(void **state)
{
	const struct formula *c = *state;
	struct export_options options = { 0 };
	struct finding f = { .patch.title = slice_of(c->text) };
	struct arena arena;
	struct buf line;
	const char *at;

	arena_init(&arena);
	buf_init(&line);
	export_csv.put(&options, 0, &f, NULL, &arena, &line);
	at = buf_str(&line);
	/* the first cell, the patch, is empty */
	assert_int_equal(*at++, ',');
	assert_int_equal(strncmp(at, c->cell, strlen(c->cell)), 0);
	assert_int_equal(at[strlen(c->cell)], ',');
	buf_release(&line);
	arena_release(&arena);
}

/* -- KCIDB -- */

enum form { ID, ORIGIN, TEXT, HASH, HTTPS, PATH, STATUS, NUMBER, OBJECT, BOOL };

/* The members of schema 5.3 that we write; it allows no others. */
static const struct rule {
	const char *list, *member;
	enum form form;
	bool required;
} rules[] = {
	{ "checkouts", "id", ID, true },
	{ "checkouts", "origin", ORIGIN, true },
	{ "checkouts", "tree_name", TEXT, false },
	{ "checkouts", "git_repository_url", HTTPS, false },
	{ "checkouts", "git_commit_hash", HASH, false },
	{ "checkouts", "patchset_hash", TEXT, false },
	{ "checkouts", "git_repository_branch", TEXT, false },
	{ "checkouts", "comment", TEXT, false },
	{ "checkouts", "valid", BOOL, false },
	{ "builds", "id", ID, true },
	{ "builds", "checkout_id", ID, true },
	{ "builds", "origin", ORIGIN, true },
	{ "builds", "compiler", TEXT, false },
	{ "builds", "config_name", TEXT, false },
	{ "builds", "status", STATUS, false },
	{ "tests", "id", ID, true },
	{ "tests", "build_id", ID, true },
	{ "tests", "origin", ORIGIN, true },
	{ "tests", "environment", OBJECT, false },
	{ "tests", "path", PATH, false },
	{ "tests", "comment", TEXT, false },
	{ "tests", "status", STATUS, false },
	{ "tests", "number", OBJECT, false },
	{ "tests", "misc", OBJECT, false },
};

static bool all_of(const char *s, const char *allowed)
{
	return s[strspn(s, allowed)] == '\0';
}

#define SMALL  "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool text_fits(const char *s, enum form form)
{
	size_t name = strspn(s, SMALL DIGITS "_");

	switch (form) {
	case ID:
		return name && s[name] == ':' && !strpbrk(s, "\r\n");
	case ORIGIN:
		return name && !s[name];
	case HASH:
		return strlen(s) == 40 && all_of(s, DIGITS "abcdef");
	case HTTPS:
		return !strncmp(s, "https://", 8) && !strpbrk(s, " <>\"");
	case PATH:
		return all_of(s, SMALL "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS
				       "._-") &&
		       !strstr(s, "..");
	case STATUS:
		return !strcmp(s, "FAIL") || !strcmp(s, "PASS") ||
		       !strcmp(s, "DONE");
	default:
		return true;
	}
}

static bool fits(const json_t *value, enum form form)
{
	switch (form) {
	case NUMBER:
		return json_is_number(value);
	case OBJECT:
		return json_is_object(value);
	case BOOL:
		return json_is_boolean(value);
	default:
		/* jansson refuses a NUL inside, as the schema does */
		return json_is_string(value) &&
		       text_fits(json_string_value(value), form);
	}
}

static const struct rule *rule_of(const char *list, const char *member)
{
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (!strcmp(rules[i].list, list) &&
		    !strcmp(rules[i].member, member))
			return &rules[i];
	return NULL;
}

static void check_object(const char *list, json_t *object)
{
	const char *member;
	json_t *value;

	json_object_foreach(object, member, value)
	{
		const struct rule *r = rule_of(list, member);

		if (!r)
			fail_msg("%s: the schema has no %s", list, member);
		if (!fits(value, r->form))
			fail_msg("%s: %s is %s", list, member,
				 json_dumps(value, JSON_ENCODE_ANY));
	}
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (!strcmp(rules[i].list, list) && rules[i].required &&
		    !json_object_get(object, rules[i].member))
			fail_msg("%s: %s is missing", list, rules[i].member);
}

/* Whether an object of the list has this id. */
static bool has_id(const json_t *root, const char *list, const char *id)
{
	json_t *array = json_object_get(root, list), *object;
	size_t i;

	json_array_foreach(array, i, object) if (!strcmp(text_in(object, "id"),
							 id)) return true;
	return false;
}

static json_t *checked_kcidb(void)
{
	static const char *const lists[] = { "checkouts", "builds", "tests" };
	json_t *root = json_loads(stage_output(), JSON_REJECT_DUPLICATES, NULL);
	json_t *object;
	size_t k;

	assert_non_null(root);
	assert_int_equal(json_object_size(root), 4);
	object = json_object_get(root, "version");
	assert_int_equal(json_integer_value(json_object_get(object, "major")),
			 5);
	assert_int_equal(json_integer_value(json_object_get(object, "minor")),
			 3);
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		json_t *array = json_object_get(root, lists[i]);

		assert_true(json_is_array(array));
		json_array_foreach(array, k, object)
			check_object(lists[i], object);
	}
	json_array_foreach(json_object_get(root, "builds"), k, object)
		assert_true(has_id(root, "checkouts",
				   text_in(object, "checkout_id")));
	json_array_foreach(json_object_get(root, "tests"), k, object)
		assert_true(
			has_id(root, "builds", text_in(object, "build_id")));
	return root;
}

static size_t count(const json_t *root, const char *list)
{
	return json_array_size(json_object_get(root, list));
}

static void kcidb_keeps_to_its_schema(void **state)
{
	json_t *root, *test, *number;

	(void)state;
	assert_int_equal(stage_run("export", "--format", "kcidb", "--unproven",
				   "--origin", "lab_7", NULL),
			 0);
	root = checked_kcidb();
	assert_int_equal(count(root, "checkouts"), 3);
	assert_int_equal(count(root, "builds"), 3);
	assert_int_equal(count(root, "tests"), 3);
	test = json_array_get(json_object_get(root, "tests"), 0);
	assert_string_equal(text_in(test, "id"),
			    "lab_7:202610010915.4e1c09ab-lkp/0");
	assert_string_equal(text_in(test, "path"),
			    "will-it-scale.per_process_ops");
	assert_string_equal(text_in(test, "status"), "FAIL");
	number = json_object_get(test, "number");
	assert_float_equal(number_in(number, "value"), 88000, 1e-6);
	assert_string_equal(text_in(number, "unit"), "operations per process");
	json_decref(root);
}

static void kcidb_with_nothing_inside_is_valid(void **state)
{
	json_t *root;

	(void)state;
	assert_int_equal(stage_run("export", "--format", "kcidb", "--match",
				   "host=none", NULL),
			 0);
	root = checked_kcidb();
	assert_int_equal(count(root, "tests"), 0);
	json_decref(root);
}

/* What no schema would take as it stands. */
static void kcidb_takes_hostile_text(void **state)
{
	static const struct finding f = {
		.result = { .metric = S_INIT("..a b/\xc3\xa4..c\n."),
			    .tree = S_INIT("https://x/ y"),
			    .commit = S_INIT("v6.1-rc1"),
			    .host = S_INIT("h\x01\xff"),
			    .params = S_INIT("compiler=gcc-14 kconfig=k") },
		.msgkey = S_INIT("a\nb"),
	};
	struct export_options options = { .origin = S("x") };
	struct arena arena;
	struct buf b;
	json_t *j;

	(void)state;
	arena_init(&arena);
	for (unsigned pass = 0; pass < 3; pass++) {
		static const char *const lists[] = { "checkouts", "builds",
						     "tests" };

		buf_init(&b);
		export_kcidb.put(&options, pass, &f, NULL, &arena, &b);
		j = json_loads(buf_str(&b), 0, NULL);
		assert_non_null(j);
		check_object(lists[pass], j);
		if (pass == 0)
			assert_null(json_object_get(j, "git_repository_url"));
		if (pass == 1)
			assert_string_equal(text_in(j, "config_name"), "k");
		if (pass == 2)
			assert_string_equal(text_in(j, "path"), "a_b___.c_");
		json_decref(j);
		buf_release(&b);
	}
	arena_release(&arena);
}

/* -- where it goes -- */

static void a_file_is_whole_or_not_there(void **state)
{
	const char *path = scratch_path("results.json");
	struct stat st;
	char text[512];
	FILE *f;

	(void)state;
	assert_int_equal(stage_run("export", path, NULL), 0);
	assert_string_equal(stage_output(), "");
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size > 1000);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_non_null(strstr(text, COMMIT_A));
	/* one that cannot come to be leaves the old one alone */
	assert_int_equal(stage_run("export", "/nonexistent/x", NULL), EX_IOERR);
	says("/nonexistent/x: No such file or directory");
	unlink(path);
}

static void the_state_is_not_written_over(void **state)
{
	char path[256], alias[300];

	(void)state;
	snprintf(path, sizeof(path), "%s", scratch_path("state.db"));
	snprintf(alias, sizeof(alias), "%s.alias", path);
	assert_int_equal(symlink(path, alias), 0);
	assert_int_equal(stage_run("export", path, NULL), EX_CANTCREAT);
	says("state.db: is the state, which this would overwrite");
	assert_int_equal(stage_run("export", alias, NULL), EX_CANTCREAT);
	assert_int_equal(stage_run("fsck", NULL), EX_OK);
	unlink(alias);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(stage_run("export", "/dev/full", NULL), EX_IOERR);
	says("/dev/full: No space left on device");
}

static void a_reader_that_has_gone_is_an_error_without_words(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(stage_run_to(ends[1], "export", NULL), EX_IOERR);
	close(ends[1]);
	assert_string_equal(stage_output(), "");
}

static void the_manual_page_lists_all_cells(void **state)
{
	struct buf page;
	char block[4096], entry[64];
	size_t n;
	FILE *f = fopen("config/man/perfherald.1", "r");

	(void)state;
	assert_non_null(f);
	buf_init(&page);
	while ((n = fread(block, 1, sizeof(block), f)))
		buf_add(&page, block, n);
	fclose(f);
	for (size_t i = 0; i <= n_export_names; i++) {
		snprintf(entry, sizeof(entry), ".It Cm %s\n", export_names[i]);
		if (!strstr(buf_str(&page), entry))
			fail_msg("%s is not in perfherald.1", export_names[i]);
	}
	buf_release(&page);
}

int main(void)
{
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test(json_says_all_of_a_result),
		cmocka_unit_test(authors_are_named_only_when_asked_for),
		cmocka_unit_test(what_nothing_proves_is_left_out),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(csv_has_the_same_cells_in_every_line),
		cmocka_unit_test(kcidb_keeps_to_its_schema),
		cmocka_unit_test(kcidb_with_nothing_inside_is_valid),
		cmocka_unit_test(kcidb_takes_hostile_text),
		cmocka_unit_test(a_file_is_whole_or_not_there),
		cmocka_unit_test(the_state_is_not_written_over),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(
			a_reader_that_has_gone_is_an_error_without_words),
		cmocka_unit_test(the_manual_page_lists_all_cells),
	};
	struct CMUnitTest tests[ARRAY_LEN(plain) + ARRAY_LEN(choices) +
				ARRAY_LEN(formulas)];
	size_t n = 0;

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		tests[n++] = plain[i];
	for (size_t i = 0; i < ARRAY_LEN(choices); i++)
		tests[n++] = (struct CMUnitTest){
			.name = choices[i].words[1],
			.test_func = results_are_chosen,
			.initial_state = (void *)&choices[i],
		};
	for (size_t i = 0; i < ARRAY_LEN(formulas); i++)
		tests[n++] = (struct CMUnitTest){
			.name = formulas[i].cell,
			.test_func = a_csv_cell_is_never_a_formula,
			.initial_state = (void *)&formulas[i],
		};
	return cmocka_run_group_tests_name("export", tests, set_up, NULL);
}
