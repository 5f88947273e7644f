#include "bot/trees.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>
#include "ph/addr.h"
#include "ph/limits.h"
#include "ph/node.h"

#define MAX_FILE (64 * KIB)

void trees_init(struct trees *t)
{
	*t = (struct trees){ 0 };
	arena_init(&t->arena);
}

static void release_patterns(struct tree *t)
{
	pattern_free(t->private_branch);
	pattern_free(t->public_branch);
	pattern_free(t->denied);
	pattern_free(t->allowed);
	pattern_free(t->no_runtime);
}

void trees_release(struct trees *t)
{
	for (size_t i = 0; i < t->n; i++)
		release_patterns(&t->tree[i]);
	arena_release(&t->arena);
	*t = (struct trees){ 0 };
}

static size_t count_texts(const struct node *n)
{
	size_t count = 1;

	if (!n || n->kind != NODE_LIST)
		return n ? 1 : 0;
	for (n = n->first; n; n = n->next)
		count++;
	return count;
}

static void add_person(struct arena *arena, const struct node *n,
		       struct person *list, size_t *ret_n)
{
	struct slice text, name, address;
	struct err ignored;

	if (n->kind != NODE_TEXT)
		return;
	text = arena_copy(arena, n->text);
	if (addr_parse(text, &name, &address, &ignored) == PH_OK)
		list[(*ret_n)++] = (struct person){ name, address };
}

/* A person or a list of them; what is no address is passed over. */
static void add_people(struct arena *arena, const struct node *n,
		       struct person *list, size_t *ret_n)
{
	if (!n)
		return;
	if (n->kind != NODE_LIST) {
		add_person(arena, n, list, ret_n);
		return;
	}
	for (n = n->first; n; n = n->next)
		add_person(arena, n, list, ret_n);
}

/* Several expressions in a list mean any of them. */
static enum status read_pattern(struct arena *arena, struct slice name,
				const struct node *map, const char *key,
				struct pattern **ret, struct err *err)
{
	const struct node *n = node_get(map, key), *item;
	struct slice text;
	struct err why;
	struct buf any;

	if (!n || n->kind == NODE_MAP)
		return PH_OK;
	item = n->kind == NODE_LIST ? n->first : n;
	buf_init(&any);
	for (; item; item = n->kind == NODE_LIST ? item->next : NULL)
		buf_printf(&any, "%s%.*s", any.len ? "|" : "",
			   S_FMT(item->text));
	text = arena_copy(arena, buf_slice(&any));
	buf_release(&any);
	if (!text.len || pattern_new(text, PATTERN_WHOLE, ret, &why) == PH_OK)
		return PH_OK;
	return err_set(err, PH_BAD, "%.*s:%u:%u: %s: %s", S_FMT(name),
		       n->mark.line, n->mark.column, key, why.text);
}

static enum status read_patterns(struct arena *arena, const struct node *map,
				 struct tree *tree, struct err *err)
{
	const struct {
		const char *key;
		struct pattern **at;
	} keys[] = {
		{ "private_report_branch", &tree->private_branch },
		{ "public_report_branch", &tree->public_branch },
		{ "branch_denylist", &tree->denied },
		{ "branch_allowlist", &tree->allowed },
		{ "branch_deny_runtime_test", &tree->no_runtime },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		enum status s = read_pattern(arena, tree->name, map,
					     keys[i].key, keys[i].at, err);

		if (s != PH_OK)
			return s;
	}
	return PH_OK;
}

static enum status read_map(struct arena *arena, const struct node *map,
			    struct tree *tree, struct err *err)
{
	const struct node *owner = node_get(map, "owner");
	const struct node *cc = node_get(map, "mail_cc");
	const struct node *to = node_get(map, "mail_to");
	const struct node *url = node_get(map, "url");

	if (url && url->kind == NODE_TEXT)
		tree->url = arena_copy(arena, url->text);
	tree->owners = arena_array(arena, struct person, count_texts(owner));
	tree->cc = arena_array(arena, struct person,
			       count_texts(cc) + count_texts(to));
	add_people(arena, owner, tree->owners, &tree->n_owners);
	add_people(arena, cc, tree->cc, &tree->n_cc);
	add_people(arena, to, tree->cc, &tree->n_cc);
	return read_patterns(arena, map, tree, err);
}

enum status trees_add(struct trees *t, struct slice name, struct slice yaml,
		      struct err *err)
{
	struct tree tree = { .name = arena_copy(&t->arena, name) };
	struct config_errors errors;
	struct notes notes = { tree.name.ptr, &errors, NULL };
	struct node *root = NULL;
	enum status s;

	config_errors_init(&errors);
	s = node_read(yaml, &t->arena, &notes, &root);
	if (s != PH_OK || errors.n)
		s = err_set(err, PH_BAD, "%s", errors.line[0].text);
	else if (!root || root->kind != NODE_MAP)
		s = err_set(err, PH_BAD, "%.*s:1:1: no keys", S_FMT(name));
	else
		s = read_map(&t->arena, root, &tree, err);
	config_errors_release(&errors);
	if (s != PH_OK) {
		release_patterns(&tree);
		return s;
	}
	t->tree =
		arena_grow(&t->arena, t->tree, &t->cap, t->n, sizeof(*t->tree));
	t->tree[t->n++] = tree;
	return PH_OK;
}

/* PH_NONE: no regular file. */
static enum status read_file(int dir, const char *name, struct buf *ret,
			     struct err *err)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char part[4096];
	ssize_t n;

	if (fd < 0)
		return err_set(err, PH_BAD, "%s: %s", name, strerror(errno));
	ret->max = MAX_FILE;
	buf_reset(ret);
	while ((n = read(fd, part, sizeof(part))) > 0 && !ret->full)
		buf_add(ret, part, (size_t)n);
	close(fd);
	if (n < 0 && errno == EISDIR)
		return PH_NONE;
	if (n < 0)
		return err_set(err, PH_BAD, "%s: %s", name, strerror(errno));
	if (ret->full)
		return err_set(err, PH_BAD, "%s: over 64 KiB", name);
	return PH_OK;
}

static enum status add_file(struct trees *t, int dir, const char *name,
			    struct err *err)
{
	struct buf yaml;
	enum status s;

	buf_init(&yaml);
	s = read_file(dir, name, &yaml, err);
	if (s == PH_OK)
		s = trees_add(t, slice_of(name), buf_slice(&yaml), err);
	buf_release(&yaml);
	return s;
}

enum status trees_read(struct trees *t, const char *folder, size_t *ret_bad,
		       struct err *err)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	size_t bad = 0;

	if (ret_bad)
		*ret_bad = 0;
	if (!folder)
		return PH_OK;
	if (!dir)
		return err_exit(err, PH_FATAL, EX_NOINPUT, "%s: %s", folder,
				strerror(errno));
	while ((entry = readdir(dir)) != NULL) {
		struct err why;

		if (*entry->d_name == '.' ||
		    !strcmp(entry->d_name, "DEFAULTS") ||
		    add_file(t, dirfd(dir), entry->d_name, &why) != PH_BAD)
			continue;
		if (!bad++)
			*err = why;
	}
	closedir(dir);
	if (ret_bad)
		*ret_bad = bad;
	return PH_OK;
}

const struct tree *trees_find(const struct trees *t, struct slice label,
			      struct slice url)
{
	struct slice rest = label, name;

	if (slice_take_until(&rest, ':', &name))
		for (size_t i = 0; i < t->n; i++)
			if (slice_eq(t->tree[i].name, name))
				return &t->tree[i];
	for (size_t i = 0; url.len && i < t->n; i++)
		if (slice_eq(t->tree[i].url, url))
			return &t->tree[i];
	return NULL;
}

static bool fits(const struct pattern *p, struct slice branch)
{
	return p && pattern_matches(p, branch);
}

bool tree_is_private(const struct tree *t, struct slice branch)
{
	return fits(t->private_branch, branch) &&
	       !fits(t->public_branch, branch);
}

bool tree_is_denied(const struct tree *t, struct slice branch)
{
	return fits(t->denied, branch) || fits(t->no_runtime, branch) ||
	       (t->allowed && !fits(t->allowed, branch));
}

struct branch trees_branch(const struct trees *t, struct slice label,
			   struct slice url, struct slice name)
{
	const struct tree *tree = t ? trees_find(t, label, url) : NULL;
	struct slice rest = label, front;

	if (!tree)
		return (struct branch){ 0 };
	if (!name.len && slice_take_until(&rest, ':', &front))
		name = rest;
	return (struct branch){ .tree = tree,
				.is_private = tree_is_private(tree, name),
				.is_denied = tree_is_denied(tree, name) };
}
