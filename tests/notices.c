#include "tests/notices.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct notice_result headline(void)
{
	return (struct notice_result){
		.testcase = S("will-it-scale"),
		.metric = S("will-it-scale.per_process_ops"),
		.params = S("test=page_fault2 mode=process nr_task=100%"),
		.host = S("lkp-skl-fpga01"),
		.host_words = S("104 threads, 2 sockets, Skylake, 192G, "
				"performance"),
		.verdict = VERDICT_REGRESSION,
		.has_percent = true,
		.percent = 11.9,
		.change_kind = CHANGE_RELATIVE,
		.has_values = true,
		.base = 91713,
		.value = 80789,
		.base_dev = -1,
		.value_dev = -1,
		.better = BETTER_HIGHER,
		.unit = S("operations per process"),
	};
}

void notices_full(struct arena *arena, struct notice *ret)
{
	struct notice_result *r = arena_array(arena, struct notice_result, 2);
	struct slice *reasons = arena_array(arena, struct slice, 2);
	struct notice_line *with = arena_array(arena, struct notice_line, 2);

	r[0] = headline();
	r[1] = r[0];
	r[1].metric = S("stress-ng.shm.ops_per_sec");
	r[1].percent = 8.5;
	reasons[0] = S("at least 9 times the run-to-run noise");
	reasons[1] = S("agrees with stress-ng");
	with[0] = (struct notice_line){ S("cache"),
					S("HITM local 4,025 -> 5,197 (+29%)") };
	with[1] = (struct notice_line){
		S("profile"),
		S("native_queued_spin_lock_slowpath 61.9% -> 65.3%")
	};
	*ret = (struct notice){
		.kind = NOTICE_FIRST,
		.patch = S("0f0e0d0c0b0a0908"),
		.key = S(KEY),
		.made = 1715940000,
		.title = S("memcg: dynamically allocate lruvec_stats"),
		.commit = S("70a64b7919cbd6c12306051ff2825839a9d65605"),
		.base = S("59142d87ab03b8ff969074348f65730d465f42ee"),
		.base_title = S("memcg: reduce memory size of "
				"mem_cgroup_events_index"),
		.tree = S("next/linux-next.git"),
		.branch = S("master"),
		.label = S("linux-next:master"),
		.subsystem = S("memcg"),
		.author = S("author@example.org"),
		.results = r,
		.n_results = 2,
		.build = S("gcc-13, x86_64-rhel-8.3"),
		.evidence = EVIDENCE_A,
		.reasons = reasons,
		.n_reasons = 2,
		.has_effect = true,
		.effect_at_least = true,
		.effect = 9,
		.with = with,
		.n_with = 2,
		.report_id = S("202405171353.b56b845-bot@example.org"),
		.report_url = S("https://lore.kernel.org/r/"
				"202405171353.b56b845-bot@example.org"),
		.rerun_url = S("https://download.example.org/archive/20240517/"
			       "202405171353.b56b845-bot@example.org"),
	};
}

void notices_digest(struct arena *arena, size_t n, struct notice *ret)
{
	struct slice *lines = arena_array(arena, struct slice, n);

	for (size_t i = 0; i < n; i++)
		lines[i] = slice_of(
			arena_printf(arena,
				     "WORSE %zu.0%% vm-scalability.throughput: "
				     "mm: line %zu",
				     i + 5, i));
	*ret = (struct notice){
		.kind = NOTICE_DIGEST,
		.key = S(KEY),
		.made = 1715940000,
		.title = S("performance digest"),
		.lines = lines,
		.n_lines = n,
		.period = S("2024-05-10 to 2024-05-17"),
	};
}

/* xorshift64*: the same everywhere */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(2685821657736338717);
}

static const struct slice bits[] = {
	S_INIT("@channel"),
	S_INIT("@all"),
	S_INIT("@here"),
	S_INIT("@room"),
	S_INIT("@everyone"),
	S_INIT("@**all**"),
	S_INIT("@*group*"),
	S_INIT("@user "),
	S_INIT("<!channel>"),
	S_INIT("<!here|x>"),
	S_INIT("<@U012AB3CD>"),
	S_INIT("<#C1|x>"),
	S_INIT("<@&12345678901>"),
	S_INIT("<@!12345678901>"),
	S_INIT("<users/all>"),
	S_INIT("<at>x</at>"),
	S_INIT("<AT>y</AT>"),
	S_INIT("<!subteam^S1>"),
	S_INIT("#**stream>topic**"),
	S_INIT("#hash"),
	S_INIT("$CASH"),
	S_INIT("/start"),
	S_INIT(" /me "),
	S_INIT("`"),
	S_INIT("``"),
	S_INIT("```"),
	S_INIT("*"),
	S_INIT("**"),
	S_INIT("_"),
	S_INIT("__"),
	S_INIT("~"),
	S_INIT("~~"),
	S_INIT("|"),
	S_INIT("||"),
	S_INIT("> "),
	S_INIT(">>> "),
	S_INIT("# "),
	S_INIT("- "),
	S_INIT("+ "),
	S_INIT("1. "),
	S_INIT("!"),
	S_INIT("[x](https://evil.example)"),
	S_INIT("](x"),
	S_INIT("["),
	S_INIT("<https://evil.example|x>"),
	S_INIT("https://evil.example/"),
	S_INIT("evil.example"),
	S_INIT("![i](https://evil.example/i.png)"),
	S_INIT("javascript:x"),
	S_INIT("<a href=\"x\">"),
	S_INIT("</a>"),
	S_INIT("<b>"),
	S_INIT("</code>"),
	S_INIT("<script>"),
	S_INIT("&"),
	S_INIT("&amp;"),
	S_INIT("&lt;"),
	S_INIT("&#64;"),
	S_INIT("\\"),
	S_INIT("\\\\"),
	S_INIT("\""),
	S_INIT("'"),
	S_INIT("\",\"x\":\""),
	S_INIT("{"),
	S_INIT("}"),
	S_INIT("{{title}}"),
	S_INIT("$$x$$"),
	S_INIT(":smile:"),
	S_INIT(":)"),
	S_INIT("<t:1:R>"),
	S_INIT("<time:2024>"),
	S_INIT("^"),
	S_INIT("="),
	S_INIT("%s%n"),
	S_INIT("\n"),
	S_INIT("\r\n"),
	S_INIT("\t"),
	S_INIT("\0"),
	S_INIT("\x1b[31m"),
	S_INIT("\x7f"),
	S_INIT("\xff"),
	S_INIT("\xc0\x80"),
	S_INIT("\xed\xa0\x80"),
	S_INIT("\xe2\x80\xae"),
	S_INIT("\xe2\x80\xa8"),
	S_INIT("\xe2\x80\x8b"),
	S_INIT("\xf0\x9f\x98\x80"),
	S_INIT("\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9"),
	S_INIT("\xc3\xa9"),
	S_INIT("\xe4\xb8\xad"),
	S_INIT("mm"),
	S_INIT("memcg: "),
	S_INIT("lseek@plt"),
	S_INIT("cfs_rq:/.util"),
	S_INIT("0.5"),
	S_INIT(" "),
	S_INIT(" "),
};

static struct slice text(struct arena *arena, uint64_t *seed, size_t most)
{
	size_t n = (size_t)(next(seed) % most) + 1;
	struct slice ret;
	struct buf b;

	buf_init(&b);
	for (size_t i = 0; i < n; i++)
		buf_add_slice(&b, bits[next(seed) % ARRAY_LEN(bits)]);
	ret = arena_copy(arena, buf_slice(&b));
	buf_release(&b);
	return ret;
}

void notices_hostile(struct arena *arena, uint64_t *seed, struct notice *ret)
{
	struct slice *words[] = {
		&ret->title,	  &ret->tree,	&ret->branch, &ret->label,
		&ret->subsystem,  &ret->author, &ret->build,  &ret->failures,
		&ret->before,	  &ret->fix,	&ret->note,   &ret->state,
		&ret->base_title, &ret->commit, &ret->base,
	};

	notices_full(arena, ret);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (next(seed) % 4)
			*words[i] = text(arena, seed, 12);
	ret->title = text(arena, seed, 60);
	for (size_t i = 0; i < ret->n_results; i++) {
		struct notice_result *r = &ret->results[i];

		r->testcase = text(arena, seed, 6);
		r->metric = text(arena, seed, 30);
		r->params = text(arena, seed, 20);
		r->host = text(arena, seed, 4);
		r->host_words = text(arena, seed, 8);
		r->unit = text(arena, seed, 4);
		r->before = text(arena, seed, 4);
	}
	for (size_t i = 0; i < ret->n_reasons; i++)
		ret->reasons[i] = text(arena, seed, 6);
	for (size_t i = 0; i < ret->n_with; i++)
		ret->with[i].text = text(arena, seed, 10);
	if (next(seed) % 2)
		ret->report_url = text(arena, seed, 6);
	if (next(seed) % 2)
		ret->posted_link = text(arena, seed, 6);
}
