#include "bot/git_helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>
#include "bot/git_people.h"
#include "bot/git_symbols.h"
#include "bot/sandbox.h"
#include "ph/clock.h"
#include "ph/json.h"
#include "ph/log.h"

/*
 * One datagram: this header, then bytes. A part fits any default socket
 * buffer; an answer in several parts repeats the id with rising numbers, so
 * that what a dead helper left unfinished is recognised and dropped.
 */
#define PART_BYTES   ((size_t)32 * 1024)
#define ANSWER_BYTES ((size_t)16 * 1024 * 1024)
#define QUESTIONS    16

struct header {
	uint64_t id;
	uint32_t part;
	uint8_t kind, status, last, tips; /* tips: text is the tips */
}; /* id 0: the first word of a new helper */

enum status githelper_pair(int fds[2], struct err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return err_set(err, PH_FATAL, "git helper: socket pair: %s",
			       strerror(errno));
	return PH_OK;
}

/* The helper */

static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static bool put_part(int fd, struct header h, struct slice bytes)
{
	struct iovec iov[2] = {
		{ &h, sizeof(h) },
		{ (void *)(uintptr_t)bytes.ptr, bytes.len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;

	do
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR && !stop);
	return n >= 0;
}

static bool put_answer(int fd, struct header h, struct slice text)
{
	do {
		struct slice part = slice_head(text, PART_BYTES);

		text = slice_from(text, part.len);
		h.last = !text.len;
		if (!put_part(fd, h, part))
			return false;
		h.part++;
	} while (text.len);
	return true;
}

struct fixes {
	int fd;
	struct header header;
	struct buf lines;
	bool lost;
};

/* Parts of this answer are whole lines, so the desk can store each at once. */
static void put_fix(void *arg, const struct fix_claim *fix)
{
	struct fixes *f = arg;
	struct buf line;
	struct json j;

	buf_init(&line);
	json_begin(&j, &line);
	json_open_object(&j, NULL);
	json_put_cstr(&j, "fix", fix->fix);
	json_put_opt(&j, "title", slice_head(fix->title, 1000));
	json_put_opt(&j, "commit", fix->commit);
	json_put_opt(&j, "report", slice_head(fix->report, 1000));
	json_close_object(&j);
	buf_add_char(&line, '\n');
	if (f->lines.len + line.len > PART_BYTES) {
		f->lost |= !put_part(f->fd, f->header, buf_slice(&f->lines));
		f->header.part++;
		buf_reset(&f->lines);
	}
	buf_add_slice(&f->lines, buf_slice(&line));
	buf_release(&line);
}

static bool answer_fixes(struct gittree *tree, int fd, struct header h,
			 struct slice arg, struct arena *a)
{
	struct fixes f = { .fd = fd, .header = h };
	const char *since[16];
	size_t n_since = 0, n_tips = 0;
	struct slice word, *tips = NULL;
	struct buf text;
	struct err err;
	enum status s;
	bool ok;

	while (n_since < ARRAY_LEN(since) && slice_take_word(&arg, &word))
		since[n_since++] = arena_str(a, word);
	s = gittree_fixes(tree, since, n_since, put_fix, &f, a, &tips, &n_tips,
			  &err);
	buf_init(&text);
	if (s == PH_OK) {
		f.lost |= !put_part(fd, f.header, buf_slice(&f.lines));
		f.header.part++;
		f.header.tips = 1;
		for (size_t i = 0; i < n_tips; i++)
			buf_printf(&text, "%.*s ", S_FMT(tips[i]));
	} else {
		buf_add_str(&text, err.text);
	}
	f.header.status = (uint8_t)s;
	f.header.last = 1;
	ok = !f.lost && put_part(fd, f.header, buf_slice(&text));
	buf_release(&text);
	buf_release(&f.lines);
	return ok;
}

static bool answer(struct gittree *tree, struct gitpeople *people, int fd,
		   struct header h, struct slice arg, struct arena *a)
{
	struct commit_facts commit;
	struct slice file = S("");
	struct buf text;
	struct err err = { 0 };
	enum status s;
	bool ok;

	buf_init(&text);
	if (h.kind == GITHELPER_COMMIT) {
		s = gittree_commit(tree, arg, a, &commit, &err);
		if (s == PH_OK) {
			gitpeople_fill(people, tree, a, &commit);
			gitsymbols_fill(tree, a, &commit);
			commit_to_json(&commit, &text);
		}
	} else {
		s = gittree_file(tree, arena_str(a, arg), a, &file, &err);
		if (s == PH_OK)
			buf_add_slice(&text, slice_head(file, ANSWER_BYTES));
	}
	if (s != PH_OK)
		buf_add_str(&text, err.text);
	h.status = (uint8_t)s;
	ok = put_answer(fd, h, buf_slice(&text));
	buf_release(&text);
	return ok;
}

/* A tree that is not there yet may be by the next question. */
static bool no_tree(int fd, struct header h, const struct err *err)
{
	h.status = PH_RETRY;
	h.last = 1;
	return put_answer(fd, h, slice_of(err->text));
}

/*
 * A scan of a whole kernel takes a minute on a cold disk, and somebody may
 * wait for a commit: it gets a process of its own, which ends with its parent.
 * Datagrams are whole, so both write to one socket.
 */
static void scan(const struct config_git *config, int fd, struct header h,
		 struct slice arg, struct arena *a)
{
	struct gittree *tree;
	struct err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (gittree_open(config, &tree, &err) != PH_OK)
		_exit(no_tree(fd, h, &err) ? EX_OK : EX_IOERR);
	_exit(answer_fixes(tree, fd, h, arg, a) ? EX_OK : EX_IOERR);
}

static bool start_scan(const struct config_git *config, int fd, struct header h,
		       struct slice arg, struct arena *a)
{
	struct err err;
	pid_t pid = fork();

	if (pid == 0)
		scan(config, fd, h, arg, a);
	if (pid > 0)
		return true;
	err_set(&err, PH_RETRY, "git helper: fork: %s", strerror(errno));
	return no_tree(fd, h, &err);
}

static bool answer_one(const struct config_git *config, struct gittree **tree,
		       struct gitpeople *people, int fd, struct header h,
		       struct slice arg, struct arena *a)
{
	struct err err;
	enum status s = PH_OK;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		; /* scans that have ended */
	if (h.kind == GITHELPER_FIXES)
		return start_scan(config, fd, h, arg, a);
	if (!*tree)
		s = gittree_open(config, tree, &err);
	if (s == PH_OK)
		return answer(*tree, people, fd, h, arg, a);
	return no_tree(fd, h, &err);
}

/* It reads any file, as alternates and worktrees lie anywhere, but writes none
 * and speaks to nobody but the desk. A pack needs memory. */
static enum status shut_in(struct err *err)
{
	const struct sandbox_path all = { "/", false };
	const struct sandbox sandbox = { .paths = &all, .n_paths = 1 };

	return sandbox_enter(&sandbox, err);
}

int githelper_run(const struct config_git *config, int fd)
{
	struct sigaction sa = { .sa_handler = on_term }; /* no SA_RESTART */
	struct gittree *tree = NULL;
	struct gitpeople people = { 0 };
	struct arena arena;
	struct err err;
	struct {
		struct header h;
		char arg[4096];
	} in;

	if (shut_in(&err)) {
		log_error("git helper: %s", err.text);
		return EX_OSERR;
	}
	sigaction(SIGTERM, &sa, NULL);
	arena_init(&arena);
	put_part(fd, (struct header){ 0 }, S("")); /* a new helper is here */
	while (!stop) {
		ssize_t n = recv(fd, &in, sizeof(in), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < (ssize_t)sizeof(in.h))
			break;
		if (!answer_one(config, &tree, &people, fd, in.h,
				(struct slice){ in.arg,
						(size_t)n - sizeof(in.h) },
				&arena))
			break;
		arena_reset(&arena);
	}
	gitpeople_release(&people);
	gittree_close(tree);
	arena_release(&arena);
	close(fd);
	return EX_OK;
}

/* The asking side */

struct githelper {
	int fd;
	uint64_t next_id;
	struct {
		uint64_t id;
		enum githelper_kind kind;
		char arg[GIT_HEX + 1]; /* a commit's, to be asked again */
		uint32_t part;
		struct buf text;
	} open[QUESTIONS]; /* id 0: free */
};

struct githelper *githelper_new(int fd)
{
	struct githelper *h = xcalloc(1, sizeof(*h));

	h->fd = fd;
	/* answers to an earlier asker on the same pair are not ours */
	h->next_id = (uint64_t)clock_wall_ms() << 16;
	for (size_t i = 0; i < QUESTIONS; i++)
		h->open[i].text.max = ANSWER_BYTES;
	return h;
}

void githelper_free(struct githelper *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < QUESTIONS; i++)
		buf_release(&h->open[i].text);
	close(h->fd);
	free(h);
}

int githelper_fd(const struct githelper *h)
{
	return h->fd;
}

static size_t slot_of(const struct githelper *h, uint64_t id)
{
	size_t i = 0;

	while (i < QUESTIONS && h->open[i].id != id)
		i++;
	return i;
}

static bool send_question(struct githelper *h, uint64_t id,
			  enum githelper_kind kind, struct slice arg)
{
	struct header head = { .id = id, .kind = (uint8_t)kind };
	struct iovec iov[2] = {
		{ &head, sizeof(head) },
		{ (void *)(uintptr_t)arg.ptr, arg.len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	return sendmsg(h->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

enum status githelper_ask(struct githelper *h, enum githelper_kind kind,
			  struct slice arg, uint64_t *ret_id, struct err *err)
{
	uint64_t id = h->next_id + 1;
	size_t i = slot_of(h, 0);

	if (arg.len > 4000)
		return err_set(err, PH_BAD, "git helper: question too long");
	if (i == QUESTIONS || !send_question(h, id, kind, arg))
		return err_set(err, PH_RETRY, "git helper: busy");
	h->next_id = h->open[i].id = id;
	h->open[i].kind = kind;
	h->open[i].part = 0;
	snprintf(h->open[i].arg, sizeof(h->open[i].arg), "%.*s", S_FMT(arg));
	buf_reset(&h->open[i].text);
	*ret_id = id;
	return PH_OK;
}

/*
 * What a helper had in hand when it died is lost, what was still in the socket
 * is not, and only the helper knew which: all commits are asked for again. An
 * answer that comes twice is dropped the second time.
 */
static void ask_again(struct githelper *h)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		if (!h->open[i].id || h->open[i].kind != GITHELPER_COMMIT)
			continue;
		h->open[i].part = 0;
		buf_reset(&h->open[i].text);
		send_question(h, h->open[i].id, GITHELPER_COMMIT,
			      slice_of(h->open[i].arg));
	}
}

void githelper_forget(struct githelper *h, uint64_t id)
{
	size_t i = slot_of(h, id);

	if (id && i < QUESTIONS)
		h->open[i].id = 0;
}

static void finish(struct githelper *h, size_t i, const struct header *head,
		   struct arena *a, struct githelper_answer *ret)
{
	struct slice text = arena_copy(a, buf_slice(&h->open[i].text)), word;
	size_t cap = 0;

	*ret = (struct githelper_answer){
		.id = head->id,
		.kind = (enum githelper_kind)head->kind,
		.status = (enum status)head->status,
		.text = text,
		.last = head->last,
	};
	if (head->tips) {
		ret->text = S("");
		while (slice_take_word(&text, &word)) {
			ret->tips = arena_grow(a, ret->tips, &cap, ret->n_tips,
					       sizeof(*ret->tips));
			ret->tips[ret->n_tips++] = word;
		}
	}
	buf_reset(&h->open[i].text);
	if (head->last)
		h->open[i].id = 0;
}

enum status githelper_take(struct githelper *h, int wait_ms,
			   struct arena *arena, struct githelper_answer *ret,
			   struct err *err)
{
	struct pollfd pfd = { .fd = h->fd, .events = POLLIN };
	struct header head;
	char bytes[sizeof(head) + PART_BYTES];

	while (poll(&pfd, 1, wait_ms) > 0) {
		ssize_t n = recv(h->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		size_t i;

		if (n == 0)
			return err_set(err, PH_RETRY, "git helper: gone");
		if (n < (ssize_t)sizeof(head))
			continue;
		memcpy(&head, bytes, sizeof(head));
		if (!head.id) {
			ask_again(h);
			continue;
		}
		i = slot_of(h, head.id);
		if (i == QUESTIONS || head.part != h->open[i].part)
			continue;
		h->open[i].part++;
		buf_add(&h->open[i].text, bytes + sizeof(head),
			(size_t)n - sizeof(head));
		if (!head.last && head.kind != GITHELPER_FIXES)
			continue;
		finish(h, i, &head, arena, ret);
		return PH_OK;
	}
	return PH_NONE;
}
