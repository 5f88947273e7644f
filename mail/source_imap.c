#include "ph/imap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include "mail/imap_session.h"
#include "ph/clock.h"

const struct imap_times imap_usual_times = {
	.connect_ms = PATIENCE(30 * 1000),
	.silence_ms = PATIENCE(60 * 1000),
	.command_ms = PATIENCE(120 * 1000),
	.idle_ms = PATIENCE(9 * 60 * 1000),
};

#define GOODBYE_MS 1000

const char *imap_said(const struct imap *imap)
{
	return imap->stream.guard.said;
}

enum status imap_nonsense(struct imap *imap, struct err *err, const char *fmt,
			  ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	imap_stream_fail(&imap->stream, "%s", text);
	*err = imap->stream.err;
	return PH_RETRY;
}

enum status imap_result(struct imap *imap, int result, const char *doing,
			struct err *err)
{
	if (imap->stream.failed) {
		*err = imap->stream.err;
		return PH_RETRY;
	}
	if (result == MAILIMAP_NO_ERROR ||
	    result == MAILIMAP_NO_ERROR_AUTHENTICATED ||
	    result == MAILIMAP_NO_ERROR_NON_AUTHENTICATED)
		return PH_OK;
	if (imap->stream.guard.bye)
		return imap_nonsense(imap, err,
				     "the server ended the session: \"%s\"",
				     imap_said(imap));
	/* PROTOCOL stands for a tagged BAD; NO has one word a command */
	if (imap_said(imap)[0] && result >= MAILIMAP_ERROR_PROTOCOL)
		return err_exit(err, PH_BAD, EX_UNAVAILABLE,
				"%s: cannot %s: the server says \"%s\"",
				imap->stream.where, doing, imap_said(imap));
	return imap_nonsense(imap, err,
			     "cannot %s: the server's answer makes no sense "
			     "(%d)",
			     doing, result);
}

bool imap_send(struct imap *imap, struct slice line)
{
	mailstream *stream = imap->session->imap_stream;

	return mailstream_write(stream, line.ptr, line.len) >= 0 &&
	       mailstream_write(stream, "\r\n", 2) >= 0 &&
	       mailstream_flush(stream) >= 0;
}

struct slice imap_line(struct imap *imap)
{
	if (!mailimap_read_line(imap->session))
		return (struct slice){ "", 0 };
	return (struct slice){ imap->session->imap_stream_buffer->str,
			       imap->session->imap_stream_buffer->len };
}

int imap_finish(struct imap *imap)
{
	struct mailimap_response *response;
	int r = mailimap_parse_response(imap->session, &response);

	if (r != MAILIMAP_NO_ERROR)
		return r;
	r = response->rsp_resp_done->rsp_data.rsp_tagged->rsp_cond_state
		    ->rsp_type;
	mailimap_response_free(response);
	return r == MAILIMAP_RESP_COND_STATE_OK ? MAILIMAP_NO_ERROR
						: MAILIMAP_ERROR_CUSTOM_COMMAND;
}

/* libetpan takes it for granted, here and later, that there are some. */
enum status imap_capabilities(struct imap *imap, struct err *err)
{
	const struct mailimap_capability_data *data;
	int r = MAILIMAP_ERROR_STREAM;
	enum status s;

	imap_begin(imap, 0);
	if (mailimap_send_current_tag(imap->session) == MAILIMAP_NO_ERROR &&
	    imap_send(imap, S("CAPABILITY")) && imap_line(imap).len)
		r = imap_finish(imap);
	s = imap_result(imap, r, "ask for its capabilities", err);
	if (s != PH_OK)
		return s;
	data = imap->session->imap_connection_info->imap_capability;
	if (!data || !data->cap_list)
		return imap_nonsense(imap, err, "it says of no capability");
	return PH_OK;
}

/*
 * Whoever stands between us and the server can greet with PREAUTH, after which
 * STARTTLS is no longer allowed (RFC 3501, 6.2.1).
 */
static enum status refuse_preauth(struct imap *imap, struct err *err)
{
	return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
			"%s: claims that we are logged in already, before TLS; "
			"refused: use imaps://",
			imap->stream.where);
}

/* A server that waits for a TLS handshake says nothing to who waits for
 * words. */
static bool is_mute(const struct imap *imap)
{
	return !imap->stream.tls_on && !imap->stream.heard;
}

static enum status suggest_tls(struct imap *imap, struct err *err)
{
	struct err why = *err;

	return err_exit(err, PH_RETRY, EX_UNAVAILABLE,
			"%s, and no greeting before; if this port speaks TLS "
			"from the start, write imaps:// in url of mailboxes.%s",
			why.text, imap->box->name);
}

static enum status greet(struct imap *imap, bool *ret_logged_in,
			 struct err *err)
{
	enum status s;
	int r;

	imap_begin(imap, 0);
	r = mailimap_connect(imap->session, imap_stream_wrap(&imap->stream));
	if (r == MAILIMAP_ERROR_DONT_ACCEPT_CONNECTION && !imap->stream.failed)
		return err_exit(err, PH_RETRY, EX_UNAVAILABLE,
				"%s: takes no connections now: \"%s\"",
				imap->stream.where, imap_said(imap));
	*ret_logged_in = r == MAILIMAP_NO_ERROR_AUTHENTICATED;
	s = imap_result(imap, r, "read its greeting", err);
	return s == PH_RETRY && is_mute(imap) ? suggest_tls(imap, err) : s;
}

/*
 * Anything behind the server's OK was put there by somebody in between, and
 * would be taken for an answer from inside TLS.
 */
static enum status nothing_injected(struct imap *imap, struct err *err)
{
	if (!imap->session->imap_stream->read_buffer_len)
		return PH_OK;
	return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
			"%s: sent data behind its answer to STARTTLS; somebody "
			"between may have put it there: refused",
			imap->stream.where);
}

static enum status start_tls(struct imap *imap, struct err *err)
{
	enum status s = imap_capabilities(imap, err);
	int r;

	if (s == PH_OK && !mailimap_has_extension(imap->session, "STARTTLS"))
		return err_exit(err, PH_FATAL, EX_UNAVAILABLE,
				"%s: does not offer STARTTLS; use imaps:// (or "
				"insecure: true for a loopback server)",
				imap->stream.where);
	if (s != PH_OK)
		return s;
	imap_begin(imap, 0);
	r = mailimap_starttls(imap->session);
	s = nothing_injected(imap, err);
	if (s == PH_OK)
		s = imap_result(imap, r, "start TLS", err);
	if (s != PH_OK)
		return s == PH_BAD ? PH_FATAL : s;
	imap_begin(imap, 0);
	return imap_stream_start_tls(&imap->stream, imap->box->ca_file, err);
}

/* BAD is the server's no to a command that every server must have. */
static enum status must(enum status s)
{
	return s == PH_BAD ? PH_RETRY : s;
}

/* From a connected socket to where a login may follow. */
static enum status begin(struct imap *imap, bool *ret_logged_in,
			 struct err *err)
{
	bool implicit = !strcmp(imap->box->url.scheme, "imaps");
	enum status s = PH_OK;

	if (implicit)
		s = imap_stream_start_tls(&imap->stream, imap->box->ca_file,
					  err);
	if (s == PH_OK)
		s = greet(imap, ret_logged_in, err);
	if (s == PH_OK && !implicit && !imap->box->insecure)
		s = *ret_logged_in ? refuse_preauth(imap, err)
				   : start_tls(imap, err);
	if (s == PH_OK && !*ret_logged_in)
		s = imap_capabilities(imap, err);
	return s;
}

/* From a connected socket to a session that may select folders. */
static enum status set_up(struct imap *imap, struct err *err)
{
	bool logged_in = false;
	enum status s = must(begin(imap, &logged_in, err));

	if (s == PH_OK && !logged_in)
		s = imap_log_in(imap, err);
	if (s == PH_OK)
		s = must(imap_capabilities(imap, err));
	if (s != PH_OK)
		return s;
	imap->has_idle = mailimap_has_idle(imap->session);
	imap->has_uidplus = mailimap_has_uidplus(imap->session);
	imap->has_move = mailimap_has_extension(imap->session, "MOVE");
	return PH_OK;
}

static struct imap *imap_new(const struct config_mailbox *box)
{
	struct imap *imap = xcalloc(1, sizeof(*imap));

	imap->box = box;
	imap->stream.fd = -1;
	imap->session = mailimap_new(0, NULL);
	if (!imap->session)
		out_of_memory();
	arena_init(&imap->names);
	buf_init(&imap->body);
	return imap;
}

/* Hands the session over when s and what follows it went well. */
static enum status finish(struct imap *imap, enum status s, struct imap **ret,
			  struct err *err)
{
	if (s == PH_OK)
		s = set_up(imap, err);
	if (s != PH_OK) {
		imap_close(imap);
		return s;
	}
	*ret = imap;
	return PH_OK;
}

enum status imap_open_timed(const struct config_mailbox *box,
			    const struct imap_times *times, struct imap **ret,
			    struct err *err)
{
	struct imap *imap = imap_new(box);

	return finish(imap,
		      imap_stream_init(&imap->stream, box->url.host,
				       box->url.port, times, err),
		      ret, err);
}

enum status imap_open_socket(const struct config_mailbox *box, int fd,
			     const struct imap_times *times, struct imap **ret,
			     struct err *err)
{
	struct imap *imap = imap_new(box);

	imap_stream_adopt(&imap->stream, fd, times);
	return finish(imap, PH_OK, ret, err);
}

enum status imap_open(const struct config_mailbox *box, struct imap **ret,
		      struct err *err)
{
	return imap_open_timed(box, &imap_usual_times, ret, err);
}

void imap_close(struct imap *imap)
{
	if (!imap)
		return;
	/* mailimap_free says LOGOUT and waits for the answer */
	imap->stream.times.silence_ms = GOODBYE_MS;
	imap->stream.times.command_ms = GOODBYE_MS;
	imap_begin(imap, 0);
	mailimap_free(imap->session);
	imap_stream_release(&imap->stream);
	arena_release(&imap->names);
	buf_release(&imap->body);
	free(imap->folder);
	free(imap->list);
	free(imap);
}

bool imap_has_idle(const struct imap *imap)
{
	return imap->has_idle;
}

uint32_t imap_exists(const struct imap *imap)
{
	return imap->session->imap_selection_info->sel_exists;
}

static void remember_folder(struct imap *imap, const char *folder)
{
	free(imap->folder);
	imap->folder = xstrdup(folder);
	imap->n_list = imap->at_list = 0;
	imap->list_after = imap->looked_past = 0;
}

enum status imap_select(struct imap *imap, const char *folder,
			struct imap_folder *ret, struct err *err)
{
	const struct mailimap_selection_info *info;
	struct arena arena;
	char doing[300];
	enum status s;
	char *wire;
	int r;

	arena_init(&arena);
	wire = imap_name_to_wire(&arena, slice_of(folder));
	imap_begin(imap, 0);
	r = imap->box->done == DONE_NOTHING
		    ? mailimap_examine(imap->session, wire)
		    : mailimap_select(imap->session, wire);
	arena_release(&arena);
	snprintf(doing, sizeof(doing), "open the folder \"%s\"", folder);
	s = imap_result(imap, r, doing, err);
	if (s != PH_OK)
		return PH_RETRY;
	info = imap->session->imap_selection_info;
	if (!info->sel_uidvalidity)
		return imap_nonsense(imap, err,
				     "folder \"%s\" has no "
				     "UIDVALIDITY: its UIDs mean nothing",
				     folder);
	remember_folder(imap, folder);
	*ret = (struct imap_folder){ .uidvalidity = info->sel_uidvalidity,
				     .uidnext = info->sel_uidnext,
				     .exists = info->sel_exists };
	return PH_OK;
}
