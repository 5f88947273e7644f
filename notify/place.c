#include "notify/place.h"

#include <stdio.h>
#include <stdlib.h>
#include "ph/hash.h"

/* Shorter ones would be found in any text. */
#define SECRET_MIN 8

void place_release(struct place *p)
{
	secret_free(p->url);
	secret_free(p->token);
	secret_free(p->secret);
	*p = (struct place){ 0 };
}

static const char *hint(const struct service *service)
{
	return service->path_hint ? service->path_hint : "https://...";
}

static enum status read_url(const struct config_channel *ch,
			    const struct service *service, char **ret,
			    struct err *err)
{
	const char *url = ch->url ? ch->url : service->home;

	if (ch->url_file)
		return secret_read(ch->url_file, ret, err);
	if (!url)
		return err_exit(err, PH_FATAL, 78,
				"%s needs url or url_file (%s)", service->title,
				hint(service));
	*ret = secret_copy(url);
	return PH_OK;
}

static void cut_slashes(char *url)
{
	size_t len = strlen(url);

	while (len && url[len - 1] == '/')
		url[--len] = '\0';
}

static enum status read_files(const struct config_channel *ch,
			      const struct service *service, struct place *ret,
			      struct err *err)
{
	enum status s = PH_OK;

	if (ch->token_file && service->token != TOKEN_UNUSED)
		s = secret_read(ch->token_file, &ret->token, err);
	if (s == PH_OK && ch->secret_file)
		s = secret_read(ch->secret_file, &ret->secret, err);
	if (s == PH_OK && service->token == TOKEN_NEEDED && !ret->token)
		s = err_exit(err, PH_FATAL, 78, "%s needs a token_file",
			     service->title);
	return s;
}

/* What stands behind the host, without its slash and the query. */
static struct slice path_of(const char *url)
{
	struct slice s = slice_of(url), host;
	const char *query;

	if (!slice_find(s, S("://")))
		return S("");
	s = slice_from(s, (size_t)(slice_find(s, S("://")) - url) + 3);
	if (!slice_take_until(&s, '/', &host))
		return S("");
	query = slice_chr(s, '?');
	return query ? slice_between(s.ptr, query) : s;
}

/* A URL copied from another service is told at once, not by its 404. */
static enum status check_url(const struct service *service, const char *url,
			     struct err *err)
{
	if (!slice_find(slice_of(url), S("://")))
		return err_exit(err, PH_BAD, 78, "the URL is none (want %s)",
				hint(service));
	if (!service->paths)
		return PH_OK;
	for (size_t i = 0; service->paths[i]; i++)
		if (slice_glob(slice_of(service->paths[i]), path_of(url)))
			return PH_OK;
	return err_exit(err, PH_BAD, 78, "the URL is not one of a %s (%s)",
			service->title, hint(service));
}

enum status place_read(const struct config_channel *ch,
		       const struct service *service, struct place *ret,
		       struct err *err)
{
	enum status s;

	*ret = (struct place){ 0 };
	s = read_url(ch, service, &ret->url, err);
	if (s != PH_OK)
		return s;
	cut_slashes(ret->url);
	s = read_files(ch, service, ret, err);
	return s == PH_OK ? check_url(service, ret->url, err) : s;
}

static bool shows(const char *text, const char *secret)
{
	return secret && strlen(secret) >= SECRET_MIN && strstr(text, secret);
}

/* What stands behind the name in "name:secret" tokens. */
static const char *second_half(const char *token)
{
	const char *colon = token ? strchr(token, ':') : NULL;

	return colon ? colon + 1 : NULL;
}

bool place_shows(const struct place *p, const char *text)
{
	struct slice path = p->url ? path_of(p->url) : S("");

	return shows(text, p->url) || shows(text, p->token) ||
	       shows(text, second_half(p->token)) || shows(text, p->secret) ||
	       (path.len >= SECRET_MIN && slice_find(slice_of(text), path));
}

static enum status address(const struct config *config,
			   const struct config_channel *ch,
			   const struct service *service, char **ret,
			   struct err *err)
{
	if (!service->send)
		return read_url(ch, service, ret, err);
	if (ch->type == CHANNEL_MAIL)
		*ret = secret_copy(config->has_smtp ? config->smtp.url.text
						    : "");
	else
		*ret = secret_copy(ch->path ? ch->path : "");
	return PH_OK;
}

enum status place_name(const struct config *config,
		       const struct config_channel *ch,
		       const struct service *service, char ret[17],
		       struct err *err)
{
	char name[65], *url = NULL;
	enum status s = address(config, ch, service, &url, err);
	struct slice *parts;

	if (s != PH_OK)
		return s;
	parts = xcalloc(ch->to.n + 1, sizeof(*parts));
	parts[0] = slice_of(url);
	for (size_t i = 0; i < ch->to.n; i++)
		parts[i + 1] = slice_of(ch->to.item[i]);
	hash_name(parts, ch->to.n + 1, name);
	snprintf(ret, 17, "%.16s", name);
	free(parts);
	secret_free(url);
	return PH_OK;
}
