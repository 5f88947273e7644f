/*
 * What a metric's or a host's name tells, from the tables in config/ that
 * config/dev/tables.awk writes out as C.
 */
#include "ph/report.h"

struct metric_rule {
	struct slice pattern;
	enum better better;
	struct slice unit;
};

struct name_row {
	struct slice name, meaning;
};

#include "metric_tables.h"

/*
 * A pattern over the whole name: '*' is one or more bytes, '?' one. Only the
 * last '*' need be tried again: what an earlier one could take more, it can
 * take instead.
 */
static bool matches(struct slice pattern, struct slice name)
{
	size_t i = 0, k = 0;
	size_t star = SIZE_MAX, mark = 0; /* behind the last '*', its end */

	while (k < name.len) {
		if (i < pattern.len && pattern.ptr[i] == '*') {
			star = ++i;
			mark = ++k;
		} else if (i < pattern.len && (pattern.ptr[i] == '?' ||
					       pattern.ptr[i] == name.ptr[k])) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star;
			k = ++mark;
		} else {
			return false;
		}
	}
	return i == pattern.len;
}

enum better metric_better(struct slice metric)
{
	for (size_t i = 0; i < ARRAY_LEN(metric_rules); i++)
		if (metric_rules[i].better &&
		    matches(metric_rules[i].pattern, metric))
			return metric_rules[i].better;
	return BETTER_UNKNOWN;
}

struct slice metric_unit(struct slice metric)
{
	for (size_t i = 0; i < ARRAY_LEN(metric_rules); i++)
		if (metric_rules[i].unit.len &&
		    matches(metric_rules[i].pattern, metric))
			return metric_rules[i].unit;
	return (struct slice){ 0 };
}

static struct slice look_up(const struct name_row *rows, size_t n,
			    struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq(rows[i].name, name))
			return rows[i].meaning;
	return (struct slice){ 0 };
}

struct slice metric_family_meaning(struct slice metric)
{
	struct slice family;

	if (!slice_take_until(&metric, '.', &family))
		family = metric;
	return look_up(families, ARRAY_LEN(families), family);
}

/* "icl" of "icl-2sp8": up to a hyphen. Failing that "ivb" of "ivb42": up to a
 * digit; a few old machines have digits in their code. */
static struct slice cpu_of(struct slice name)
{
	size_t to_digit = 0, to_hyphen = 0;
	struct slice found;

	while (to_hyphen < name.len && name.ptr[to_hyphen] != '-')
		to_hyphen++;
	while (to_digit < to_hyphen && !is_digit(name.ptr[to_digit]))
		to_digit++;
	found = look_up(host_codes, ARRAY_LEN(host_codes),
			slice_head(name, to_hyphen));
	return found.len ? found
			 : look_up(host_codes, ARRAY_LEN(host_codes),
				   slice_head(name, to_digit));
}

/* The code comes first, or behind "vm-" and a site of letters. */
struct slice host_cpu(struct slice host)
{
	struct slice found, site;

	slice_skip(&host, S("vm-"));
	found = cpu_of(host);
	if (found.len || !slice_take_until(&host, '-', &site))
		return found;
	return cpu_of(host);
}

struct slice host_class(struct slice host)
{
	while (host.len && is_digit(host.ptr[host.len - 1]))
		host.len--;
	return host;
}
