#include "tests/exported.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define NEXT                                                                \
	"https://git.kernel.org/cgit/linux/kernel/git/next/linux-next.git " \
	"master"
#define OCTOBER	 1601553600 /* 2020-10-01T12:00:00Z */
#define NOVEMBER (OCTOBER + 31 * 86400)

static const struct robot_mail mail_a = {
	.id = EXPORTED_ID,
	.commit = EXPORTED_A,
	.title = EXPORTED_TITLE,
	.to = "author@example.org",
	.tree = NEXT,
	.label = "linux-next:master",
	.metric = "will-it-scale.per_process_ops",
	.percent = 12.0,
	.dev = 3,
};

int exported_set_up(void **state)
{
	struct robot_mail m = mail_a;

	(void)state;
	stage_set();
	stage_give(&m, PROVEN_DKIM, OCTOBER);
	m.id = "202611010915.4e1c09ac-lkp@intel.com";
	m.commit = EXPORTED_B;
	m.title = "ext4: batch it";
	m.metric = "fsmark.files_per_sec";
	m.verdict = "improvement";
	m.percent = 30.5;
	m.host = "lkp-icl-2sp8";
	stage_give(&m, PROVEN_DKIM, NOVEMBER);
	m.id = "202611020915.4e1c09ad-lkp@intel.com";
	m.commit = EXPORTED_C;
	m.title = "nobody vouches for this";
	stage_give(&m, PROVEN_NOT, NOVEMBER);
	return 0;
}

size_t exported_lines(void)
{
	size_t n = 0;

	for (const char *text = typed_output(); *text; text++)
		n += *text == '\n';
	return n;
}

json_t *exported_line(size_t n)
{
	const char *at = typed_output();
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

const char *exported_text(const json_t *j, const char *key)
{
	const char *ret = json_string_value(json_object_get(j, key));

	if (!ret)
		fail_msg("no text \"%s\"", key);
	return ret;
}

double exported_number(const json_t *j, const char *key)
{
	const json_t *ret = json_object_get(j, key);

	if (!json_is_number(ret))
		fail_msg("no number \"%s\"", key);
	return json_number_value(ret);
}
