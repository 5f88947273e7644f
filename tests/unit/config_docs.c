/*
 * config_docs: the table of keys against the manual, the example, the schema;
 * the table of commands against its manual; the unit file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "bot/command.h"
#include "config/keys.h"
#include "notify/template.h"
#include "ph/clock.h"
#include "ph/config.h"

#define MAX_SECTIONS 16

static struct buf read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b;
	char part[4096];
	size_t n;

	buf_init(&b);
	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	return b;
}

static size_t all_sections(const struct section **list)
{
	size_t n = 1;

	list[0] = &section_top;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i]->n; k++) {
			const struct section *below = list[i]->keys[k].below;
			size_t at = 0;

			while (at < n && list[at] != below)
				at++;
			if (!below || at < n)
				continue;
			assert_true(n < MAX_SECTIONS);
			list[n++] = below;
		}
	return n;
}

/* -- the manual -- */

/* The text of ".Ss TITLE" up to the next heading. */
static struct slice part_of(struct slice page, const char *title)
{
	const char *name = strcmp(title, "the file") ? title : "Top level";
	struct slice line, rest = page;

	while (slice_take_line(&rest, &line))
		if (slice_skip(&line, S(".Ss ")) &&
		    slice_caseeq(line, slice_of(name))) {
			struct slice part = rest;

			while (slice_take_line(&rest, &line))
				if (slice_starts(line, S(".Ss ")) ||
				    slice_starts(line, S(".Sh ")))
					return slice_between(part.ptr,
							     line.ptr);
		}
	fail_msg("no .Ss %s in the manual page", name);
	return page;
}

static bool has_item(struct slice part, const char *key)
{
	struct slice line;

	while (slice_take_line(&part, &line))
		if (slice_skip(&line, S(".It Ic ")) &&
		    slice_eq(line, slice_of(key)))
			return true;
	return false;
}

static void every_key_is_in_the_manual(void **state)
{
	const struct section *list[MAX_SECTIONS];
	size_t n = all_sections(list);
	struct buf page = read_file("config/man/perfherald.yaml.5");

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i]->n; k++)
			if (!has_item(part_of(buf_slice(&page), list[i]->title),
				      list[i]->keys[k].name))
				fail_msg("%s of %s is not in "
					 "perfherald.yaml.5",
					 list[i]->keys[k].name, list[i]->title);
	buf_release(&page);
}

static void the_manual_has_no_other_key(void **state)
{
	const struct section *list[MAX_SECTIONS];
	size_t n = all_sections(list);
	struct buf page = read_file("config/man/perfherald.yaml.5");

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct slice part = part_of(buf_slice(&page), list[i]->title);
		struct slice line;
		char key[64];

		while (slice_take_line(&part, &line)) {
			if (!slice_skip(&line, S(".It Ic ")))
				continue;
			snprintf(key, sizeof(key), "%.*s", S_FMT(line));
			if (!section_key(list[i], key))
				fail_msg("%s of %s is in perfherald.yaml.5 "
					 "and in no table",
					 key, list[i]->title);
		}
	}
	buf_release(&page);
}

static void every_command_is_in_the_manual(void **state)
{
	struct buf page = read_file("config/man/perfherald.1");

	(void)state;
	for (size_t i = 0; i < n_commands; i++) {
		char item[64];

		snprintf(item, sizeof(item), "\n.It Ic %s", commands[i].name);
		if (!strstr(buf_str(&page), item))
			fail_msg("%s is not in perfherald.1", commands[i].name);
	}
	buf_release(&page);
}

static bool says_option(struct slice text, struct slice option)
{
	char flag[64], word[64];

	snprintf(flag, sizeof(flag), "Fl -%.*s", S_FMT(option));
	snprintf(word, sizeof(word), "Cm --%.*s", S_FMT(option));
	for (size_t i = 0; i < text.len; i++) {
		struct slice rest = slice_from(text, i);

		if ((slice_skip(&rest, slice_of(flag)) ||
		     slice_skip(&rest, slice_of(word))) &&
		    (!rest.len || strchr(" \n,.;", *rest.ptr)))
			return true;
	}
	return false;
}

/* What stands behind mark, up to the next heading or command. */
static struct slice behind(const char *page, const char *mark)
{
	static const char *const ends[] = { "\n.It Ic ", "\n.Ss ", "\n.Sh " };
	const char *at = strstr(page, mark);
	struct slice ret;

	if (!at)
		return S("");
	ret = slice_of(at + 1);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		const char *end = strstr(at + 1, ends[i]);

		if (end && (size_t)(end - at) - 1 < ret.len)
			ret.len = (size_t)(end - at) - 1;
	}
	return ret;
}

/* In one of its entries, or in a chapter of its own ("EXPORT"). */
static bool is_described(const char *page, const char *command,
			 struct slice option)
{
	char mark[64], chapter[64] = "\n.Sh ";
	size_t len = strlen(chapter);

	snprintf(mark, sizeof(mark), "\n.It Ic %s ", command);
	for (const char *at = page; (at = strstr(at, mark)) != NULL; at++)
		if (says_option(behind(at, mark), option))
			return true;
	for (size_t i = 0; command[i] && len + 1 < sizeof(chapter); i++)
		chapter[len++] = (char)toupper((unsigned char)command[i]);
	chapter[len] = '\0';
	return says_option(behind(page, chapter), option);
}

static void every_option_is_in_the_manual(void **state)
{
	struct buf page = read_file("config/man/perfherald.1");

	(void)state;
	for (size_t i = 0; i < n_commands; i++) {
		const char *at = commands[i].details;

		while (at && (at = strstr(at, "--")) != NULL) {
			struct slice option = slice_of(at += 2);

			option.len = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
			/* --format: for all commands at once */
			if (option.len && !slice_eq(option, S("format")) &&
			    !is_described(buf_str(&page), commands[i].name,
					  option))
				fail_msg("--%.*s of %s is not in perfherald.1",
					 S_FMT(option), commands[i].name);
		}
	}
	buf_release(&page);
}

static void no_page_is_of_a_day_to_come(void **state)
{
	static const char *const pages[] = { "config/man/perfherald.1",
					     "config/man/perfherald.yaml.5" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pages); i++) {
		struct buf page = read_file(pages[i]);
		struct tm day = { 0 };

		assert_non_null(
			strptime(buf_str(&page), ".Dd %B %d, %Y", &day));
		assert_true(timegm(&day) <= clock_wall());
		buf_release(&page);
	}
}

static void every_field_is_in_the_manual(void **state)
{
	struct buf page = read_file("config/man/perfherald.yaml.5");
	const char *name, *help;

	(void)state;
	for (size_t i = 0; (name = template_field(i, &help)) != NULL; i++) {
		char item[64];

		snprintf(item, sizeof(item), "\n.It Cm %s\n", name);
		if (!strstr(buf_str(&page), item))
			fail_msg("field %s is not in perfherald.yaml.5", name);
	}
	buf_release(&page);
}

/* -- the schema -- */

static json_t *read_schema(void)
{
	struct buf text;
	json_error_t error;
	json_t *schema;

	buf_init(&text);
	config_schema(&text);
	schema = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
	if (!schema)
		fail_msg("schema: %d: %s", error.position, error.text);
	buf_release(&text);
	return schema;
}

/* "a match" is #/$defs/match. */
static json_t *section_of(json_t *schema, const struct section *s)
{
	const char *blank = strchr(s->title, ' ');

	if (s == &section_top)
		return schema;
	return json_object_get(json_object_get(schema, "$defs"),
			       blank ? blank + 1 : s->title);
}

static void every_key_is_in_the_schema(void **state)
{
	const struct section *list[MAX_SECTIONS];
	size_t n = all_sections(list);
	json_t *schema = read_schema();

	(void)state;
	for (size_t i = 0; i < n; i++) {
		json_t *one = section_of(schema, list[i]);
		json_t *keys = json_object_get(one, "properties");

		assert_true(json_is_false(
			json_object_get(one, "additionalProperties")));
		assert_int_equal(json_object_size(keys), list[i]->n);
		for (size_t k = 0; k < list[i]->n; k++) {
			json_t *key =
				json_object_get(keys, list[i]->keys[k].name);

			assert_string_equal(json_string_value(json_object_get(
						    key, "description")),
					    list[i]->keys[k].help);
		}
	}
	json_decref(schema);
}

static void check_references(json_t *schema, json_t *node)
{
	json_t *ref = json_object_get(node, "$ref"), *below;
	const char *key;
	size_t i;

	if (json_is_string(ref)) {
		struct slice name = slice_of(json_string_value(ref));

		assert_true(slice_skip(&name, S("#/$defs/")));
		assert_true(json_is_object(
			json_object_get(json_object_get(schema, "$defs"),
					name.ptr)));
	}
	json_object_foreach(node, key, below) check_references(schema, below);
	json_array_foreach(node, i, below) check_references(schema, below);
}

static void references_of_the_schema_lead_somewhere(void **state)
{
	json_t *schema = read_schema();

	(void)state;
	check_references(schema, schema);
	json_decref(schema);
}

/* -- the example -- */

static struct config *parse(struct slice yaml, struct config_errors *errors,
			    struct config_errors *warnings)
{
	struct config *c = NULL;
	struct err err;

	config_errors_init(errors);
	config_errors_init(warnings);
	config_parse("perfherald.yaml", yaml, false, &c, errors, warnings,
		     &err);
	return c;
}

static void the_example_has_no_mistake(void **state)
{
	struct buf text = read_file("config/perfherald.yaml");
	struct config_errors errors, warnings;
	struct config *c = parse(buf_slice(&text), &errors, &warnings);

	(void)state;
	for (size_t i = 0; i < errors.n; i++)
		print_error("%s\n", errors.line[i].text);
	assert_non_null(c);
	assert_int_equal(warnings.n, 0);
	assert_false(c->send);
	config_free(c);
	config_errors_release(&errors);
	config_errors_release(&warnings);
	buf_release(&text);
}

/* "#key" is a setting to take over, "# Text" is prose. */
static struct buf take_over_all(void)
{
	struct buf text = read_file("config/perfherald.yaml"), all;
	struct slice rest = buf_slice(&text), line;

	buf_init(&all);
	while (slice_take_line(&rest, &line)) {
		struct slice setting = line;

		slice_skip_blanks(&setting);
		if (slice_skip(&setting, S("#")) && setting.len &&
		    *setting.ptr != ' ')
			buf_printf(&all, "%*s%.*s\n",
				   (int)(line.len - setting.len - 1), "",
				   S_FMT(setting));
		else
			buf_printf(&all, "%.*s\n", S_FMT(line));
	}
	buf_release(&text);
	return all;
}

/* Files of secrets that this machine does not have are all that is wrong. */
static void the_whole_example_reads(void **state)
{
	struct buf all = take_over_all();
	struct config_errors errors, warnings;
	struct config *c = parse(buf_slice(&all), &errors, &warnings);
	size_t missing = 0;

	(void)state;
	for (size_t i = 0; i < errors.n; i++) {
		if (strstr(errors.line[i].text, " /etc/perfherald/") &&
		    strstr(errors.line[i].text, "No such file"))
			missing++;
		else if (!strstr(errors.line[i].text, "ca-certificates.crt") &&
			 !strstr(errors.line[i].text, "/srv/lkp-tests"))
			fail_msg("%s", errors.line[i].text);
	}
	assert_null(c);
	assert_int_equal(missing, 5);
	config_errors_release(&errors);
	config_errors_release(&warnings);
	buf_release(&all);
}

/* A key stands where no letter of a longer one is beside it. */
static bool is_written(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *at = text; (at = strstr(at, key)) != NULL; at++)
		if (at[len] == ':' &&
		    (at == text || (!isalnum(at[-1]) && at[-1] != '_')))
			return true;
	return false;
}

static void every_key_is_in_the_example(void **state)
{
	const struct section *list[MAX_SECTIONS];
	size_t n = all_sections(list);
	struct buf all = take_over_all();

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < list[i]->n; k++)
			if (!is_written(buf_str(&all), list[i]->keys[k].name))
				fail_msg("%s of %s is not in perfherald.yaml",
					 list[i]->keys[k].name, list[i]->title);
	buf_release(&all);
}

/* -- the unit -- */

static void the_unit_is_hardened(void **state)
{
	(void)state;
	if (system("command -v systemd-analyze >/dev/null") != 0)
		skip();
	assert_int_equal(system("systemd-analyze security --offline=true "
				"--threshold=15 --no-pager "
				"config/perfherald.service >/dev/null"),
			 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_in_the_manual),
		cmocka_unit_test(the_manual_has_no_other_key),
		cmocka_unit_test(every_command_is_in_the_manual),
		cmocka_unit_test(every_option_is_in_the_manual),
		cmocka_unit_test(no_page_is_of_a_day_to_come),
		cmocka_unit_test(every_field_is_in_the_manual),
		cmocka_unit_test(every_key_is_in_the_schema),
		cmocka_unit_test(references_of_the_schema_lead_somewhere),
		cmocka_unit_test(the_example_has_no_mistake),
		cmocka_unit_test(the_whole_example_reads),
		cmocka_unit_test(every_key_is_in_the_example),
		cmocka_unit_test(the_unit_is_hardened),
	};

	unsetenv("CREDENTIALS_DIRECTORY");
	return cmocka_run_group_tests_name("config_docs", tests, NULL, NULL);
}
