#include "ph/notice.h"

#include "notify/words.h"
#include "ph/utf8.h"

#define DIGEST_COLUMNS 100

static void put_title(const struct notice *n, struct buf *ret)
{
	if (n->n_results) {
		words_result(ret, &n->results[0]);
		if (n->title.len)
			buf_add_str(ret, ": ");
	}
	utf8_put_clean(ret, n->title);
}

void notice_subject(const struct notice *n, struct buf *ret)
{
	switch (n->kind) {
	case NOTICE_DRILL:
		buf_add_str(ret, "DRILL ");
		put_title(n, ret);
		break;
	case NOTICE_DIGEST:
		utf8_put_clean(ret, n->title);
		if (n->title.len && n->period.len)
			buf_add_str(ret, ", ");
		utf8_put_clean(ret, n->period);
		break;
	case NOTICE_FIRST:
	case NOTICE_UPDATE:
	case NOTICE_FORWARD:
	case NOTICE_OPERATOR:
	case NOTICE_ANSWER:
		put_title(n, ret);
		break;
	}
}

void notice_digest_line(const struct notice *n, struct buf *ret)
{
	struct slice title = n->title, shown;
	size_t start = ret->len, used;

	if (n->n_results)
		words_result(ret, &n->results[0]);
	if (n->n_results > 1)
		buf_printf(ret, " and %zu more", n->n_results - 1);
	if (n->n_results && (n->commit.len || title.len))
		buf_add_str(ret, "  ");
	words_commit(ret, n->commit, S(""));
	if (!title.len)
		return;
	if (n->commit.len)
		buf_add_char(ret, ' ');
	used = utf8_count(slice_from(buf_slice(ret), start)) + 3;
	shown = utf8_cut_points(title, used + 20 < DIGEST_COLUMNS
					       ? DIGEST_COLUMNS - used
					       : 20);
	utf8_put_clean(ret, shown);
	if (shown.len < title.len)
		buf_add_str(ret, "...");
}
