#include "bot/name.h"

#include <string.h>

/* "%40" is "@"; what is no escape stays. */
static struct slice unescape(struct slice s, struct arena *arena)
{
	char *ret = arena_alloc(arena, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		int high = -1, low = -1;

		if (s.ptr[i] == '%' && i + 2 < s.len) {
			high = hex_value(s.ptr[i + 1]);
			low = hex_value(s.ptr[i + 2]);
		}
		if (high < 0 || low < 0) {
			ret[n++] = s.ptr[i];
			continue;
		}
		ret[n++] = (char)(high << 4 | low);
		i += 2;
	}
	return (struct slice){ ret, n };
}

static bool is_commit(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (hex_value(s.ptr[i]) < 0)
			return false;
	return s.len >= 4 && s.len <= 40;
}

/* The next part of s, which ends at one of these. */
static bool take_part(struct slice *s, const char *ends, struct slice *ret)
{
	size_t len = 0;

	if (!s->len)
		return false;
	while (len < s->len && !strchr(ends, s->ptr[len]))
		len++;
	*ret = slice_head(*s, len);
	*s = slice_from(*s, len + 1);
	return true;
}

/* A Message-ID is the one part of a path with an "@". */
static bool find_id(struct slice path, struct arena *arena, struct slice *ret)
{
	struct slice part;

	while (take_part(&path, "/", &part)) {
		part = unescape(part, arena);
		if (part.len && slice_chr(part, '@')) {
			*ret = part;
			return true;
		}
	}
	return false;
}

/* cgit's "?id=HASH", gitweb's ";h=HASH", or the last part of a path. */
static bool find_commit(struct slice path, struct slice query,
			struct slice *ret)
{
	struct slice part, last = { 0 };

	while (take_part(&query, "?&;", &part))
		if ((slice_skip(&part, S("id=")) ||
		     slice_skip(&part, S("h="))) &&
		    is_commit(part)) {
			*ret = part;
			return true;
		}
	while (take_part(&path, "/", &part))
		if (part.len)
			last = part;
	if (last.len < 7 || !is_commit(last))
		return false;
	*ret = last;
	return true;
}

static bool find_in_link(struct slice s, struct arena *arena, struct slice *ret)
{
	struct slice link, host, path;

	if (!slice_caseskip(&s, S("https://")) &&
	    !slice_caseskip(&s, S("http://")))
		return false;
	if (!take_part(&s, "#", &link) || !take_part(&link, "/", &host) ||
	    !take_part(&link, "?", &path))
		return false;
	return find_id(path, arena, ret) || find_commit(path, link, ret);
}

static struct slice in_lower_case(struct slice s, struct arena *arena)
{
	char *ret = arena_str(arena, s);

	for (size_t i = 0; i < s.len; i++)
		ret[i] = to_lower(ret[i]);
	return (struct slice){ ret, s.len };
}

struct slice name_plain(const char *typed, struct arena *arena)
{
	struct slice s = slice_trim(slice_of(typed)), bare;

	if (s.len > 2 && s.ptr[0] == '<' && s.ptr[s.len - 1] == '>')
		s = slice_head(slice_from(s, 1), s.len - 2);
	bare = s;
	if (find_in_link(s, arena, &bare) ||
	    ((slice_skip(&bare, S("mid:")) || slice_skip(&bare, S("id:"))) &&
	     slice_chr(bare, '@')))
		s = bare;
	return is_commit(s) ? in_lower_case(s, arena) : arena_copy(arena, s);
}
