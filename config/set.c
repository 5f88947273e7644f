#include "config/set.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>
#include "config/nearest.h"
#include "config/secret.h"
#include "config/value.h"
#include "ph/addr.h"

static enum status file_readable(const char *path, struct err *err)
{
	if (access(path, R_OK) != 0)
		return err_set(err, PH_BAD, "names %s: %s", path,
			       strerror(errno));
	return PH_OK;
}

static enum status set_secret(const struct fill *f, struct slice s,
			      const char *path, struct err *err)
{
	struct err why;

	if (!slice_starts(s, S("credential:")) && value_path(s, err) != PH_OK)
		return err_set(err, PH_BAD,
			       "must be an absolute path (/...) or "
			       "credential:NAME; a secret itself never stands "
			       "in this file");
	if (f->files && secret_check(path, &why) == PH_FATAL)
		return err_set(err, PH_BAD, "names %s", why.text);
	return PH_OK;
}

static enum status set_span(const struct key *k, struct slice s, int64_t *ret,
			    struct err *err)
{
	enum status status;

	if (k->words && slice_eq(s, slice_of(k->words[0]))) {
		*ret = 0;
		return PH_OK;
	}
	status = value_span(s, ret, err);
	if (status == PH_OK && *ret < k->min)
		return err_set(err, PH_BAD, "must not be 0");
	return status;
}

static enum status set_channel(struct fill *f, struct slice s,
			       const struct config_channel **ret,
			       struct err *err)
{
	const char *name = arena_str(f->arena, s);
	struct nearest near;

	*ret = config_channel(f->config, name);
	if (*ret)
		return PH_OK;
	nearest_init(&near, name);
	for (size_t i = 0; i < f->config->n_channels; i++)
		nearest_offer(&near, f->config->channels[i].name);
	if (near.found)
		return err_set(err, PH_BAD,
			       "names the channel \"%s\", which does not "
			       "exist; did you mean \"%s\"?",
			       name, near.found);
	return err_set(err, PH_BAD,
		       "names the channel \"%s\", which does not exist", name);
}

static enum status set_person(struct slice s, struct err *err)
{
	struct slice name, address;
	struct err why;

	if (addr_parse(s, &name, &address, &why) != PH_OK)
		return err_set(err, PH_BAD,
			       "must be \"Name <address>\" or an address: %s",
			       why.text);
	return PH_OK;
}

static enum status set_url_text(const struct key *k, struct slice s,
				struct arena *arena, const char **ret,
				struct err *err)
{
	struct config_url url;
	enum status status = value_url(s, k->words, arena, &url, err);

	if (status == PH_OK && url.user)
		return err_set(err, PH_BAD,
			       "has a user name inside: take it "
			       "out of the URL");
	if (status == PH_OK)
		*ret = url.text;
	return status;
}

static enum status set_word(const struct key *k, struct slice s, unsigned *at,
			    struct err *err)
{
	struct nearest near;
	char word[64];
	enum status status = value_word(s, k->words, at, err);

	if (status == PH_OK || s.len >= sizeof(word))
		return status;
	memcpy(word, s.ptr, s.len);
	word[s.len] = '\0';
	nearest_init(&near, word);
	for (size_t i = 0; k->words[i]; i++)
		nearest_offer(&near, k->words[i]);
	if (near.found && near.distance < 3)
		return err_set(err, PH_BAD, "is \"%s\"; did you mean \"%s\"?",
			       word, near.found);
	return status;
}

enum status set_value(struct fill *f, const struct key *k, struct slice s,
		      void *at, void *beside, struct err *err)
{
	const char *text = arena_str(f->arena, s);
	const char **text_at = at;
	enum status status = PH_OK;

	switch (k->type) {
	case KEY_BOOL:
	case KEY_FLAG:
		return value_bool(s, at, err);
	case KEY_COUNT:
		return value_count(s, k->min, k->max, at, err);
	case KEY_NUMBER:
		return value_number(s, at, err);
	case KEY_SPAN:
		return set_span(k, s, at, err);
	case KEY_TIME:
		return value_time(s, at, err);
	case KEY_WORD:
		return set_word(k, s, at, err);
	case KEY_URL:
		return value_url(s, k->words, f->arena, at, err);
	case KEY_URL_TEXT:
		return set_url_text(k, s, f->arena, at, err);
	case KEY_DIGEST:
		return value_digest(s, at, err);
	case KEY_HOURS:
		return value_hours(s, f->arena, at, err);
	case KEY_DONE:
		return value_done(s, f->arena, at, beside, err);
	case KEY_CHANNEL:
		return set_channel(f, s, at, err);
	case KEY_TEXT:
	case KEY_TEMPLATE:
		break;
	case KEY_PATH:
		status = value_path(s, err);
		break;
	case KEY_FILE:
		status = value_path(s, err);
		if (status == PH_OK && f->files)
			status = file_readable(text, err);
		break;
	case KEY_SECRET:
		status = set_secret(f, s, text, err);
		break;
	case KEY_ADDRESS:
		status = value_address(s, err);
		break;
	case KEY_PERSON:
		status = set_person(s, err);
		break;
	default:
		assert(false && "a list or a section is no single value");
	}
	if (status == PH_OK)
		*text_at = text;
	return status;
}

static enum status check_item(const struct key *k, struct slice s,
			      struct err *err)
{
	unsigned place;

	switch (k->type) {
	case KEY_WORDS:
	case KEY_PROOFS:
		return set_word(k, s, &place, err);
	case KEY_ADDRESSES:
		return value_address(s, err);
	case KEY_ADDRESS_GLOBS:
		return value_address_glob(s, err);
	case KEY_DOMAINS:
		return value_domain(s, err);
	default:
		return PH_OK;
	}
}

static enum status add_proof(const struct key *k, struct slice s,
			     enum config_proof *list, size_t *n,
			     struct err *err)
{
	unsigned which = 0;
	enum status status = set_word(k, s, &which, err);

	if (status != PH_OK)
		return status;
	for (size_t i = 0; i < *n; i++)
		if (list[i] == (enum config_proof)which)
			return err_set(err, PH_BAD, "has \"%.*s\" twice",
				       S_FMT(s));
	list[(*n)++] = (enum config_proof)which;
	return PH_OK;
}

enum status set_item(struct fill *f, const struct key *k, struct slice s,
		     void *at, void *beside, size_t room, struct err *err)
{
	struct config_list *list = at;
	const struct config_channel ***channels = at;
	size_t *n = beside;
	enum status status;

	if (k->type == KEY_PROOFS)
		return add_proof(k, s, at, n, err);
	if (k->type == KEY_CHANNELS) {
		if (!*channels)
			*channels = arena_array(f->arena,
						const struct config_channel *,
						room);
		status = set_channel(f, s, *channels + *n, err);
		*n += status == PH_OK;
		return status;
	}
	status = check_item(k, s, err);
	if (status != PH_OK)
		return status;
	if (!list->item)
		list->item = arena_array(f->arena, const char *, room);
	list->item[list->n++] = arena_str(f->arena, s);
	return PH_OK;
}

/* "a, b" of the table's default. */
static void set_usual_list(struct fill *f, const struct key *k, void *at,
			   void *beside)
{
	struct slice rest = slice_of(k->usual), item;
	struct err err;
	size_t room = rest.len; /* more than there are items */
	enum status s;

	do {
		if (!slice_take_until(&rest, ',', &item)) {
			item = rest;
			rest.len = 0;
		}
		s = set_item(f, k, slice_trim(item), at, beside, room, &err);
		assert(s == PH_OK);
	} while (rest.len);
}

void set_usual(struct fill *f, const struct key *k, void *at, void *beside)
{
	struct err err;
	enum status s;

	if (key_is_list(k->type)) {
		set_usual_list(f, k, at, beside);
		return;
	}
	s = set_value(f, k, slice_of(k->usual), at, beside, &err);
	assert(s == PH_OK);
}
