#include "ph/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>
#include "config/check.h"
#include "config/fill.h"
#include "config/match.h"
#include "ph/limits.h"

static enum status unreadable(const char *path, struct err *err)
{
	int error = errno;
	const char *hint = "";

	if (error == ENOENT && !strcmp(path, CONFIG_USUAL))
		hint = "; copy " CONFIG_USUAL ".example there, or name a file "
		       "with -c";
	else if (error == EACCES)
		hint = "; run as the user whom it is for";
	return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s%s", path,
			strerror(error), hint);
}

static enum status read_fd(int fd, const char *path, struct buf *ret,
			   struct err *err)
{
	char part[16384];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return unreadable(path, err);
		if (ret->len + (size_t)n > LIMIT_CONFIG)
			return err_exit(err, PH_FATAL, EX_CONFIG,
					"%s: over 1 MiB, which is no "
					"configuration (LIMIT_CONFIG)",
					path);
		buf_add(ret, part, (size_t)n);
	}
	return PH_OK;
}

static enum status read_file(const char *path, struct buf *ret,
			     bool *ret_private, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	enum status s;

	if (fd < 0)
		return unreadable(path, err);
	if (fstat(fd, &st) != 0)
		s = unreadable(path, err);
	else
		s = read_fd(fd, path, ret, err);
	close(fd);
	*ret_private = s == PH_OK && !(st.st_mode & 077);
	return s;
}

static enum status count_mistakes(const struct config_errors *errors,
				  const char *path, struct err *err)
{
	size_t n = errors->n + errors->more;

	if (!n)
		return PH_OK;
	if (n == 1)
		return err_exit(err, PH_FATAL, EX_CONFIG, "%s: a mistake",
				path);
	return err_exit(err, PH_FATAL, EX_CONFIG, "%s: %zu mistakes", path, n);
}

static void read_tree(struct fill *f, struct slice yaml)
{
	struct config_mark start = { 1, 1 };
	struct node *root = NULL;

	if (node_read(yaml, f->arena, f->notes, &root) != PH_OK)
		return;
	if (!root)
		notes_mistake(f->notes, start, "the file holds no keys");
	else if (root->kind != NODE_MAP)
		notes_mistake(f->notes, root->mark,
			      "the file must be a map of keys, not %s",
			      node_kind_name(root->kind));
	else
		fill_section(f, &section_top, root, f->config);
}

static enum status parse(const char *name, struct slice yaml, bool private_file,
			 enum config_use use, struct config **ret,
			 struct config_errors *errors,
			 struct config_errors *warnings, struct err *err)
{
	struct config *c = xcalloc(1, sizeof(*c));
	struct notes notes = { name, errors, warnings };
	struct fill f = { &c->arena, c, &notes, private_file,
			  use == CONFIG_TO_WORK };
	enum status s;

	arena_init(&c->arena);
	c->file = arena_str(&c->arena, slice_of(name));
	read_tree(&f, yaml);
	notes_sort(errors);
	s = count_mistakes(errors, name, err);
	if (s != PH_OK) {
		config_free(c);
		return s;
	}
	if (warnings) {
		match_warn(c, &notes);
		notes_sort(warnings);
	}
	*ret = c;
	return PH_OK;
}

enum status config_parse(const char *name, struct slice yaml, bool private_file,
			 struct config **ret, struct config_errors *errors,
			 struct config_errors *warnings, struct err *err)
{
	return parse(name, yaml, private_file, CONFIG_TO_WORK, ret, errors,
		     warnings, err);
}

enum status config_read(const char *path, enum config_use use,
			struct config **ret, struct config_errors *errors,
			struct config_errors *warnings, struct err *err)
{
	struct buf yaml;
	bool private_file = false;
	enum status s;

	buf_init(&yaml);
	s = read_file(path, &yaml, &private_file, err);
	if (s == PH_OK)
		s = parse(path, buf_slice(&yaml), private_file, use, ret,
			  errors, warnings, err);
	if (yaml.ptr) /* it may hold the URL of a webhook */
		explicit_bzero(yaml.ptr, yaml.len);
	buf_release(&yaml);
	return s;
}

void config_free(struct config *config)
{
	if (!config)
		return;
	arena_release(&config->arena);
	free(config);
}

void config_forget_urls(const struct config *config,
			const struct config_channel *keep)
{
	for (size_t i = 0; i < config->n_channels; i++) {
		char *url = (char *)config->channels[i].url;

		if (url && &config->channels[i] != keep)
			explicit_bzero(url, strlen(url));
	}
}

void config_forget_ping(const struct config *config)
{
	char *url = (char *)config->ping_url;

	if (url)
		explicit_bzero(url, strlen(url));
}

const struct config_channel *config_channel(const struct config *config,
					    const char *name)
{
	for (size_t i = 0; i < config->n_channels; i++)
		if (!strcmp(config->channels[i].name, name))
			return &config->channels[i];
	return NULL;
}

const struct config_mailbox *config_mailbox(const struct config *config,
					    const char *name)
{
	for (size_t i = 0; i < config->n_mailboxes; i++)
		if (!strcmp(config->mailboxes[i].name, name))
			return &config->mailboxes[i];
	return NULL;
}
