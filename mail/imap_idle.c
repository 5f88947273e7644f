#include <assert.h>
#include <stdio.h>
#include "mail/imap_session.h"
#include "ph/clock.h"

/*
 * Our own IDLE (RFC 2177): libetpan's fails when EXISTS comes before "+".
 * What a server says of its own accord is a line; the guard has judged it.
 */

/* Takes in "* 5 EXISTS" and "* 2 EXPUNGE". True: there may be new mail. */
static bool hear(struct imap *imap, struct slice line)
{
	struct mailimap_selection_info *info =
		imap->session->imap_selection_info;
	uint64_t n;
	bool more;

	if (!slice_skip(&line, S("* ")) ||
	    !slice_take_uint(&line, UINT32_MAX, &n) ||
	    !slice_skip(&line, S(" ")))
		return false;
	line = slice_trim(line);
	if (slice_caseeq(line, S("EXPUNGE")) && info->sel_exists) {
		info->sel_exists--;
		return false;
	}
	if (!slice_caseeq(line, S("EXISTS")))
		return false;
	more = n > info->sel_exists;
	info->sel_exists = (uint32_t)n;
	return more;
}

static bool is_untagged(struct slice line)
{
	return line.len && line.ptr[0] == '*';
}

/* Lines until one that is not "*"; empty: the stream broke. */
static struct slice hear_until(struct imap *imap, bool *news)
{
	struct slice line = imap_line(imap);

	while (is_untagged(line)) {
		if (hear(imap, line))
			*news = true;
		line = imap_line(imap);
	}
	return line;
}

static enum status broken(struct imap *imap, struct err *err)
{
	return imap_result(imap, MAILIMAP_ERROR_STREAM, "wait for mail", err);
}

/* The tagged line that ends IDLE is in the session's buffer. */
static enum status ended(struct imap *imap, struct slice line, struct err *err)
{
	char tag[16];
	int n = snprintf(tag, sizeof(tag), "%d ", imap->session->imap_tag);

	if (!slice_skip(&line, (struct slice){ tag, (size_t)n }))
		return imap_nonsense(imap, err,
				     "the answer to IDLE makes no sense");
	return slice_caseskip(&line, S("OK")) ? PH_OK : PH_BAD;
}

/* PH_BAD: the server will not, though it says that it can. */
static enum status start_idle(struct imap *imap, bool *news, struct err *err)
{
	struct slice line;

	imap_begin(imap, 0);
	if (mailimap_send_current_tag(imap->session) != MAILIMAP_NO_ERROR ||
	    !imap_send(imap, S("IDLE")))
		return broken(imap, err);
	line = hear_until(imap, news);
	if (!line.len)
		return broken(imap, err);
	if (line.ptr[0] == '+')
		return PH_OK;
	return ended(imap, line, err) == PH_RETRY ? PH_RETRY : PH_BAD;
}

static enum status stop_idle(struct imap *imap, bool *news, struct err *err)
{
	struct slice line;

	imap_begin(imap, 0);
	if (!imap_send(imap, S("DONE")))
		return broken(imap, err);
	line = hear_until(imap, news);
	if (!line.len)
		return broken(imap, err);
	return ended(imap, line, err) == PH_RETRY ? PH_RETRY : PH_OK;
}

/* Between "+" and DONE. *ret: what ended it. */
static enum status listen(struct imap *imap, int wake_fd, bool *news,
			  enum imap_event *ret, struct err *err)
{
	int64_t until = clock_mono_ms() + imap->stream.times.idle_ms;
	mailstream *stream = imap->session->imap_stream;
	struct slice line;

	imap_begin(imap, 0);
	*ret = IMAP_EVENT_DATA;
	while (!*news) {
		*ret = imap_stream_wait(&imap->stream, stream, wake_fd, until);
		if (*ret != IMAP_EVENT_DATA)
			break;
		imap_stream_more_time(&imap->stream);
		line = imap_line(imap);
		if (!line.len)
			return broken(imap, err);
		if (!is_untagged(line))
			return imap_nonsense(imap, err,
					     "it ended IDLE by itself");
		*news = hear(imap, line);
	}
	return PH_OK;
}

static enum status idle(struct imap *imap, int wake_fd, struct err *err)
{
	enum imap_event event = IMAP_EVENT_DATA;
	bool news = false;
	enum status s = start_idle(imap, &news, err);

	if (s == PH_OK)
		s = listen(imap, wake_fd, &news, &event, err);
	if (s == PH_OK)
		s = stop_idle(imap, &news, err);
	if (s == PH_OK && event == IMAP_EVENT_WAKE && !news)
		s = PH_NONE;
	return s;
}

static enum status poll_later(struct imap *imap, int64_t poll_ms, int wake_fd,
			      struct err *err)
{
	enum imap_event event =
		imap_stream_wait(&imap->stream, imap->session->imap_stream,
				 wake_fd, clock_mono_ms() + poll_ms);

	if (event == IMAP_EVENT_WAKE)
		return PH_NONE;
	imap_begin(imap, 0);
	if (imap_result(imap, mailimap_noop(imap->session), "look for mail",
			err) == PH_RETRY)
		return PH_RETRY;
	return PH_OK;
}

enum status imap_wait(struct imap *imap, int64_t poll_ms, int wake_fd,
		      struct err *err)
{
	enum status s;

	assert(imap->folder);
	if (imap->has_idle) {
		s = idle(imap, wake_fd, err);
		if (s != PH_BAD)
			return s;
		imap->has_idle = false;
	}
	return poll_later(imap, poll_ms, wake_fd, err);
}
