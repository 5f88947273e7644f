/*
 * The machine line:
 *
 *	N " threads" [ M " sockets" ] [ brand ] [ "(" code name ")" ]
 *		" with " memory " memory"
 *	"qemu-system-" ... "-cpu " model ... "-smp " N ... "-m " memory
 */
#include "mail/report/parse.h"

static bool take_count(struct slice *s, struct slice unit, int64_t *ret)
{
	struct slice at = *s, word;
	uint64_t n;

	if (!slice_take_uint(&at, 1000000, &n) || !slice_take_word(&at, &word))
		return false;
	if (!slice_eq(word, unit) &&
	    !slice_eq(word, slice_head(unit, unit.len - 1)))
		return false;
	*ret = (int64_t)n;
	slice_skip_blanks(&at);
	*s = at;
	return true;
}

/* What stands behind " with " at the end. */
static void take_memory(struct slice *s, struct machine *ret)
{
	const char *at = NULL;
	struct slice rest = *s, memory;

	for (const char *next; (next = slice_find(rest, S("with ")));
	     rest = slice_between(next + 1, s->ptr + s->len))
		at = next;
	if (!at)
		return;
	rest = slice_between(at + 5, s->ptr + s->len);
	if (!slice_take_word(&rest, &memory) ||
	    !slice_eq(slice_trim(rest), S("memory")))
		return;
	ret->memory = memory;
	*s = slice_trim(slice_between(s->ptr, at));
}

/* "(Ice Lake)" at the end; "(R)" inside a brand is none. */
static void take_codename(struct slice *s, struct machine *ret)
{
	const char *open;

	if (!slice_ends(*s, S(")")))
		return;
	open = slice_rchr(*s, '(');
	if (!open || (open > s->ptr && open[-1] != ' '))
		return;
	ret->codename = slice_between(open + 1, s->ptr + s->len - 1);
	*s = slice_trim(slice_between(s->ptr, open));
}

static void read_qemu(struct slice s, struct machine *ret)
{
	struct slice word, value;
	uint64_t n;

	while (slice_take_word(&s, &word)) {
		struct slice at = s;

		if (!slice_take_word(&at, &value))
			return;
		if (slice_eq(word, S("-cpu")))
			ret->model = value;
		else if (slice_eq(word, S("-m")))
			ret->memory = value;
		else if (slice_eq(word, S("-smp")) &&
			 slice_take_uint(&value, 1000000, &n))
			ret->threads = (int64_t)n;
	}
}

void machine_read(struct parse *p, struct slice text, struct machine *ret)
{
	struct slice s = parse_squeeze(p, text);

	*ret = (struct machine){ .description = s, .host = ret->host };
	if (slice_starts(s, S("qemu"))) {
		read_qemu(s, ret);
		return;
	}
	if (!take_count(&s, S("threads"), &ret->threads))
		return;
	take_count(&s, S("sockets"), &ret->sockets);
	take_memory(&s, ret);
	take_codename(&s, ret);
	ret->model = s;
}
