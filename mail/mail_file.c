#include "mail/mail_file.h"
#include "ph/arena.h"
#include "ph/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#define CHUNK (64 * KIB)

struct mail_file {
	int fd;
	char *path;
	bool mbox, eof, ended;
	unsigned count; /* messages started */
	size_t at, end; /* unread part of chunk */
	struct buf mail;
	char chunk[CHUNK];
};

/* Makes sure that a whole line, or a full chunk of it, is there to read. */
static enum status fill(struct mail_file *f, struct err *err)
{
	ssize_t n;

	if (f->at < f->end && memchr(f->chunk + f->at, '\n', f->end - f->at))
		return PH_OK;
	memmove(f->chunk, f->chunk + f->at, f->end - f->at);
	f->end -= f->at;
	f->at = 0;
	while (!f->eof && f->end < CHUNK) {
		n = read(f->fd, f->chunk + f->end, CHUNK - f->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_exit(err, PH_FATAL, EX_IOERR, "%s: %s",
					f->path, strerror(errno));
		f->eof = n == 0;
		f->end += (size_t)n;
	}
	return PH_OK;
}

/* The next line with its LF, or as much of it as the chunk holds. */
static struct slice peek(const struct mail_file *f)
{
	const char *from = f->chunk + f->at;
	size_t len = f->end - f->at;
	const char *lf = len ? memchr(from, '\n', len) : NULL;

	return (struct slice){ from, lf ? (size_t)(lf + 1 - from) : len };
}

static bool is_clock(struct slice w)
{
	return w.len >= 5 && is_digit(w.ptr[0]) && is_digit(w.ptr[1]) &&
	       w.ptr[2] == ':' && is_digit(w.ptr[3]) && is_digit(w.ptr[4]);
}

static bool is_weekday(struct slice w)
{
	static const struct slice days[] = {
		S_INIT("Mon"), S_INIT("Tue"), S_INIT("Wed"), S_INIT("Thu"),
		S_INIT("Fri"), S_INIT("Sat"), S_INIT("Sun"),
	};

	for (size_t i = 0; i < ARRAY_LEN(days); i++)
		if (slice_eq(w, days[i]))
			return true;
	return false;
}

/*
 * "From" sender weekday month day time year. Prose that starts a paragraph
 * with "From" has no weekday with a time behind it.
 */
static bool is_from_line(struct slice line)
{
	struct slice word;
	bool day = false;

	if (!slice_skip(&line, S("From ")))
		return false;
	while (slice_take_word(&line, &word)) {
		if (day && is_clock(word))
			return true;
		day |= is_weekday(word);
	}
	return false;
}

enum status mail_file_open(int fd, const char *path, struct mail_file **ret,
			   struct err *err)
{
	struct mail_file *f = xmalloc(sizeof(*f));
	enum status st;

	/* not zeroed as a whole: the chunk is large */
	f->fd = fd;
	f->path = xstrdup(path);
	f->mbox = f->eof = f->ended = false;
	f->count = 0;
	f->at = f->end = 0;
	buf_init(&f->mail);
	f->mail.max = LIMIT_MAIL + strlen("\r\n"); /* and a separator */
	st = fill(f, err);
	if (st != PH_OK) {
		mail_file_close(f);
		return st;
	}
	f->mbox = is_from_line(peek(f));
	*ret = f;
	return PH_OK;
}

void mail_file_close(struct mail_file *f)
{
	if (!f)
		return;
	if (f->fd != STDIN_FILENO)
		close(f->fd);
	buf_release(&f->mail);
	free(f->path);
	free(f);
}

bool mail_file_is_mbox(const struct mail_file *f)
{
	return f->mbox;
}

bool mail_file_is_empty(const struct mail_file *f)
{
	return f->at == f->end && !f->count;
}

/* mboxrd: a line of the mail that starts with any number of '>' and "From "
 * got one more '>' when it was stored. */
static struct slice unquote(struct slice line)
{
	size_t n = 0;

	while (n < line.len && line.ptr[n] == '>')
		n++;
	if (n && slice_starts(slice_from(line, n), S("From ")))
		return slice_from(line, 1);
	return line;
}

static void keep(struct mail_file *f, struct slice piece)
{
	if (!f->mail.full)
		buf_add_slice(&f->mail, piece);
	if (f->mail.full) {
		buf_release(&f->mail);
		f->mail.full = true;
	}
}

/* Reads up to the next From line (mbox) or the end of the file. */
static enum status take_mail(struct mail_file *f, struct err *err)
{
	bool at_start = true, after_empty = false;

	for (;;) {
		enum status st = fill(f, err);
		struct slice piece = peek(f);

		if (st != PH_OK)
			return st;
		if (!piece.len) {
			f->ended = true;
			return PH_OK;
		}
		if (f->mbox && at_start && after_empty && is_from_line(piece))
			return PH_OK;
		f->at += piece.len;
		after_empty = at_start && slice_trim(piece).len == 0;
		keep(f, f->mbox && at_start ? unquote(piece) : piece);
		/* nothing follows that would be worth reading on for */
		if (f->mail.full && !f->mbox) {
			f->ended = true;
			return PH_OK;
		}
		at_start = piece.ptr[piece.len - 1] == '\n';
	}
}

/* The empty line before a From line belongs to the mbox. */
static struct slice without_separator(struct slice raw)
{
	if (slice_ends(raw, S("\r\n\r\n")))
		return slice_head(raw, raw.len - 2);
	if (slice_ends(raw, S("\n\n")))
		return slice_head(raw, raw.len - 1);
	return raw;
}

enum status mail_file_next(struct mail_file *f, struct slice *ret_raw,
			   struct err *err)
{
	enum status st;

	if (f->ended)
		return PH_NONE;
	buf_reset(&f->mail);
	if (f->mbox)
		f->at += peek(f).len; /* the From line */
	f->count++;
	st = take_mail(f, err);
	if (st != PH_OK) {
		f->ended = true;
		return st;
	}
	*ret_raw = buf_slice(&f->mail);
	if (f->mbox)
		*ret_raw = without_separator(*ret_raw);
	if (f->mail.full || ret_raw->len > LIMIT_MAIL)
		return err_set(err, PH_BAD,
			       "over %zu MiB, the most a mail may have",
			       LIMIT_MAIL / MIB);
	if (!slice_trim(*ret_raw).len)
		return err_set(err, PH_BAD, "empty");
	return PH_OK;
}
