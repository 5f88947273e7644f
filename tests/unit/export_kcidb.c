#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <jansson.h>
#include <string.h>
#include "bot/export.h"
#include "tests/exported.h"

/* KCIDB, held against rules that were written from its schema. */

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

	json_array_foreach(array, i,
			   object) if (!strcmp(exported_text(object, "id"),
					       id)) return true;
	return false;
}

static json_t *checked_kcidb(void)
{
	static const char *const lists[] = { "checkouts", "builds", "tests" };
	json_t *root = json_loads(typed_output(), JSON_REJECT_DUPLICATES, NULL);
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
				   exported_text(object, "checkout_id")));
	json_array_foreach(json_object_get(root, "tests"), k, object)
		assert_true(has_id(root, "builds",
				   exported_text(object, "build_id")));
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
	assert_string_equal(exported_text(test, "id"),
			    "lab_7:202610010915.4e1c09ab-lkp/0");
	assert_string_equal(exported_text(test, "path"),
			    "will-it-scale.per_process_ops");
	assert_string_equal(exported_text(test, "status"), "FAIL");
	number = json_object_get(test, "number");
	assert_float_equal(exported_number(number, "value"), 88000, 1e-6);
	assert_string_equal(exported_text(number, "unit"),
			    "operations per process");
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
			assert_string_equal(exported_text(j, "config_name"),
					    "k");
		if (pass == 2)
			assert_string_equal(exported_text(j, "path"),
					    "a_b___.c_");
		json_decref(j);
		buf_release(&b);
	}
	arena_release(&arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(kcidb_keeps_to_its_schema),
		cmocka_unit_test(kcidb_with_nothing_inside_is_valid),
		cmocka_unit_test(kcidb_takes_hostile_text),
	};

	return cmocka_run_group_tests_name("export_kcidb", tests,
					   exported_set_up, NULL);
}
