#include "mail/keys.h"
#include "ph/arena.h"
#include "ph/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

/*
 * What DNS said is kept as long as it says, within these seconds. That a key
 * is absent, or DNS was silent, is kept shortly: one dead server must not
 * hold up every mail of a batch anew.
 */
#define KEEP_LEAST  300
#define KEEP_MOST   86400
#define KEEP_ABSENT 300
#define KEEP_SILENT 30

struct key {
	char *name;	    /* "Intel._domainkey.intel.com" */
	enum status status; /* PH_OK: text is the record */
	struct buf text;
	int64_t until; /* seconds; pinned keys have no end */
};

struct keys {
	const char *path; /* NULL: ask dns */
	struct dns *dns;
	struct key key[LIMIT_KEYS];
	size_t n, oldest; /* the place to use next once all are taken */
	struct arena arena;
};

struct keys *keys_ask(struct dns *dns)
{
	struct keys *k = xcalloc(1, sizeof(*k));

	k->dns = dns;
	arena_init(&k->arena);
	return k;
}

static void drop(struct key *key)
{
	free(key->name);
	buf_release(&key->text);
	*key = (struct key){ 0 };
}

void keys_free(struct keys *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		drop(&k->key[i]);
	dns_free(k->dns);
	arena_release(&k->arena);
	free(k);
}

static struct key *find(struct keys *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++)
		if (slice_caseeq(slice_of(k->key[i].name), slice_of(name)))
			return &k->key[i];
	return NULL;
}

/* A free place, or the one that was filled longest ago. */
static struct key *add(struct keys *k, const char *name)
{
	struct key *key = find(k, name);

	if (!key && k->n < ARRAY_LEN(k->key)) {
		key = &k->key[k->n++];
	} else if (!key) {
		key = &k->key[k->oldest];
		k->oldest = (k->oldest + 1) % ARRAY_LEN(k->key);
	}
	drop(key);
	key->name = xstrdup(name);
	key->text.max = LIMIT_KEY;
	return key;
}

static enum status read_file(const char *path, struct buf *ret, struct err *err)
{
	FILE *f = fopen(path, "re");
	char chunk[4096];
	bool broken;
	size_t n;

	if (!f)
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s", path,
				strerror(errno));
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && !ret->full)
		buf_add(ret, chunk, n);
	broken = ferror(f);
	fclose(f);
	if (broken)
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: cannot be read",
				path);
	if (ret->full)
		return err_exit(err, PH_FATAL, EX_CONFIG, "%s: over %zu KiB",
				path, LIMIT_KEY_FILE / KIB);
	return PH_OK;
}

/* selector "._domainkey." domain ":" record with a public key */
static bool parse_line(struct slice line, struct slice *ret_name,
		       struct slice *ret_record)
{
	if (!slice_take_until(&line, ':', ret_name))
		return false;
	*ret_name = slice_trim(*ret_name);
	*ret_record = slice_trim(line);
	return slice_find(*ret_name, S("._domainkey.")) &&
	       !slice_chr(*ret_name, ' ') && slice_find(*ret_record, S("p=")) &&
	       ret_record->len <= LIMIT_KEY;
}

static enum status parse_file(struct keys *k, struct slice text,
			      struct err *err)
{
	struct slice line, name, record;

	for (unsigned n = 1; slice_take_line(&text, &line); n++) {
		struct key *key;

		line = slice_trim(line);
		if (!line.len || *line.ptr == '#')
			continue;
		if (!parse_line(line, &name, &record))
			return err_exit(err, PH_FATAL, EX_CONFIG,
					"%s:%u: not of the form \"SELECTOR."
					"_domainkey.DOMAIN: v=DKIM1; p=...\"",
					k->path, n);
		if (k->n == ARRAY_LEN(k->key))
			return err_exit(err, PH_FATAL, EX_CONFIG,
					"%s:%u: more than %d keys", k->path, n,
					LIMIT_KEYS);
		key = add(k, arena_str(&k->arena, name));
		buf_add_slice(&key->text, record);
	}
	if (!k->n)
		return err_exit(err, PH_FATAL, EX_CONFIG, "%s: no keys in it",
				k->path);
	return PH_OK;
}

enum status keys_read(const char *path, struct keys **ret, struct err *err)
{
	struct keys *k = keys_ask(NULL);
	struct buf text = { .max = LIMIT_KEY_FILE };
	enum status st = read_file(path, &text, err);

	k->path = arena_str(&k->arena, slice_of(path));
	if (st == PH_OK)
		st = parse_file(k, buf_slice(&text), err);
	buf_release(&text);
	if (st == PH_OK)
		*ret = k;
	else
		keys_free(k);
	return st;
}

static int64_t keep_for(enum status st, uint32_t ttl)
{
	if (st == PH_NONE)
		return KEEP_ABSENT;
	if (st != PH_OK)
		return KEEP_SILENT;
	if (ttl < KEEP_LEAST)
		return KEEP_LEAST;
	return ttl > KEEP_MOST ? KEEP_MOST : ttl;
}

static struct key *ask(struct keys *k, const char *name, int64_t now)
{
	struct key *key = add(k, name);
	uint32_t ttl = 0;

	key->status = dns_txt(k->dns, name, &key->text, &ttl, NULL);
	key->until = now + keep_for(key->status, ttl);
	return key;
}

/* Letters of host names and the underscore: nothing else goes to DNS. */
static bool is_name(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alpha(s.ptr[i]) && !is_digit(s.ptr[i]) &&
		    s.ptr[i] != '-' && s.ptr[i] != '_' && s.ptr[i] != '.')
			return false;
	return s.len > 0;
}

enum status keys_find(struct keys *k, struct slice selector,
		      struct slice domain, int64_t now, struct slice *ret,
		      struct err *err)
{
	char name[256];
	struct key *key;
	int n = snprintf(name, sizeof(name), "%.*s._domainkey.%.*s",
			 S_FMT(selector), S_FMT(domain));

	if (n < 0 || (size_t)n >= sizeof(name) || !is_name(selector))
		return err_set(err, PH_NONE, "no such key");
	key = find(k, name);
	if (!key && k->path)
		return err_set(err, PH_NONE, "no key %s in %s", name, k->path);
	if (!k->path &&
	    (!key || now >= key->until || key->until - now > KEEP_MOST))
		key = ask(k, name, now);
	*ret = buf_slice(&key->text);
	if (key->status == PH_NONE)
		return err_set(err, PH_NONE, "no key %s in DNS", name);
	if (key->status != PH_OK)
		return err_set(err, PH_RETRY, "no answer from DNS for %s",
			       name);
	return PH_OK;
}
