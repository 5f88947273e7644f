#include "bot/git.h"

#include <assert.h>
#include <git2.h>
#include <stdlib.h>
#include "ph/limits.h"

struct gittree {
	git_repository *repo;
	git_mailmap *mailmap; /* NULL: none */
	const struct config_git *config;
};

static const char *why(void)
{
	const git_error *e = git_error_last();

	return e && e->message ? e->message : "unknown reason";
}

/*
 * A tree is often owned by the user who fetches it, and a partial clone says
 * so with an extension that libgit2 does not know by itself.
 */
static void allow_foreign_trees(void)
{
	static const char *extensions[] = { "partialclone", "worktreeconfig" };

	git_libgit2_init();
	git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
	git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions,
			 ARRAY_LEN(extensions));
}

enum status gittree_open(const struct config_git *config, struct gittree **ret,
			 struct err *err)
{
	struct gittree *tree;
	git_repository *repo;

	allow_foreign_trees();
	if (git_repository_open_ext(&repo, config->path,
				    GIT_REPOSITORY_OPEN_NO_SEARCH, NULL) < 0) {
		enum status s = err_set(err, PH_BAD,
					"git tree %s: %s; notices go on "
					"without authors, patch ids and fixes",
					config->path, why());

		git_libgit2_shutdown();
		return s;
	}
	tree = xcalloc(1, sizeof(*tree));
	tree->repo = repo;
	tree->config = config;
	*ret = tree;
	return PH_OK;
}

void gittree_close(struct gittree *tree)
{
	if (!tree)
		return;
	git_mailmap_free(tree->mailmap);
	git_repository_free(tree->repo);
	free(tree);
	git_libgit2_shutdown();
}

/* Each time: a helper lives for months, and the file is small. */
static void read_mailmap(struct gittree *tree)
{
	git_mailmap_free(tree->mailmap);
	if (git_mailmap_from_repository(&tree->mailmap, tree->repo) < 0)
		tree->mailmap = NULL;
}

static struct slice copy(struct arena *a, const char *text)
{
	return text ? arena_copy(a, slice_of(text)) : S("");
}

static struct person person_of(struct gittree *tree, const git_signature *who,
			       struct arena *a)
{
	struct person p = { S(""), S("") };
	git_signature *real;

	if (!who)
		return p;
	if (tree->mailmap &&
	    git_mailmap_resolve_signature(&real, tree->mailmap, who) == 0) {
		p.name = copy(a, real->name);
		p.address = copy(a, real->email);
		git_signature_free(real);
		return p;
	}
	p.name = copy(a, who->name);
	p.address = copy(a, who->email);
	return p;
}

/* The commit's difference to its only parent, or to nothing for a root. */
static bool diff_of(struct gittree *tree, git_commit *commit, git_diff **ret)
{
	git_commit *parent = NULL;
	git_tree *old = NULL, *new = NULL;
	bool ok = false;

	if (git_commit_tree(&new, commit) < 0)
		goto out;
	if (git_commit_parentcount(commit) == 1 &&
	    (git_commit_parent(&parent, commit, 0) < 0 ||
	     git_commit_tree(&old, parent) < 0))
		goto out;
	ok = git_diff_tree_to_tree(ret, tree->repo, old, new, NULL) == 0;
out:
	git_tree_free(old);
	git_tree_free(new);
	git_commit_free(parent);
	return ok;
}

static void files_of(git_diff *diff, struct arena *a, struct commit_facts *ret)
{
	size_t n = git_diff_num_deltas(diff);

	ret->files = arena_array(a, struct slice, n * 2);
	for (size_t i = 0; i < n; i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);
		struct slice from = slice_of(d->old_file.path);
		struct slice to = slice_of(d->new_file.path);

		ret->files[ret->n_files++] = arena_copy(a, to);
		if (!slice_eq(from, to))
			ret->files[ret->n_files++] = arena_copy(a, from);
	}
}

static void contents_of(struct gittree *tree, git_commit *commit,
			struct arena *a, struct commit_facts *ret)
{
	git_diff *diff;
	git_oid id;

	/* a merge has no patch of its own: its identity is its hash alone */
	if (ret->n_parents > 1 || !diff_of(tree, commit, &diff))
		return;
	files_of(diff, a, ret);
	/* fails in a clone without blobs; then there is no patch id */
	if (git_diff_patchid(&id, diff, NULL) == 0)
		git_oid_tostr(ret->patch_id, sizeof(ret->patch_id), &id);
	git_diff_free(diff);
}

static bool ref_tip(struct gittree *tree, const char *name, git_oid *ret)
{
	git_object *object, *commit = NULL;
	bool ok = false;

	if (git_revparse_single(&object, tree->repo, name) < 0)
		return false;
	if (git_object_peel(&commit, object, GIT_OBJECT_COMMIT) == 0) {
		git_oid_cpy(ret, git_object_id(commit));
		ok = true;
	}
	git_object_free(commit);
	git_object_free(object);
	return ok;
}

static void merged_into(struct gittree *tree, const git_oid *id,
			struct arena *a, struct commit_facts *ret)
{
	const struct config_list *refs = &tree->config->merged;

	ret->merged = arena_array(a, struct slice, refs->n);
	for (size_t i = 0; i < refs->n; i++) {
		git_oid tip;

		if (!ref_tip(tree, refs->item[i], &tip))
			continue;
		if (git_oid_equal(&tip, id) ||
		    git_graph_descendant_of(tree->repo, &tip, id) == 1)
			ret->merged[ret->n_merged++] = copy(a, refs->item[i]);
	}
}

static void trailers_of(git_commit *commit, struct arena *a,
			struct commit_facts *ret)
{
	git_message_trailer_array list;

	if (git_message_trailers(&list, git_commit_message(commit)) < 0)
		return;
	ret->trailers = arena_array(a, struct pair, list.count);
	for (size_t i = 0; i < list.count; i++)
		ret->trailers[ret->n_trailers++] = (struct pair){
			copy(a, list.trailers[i].key),
			copy(a, list.trailers[i].value),
		};
	git_message_trailer_array_free(&list);
}

static enum status find(struct gittree *tree, struct slice hex,
			git_commit **ret, struct err *err)
{
	git_oid id;
	int rc = -1;

	if (hex.len >= 10 && hex.len <= GIT_HEX &&
	    git_oid_fromstrn(&id, hex.ptr, hex.len) == 0)
		rc = git_commit_lookup_prefix(ret, tree->repo, &id, hex.len);
	else
		return err_set(err, PH_NONE, "\"%.*s\" is no commit id",
			       S_FMT(hex));
	if (rc == 0)
		return PH_OK;
	if (rc == GIT_ENOTFOUND || rc == GIT_EAMBIGUOUS)
		return err_set(err, PH_NONE, "commit %.*s is not in %s",
			       S_FMT(hex), tree->config->path);
	return err_set(err, PH_RETRY, "git tree %s: commit %.*s: %s",
		       tree->config->path, S_FMT(hex), why());
}

enum status gittree_commit(struct gittree *tree, struct slice hex,
			   struct arena *arena, struct commit_facts *ret,
			   struct err *err)
{
	git_commit *commit;
	enum status s = find(tree, hex, &commit, err);

	if (s != PH_OK)
		return s;
	read_mailmap(tree);
	*ret = (struct commit_facts){ 0 };
	git_oid_tostr(ret->id, sizeof(ret->id), git_commit_id(commit));
	ret->title = copy(arena, git_commit_summary(commit));
	ret->author = person_of(tree, git_commit_author(commit), arena);
	ret->committer = person_of(tree, git_commit_committer(commit), arena);
	ret->authored = git_commit_author(commit)->when.time;
	ret->committed = git_commit_time(commit);
	ret->n_parents = git_commit_parentcount(commit);
	contents_of(tree, commit, arena, ret);
	merged_into(tree, git_commit_id(commit), arena, ret);
	trailers_of(commit, arena, ret);
	git_commit_free(commit);
	return PH_OK;
}

#define MAX_DIFF (4 * MIB)

static bool patch_text(git_commit *commit, git_diff *diff, struct arena *a,
		       struct slice *ret)
{
	git_buf text = { 0 };
	bool ok = git_diff_to_buf(&text, diff, GIT_DIFF_FORMAT_PATCH) == 0;

	if (ok)
		*ret = slice_of(
			arena_printf(a, "%s\n%s", git_commit_message(commit),
				     text.size <= MAX_DIFF ? text.ptr : ""));
	git_buf_dispose(&text);
	return ok;
}

enum status gittree_patch(struct gittree *tree, struct slice hex,
			  struct arena *arena, struct slice *ret,
			  struct err *err)
{
	git_commit *commit;
	git_diff *diff;
	bool ok = false;
	enum status s = find(tree, hex, &commit, err);

	if (s != PH_OK)
		return s;
	if (git_commit_parentcount(commit) <= 1 &&
	    diff_of(tree, commit, &diff)) {
		ok = patch_text(commit, diff, arena, ret);
		git_diff_free(diff);
	}
	git_commit_free(commit);
	return ok ? PH_OK
		  : err_set(err, PH_NONE, "git tree %s: no patch of %.*s",
			    tree->config->path, S_FMT(hex));
}

const struct config_git *gittree_config(const struct gittree *tree)
{
	return tree->config;
}

enum status gittree_file_of(struct gittree *tree, const char *ref,
			    const char *path, struct arena *arena,
			    struct slice *ret, struct err *err)
{
	git_object *blob = NULL;
	char *spec = arena_printf(arena, "%s:%s", ref, path);

	if (git_revparse_single(&blob, tree->repo, spec) < 0 ||
	    git_object_type(blob) != GIT_OBJECT_BLOB) {
		git_object_free(blob);
		return err_set(err, PH_NONE, "git tree %s has no %s",
			       tree->config->path, spec);
	}
	*ret = arena_copy(arena,
			  (struct slice){
				  git_blob_rawcontent((git_blob *)blob),
				  (size_t)git_blob_rawsize((git_blob *)blob) });
	git_object_free(blob);
	return PH_OK;
}

enum status gittree_file(struct gittree *tree, const char *path,
			 struct arena *arena, struct slice *ret,
			 struct err *err)
{
	const struct config_list *refs = &tree->config->merged;

	return gittree_file_of(tree, refs->n ? refs->item[0] : "HEAD", path,
			       arena, ret, err);
}

/*
 * The message id at the end of an archive link:
 *	https://lore.kernel.org/<list or r or all>/<id>[/]
 */
static struct slice link_id(struct slice url)
{
	const char *slash;

	url = slice_trim(url);
	if (!slice_find(url, S("://lore.kernel.org/")))
		return S("");
	while (slice_ends(url, S("/")))
		url.len--;
	slash = slice_rchr(url, '/');
	if (!slash)
		return S("");
	url = slice_between(slash + 1, url.ptr + url.len);
	return slice_chr(url, '@') ? url : S("");
}

/*
 * Most commits have a Link: to their own posting. One to a report stands with
 * Reported-by:, or leads to the robot's list or mails.
 */
static bool may_be_report(struct slice line, bool reported)
{
	return reported || slice_find(line, S("lkp")) ||
	       slice_find(line, S("intel.com"));
}

static bool fix_line(struct slice line, bool reported, struct fix_claim *ret)
{
	size_t n = 0;

	ret->commit = ret->report = S("");
	if (slice_caseskip(&line, S("Fixes:"))) {
		slice_skip_blanks(&line);
		while (n < line.len && n < GIT_HEX && is_hex(line.ptr[n]))
			n++;
		/* fewer digits than git prints would fit too many commits */
		if (n >= 8)
			ret->commit = slice_head(line, n);
		return n >= 8;
	}
	if (!slice_caseskip(&line, S("Closes:")) &&
	    !(slice_caseskip(&line, S("Link:")) &&
	      may_be_report(line, reported)))
		return false;
	ret->report = link_id(line);
	return ret->report.len > 0;
}

static void fixes_of(git_commit *commit, fix_claim_fn *fn, void *arg)
{
	struct slice text = slice_of(git_commit_message(commit)), line;
	bool reported = slice_find(text, S("\nReported-by:"));
	struct fix_claim fix;

	git_oid_tostr(fix.fix, sizeof(fix.fix), git_commit_id(commit));
	fix.title = slice_of(git_commit_summary(commit));
	while (slice_take_line(&text, &line))
		if (fix_line(line, reported, &fix))
			fn(arg, &fix);
}

/* Starts a walk at the configured refs; hides what was seen before. */
static bool start_walk(struct gittree *tree, git_revwalk *walk,
		       const char *const *since, size_t n_since,
		       struct arena *a, struct slice *ret_tips, size_t *ret_n)
{
	const struct config_list *refs = &tree->config->merged;
	char hex[GIT_HEX + 1];
	git_oid id;

	git_revwalk_sorting(walk, GIT_SORT_TIME);
	for (size_t i = 0; i < refs->n; i++) {
		if (!ref_tip(tree, refs->item[i], &id) ||
		    git_revwalk_push(walk, &id) < 0)
			continue;
		git_oid_tostr(hex, sizeof(hex), &id);
		ret_tips[(*ret_n)++] = copy(a, hex);
	}
	for (size_t i = 0; i < n_since; i++)
		if (git_oid_fromstr(&id, since[i]) == 0)
			git_revwalk_hide(walk, &id); /* gone: nothing to hide */
	return *ret_n > 0;
}

enum status gittree_fixes(struct gittree *tree, const char *const *since,
			  size_t n_since, fix_claim_fn *fn, void *arg,
			  struct arena *arena, struct slice **ret_tips,
			  size_t *ret_n, struct err *err)
{
	git_revwalk *walk;
	git_commit *commit;
	git_oid id;

	if (git_revwalk_new(&walk, tree->repo) < 0)
		return err_set(err, PH_RETRY, "git tree %s: %s",
			       tree->config->path, why());
	*ret_tips = arena_array(arena, struct slice, tree->config->merged.n);
	*ret_n = 0;
	if (start_walk(tree, walk, since, n_since, arena, *ret_tips, ret_n))
		for (long n = 0;
		     n < GIT_SCAN_MAX && git_revwalk_next(&id, walk) == 0;
		     n++) {
			if (git_commit_lookup(&commit, tree->repo, &id) < 0)
				break;
			fixes_of(commit, fn, arg);
			git_commit_free(commit);
		}
	git_revwalk_free(walk);
	return PH_OK;
}
