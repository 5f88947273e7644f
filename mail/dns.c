#include "mail/dns.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <fcntl.h>
#include <netdb.h>
#include <resolv.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds to wait for each server, and rounds over all of them. */
#define WAIT   2
#define ROUNDS 2
/* A TXT answer over TCP can have all that its length field can say. */
#define ANSWER 65535

#define RESOLV_CONF "/etc/resolv.conf"

struct dns {
	struct __res_state state;
	bool fixed;	      /* not by resolv.conf */
	struct timespec read; /* resolv.conf's time when it was read */
	unsigned char answer[ANSWER];
};

static struct timespec conf_time(void)
{
	struct stat sb;

	if (stat(RESOLV_CONF, &sb) != 0)
		return (struct timespec){ 0, 0 };
	return sb.st_mtim;
}

static void start(struct dns *d)
{
	memset(&d->state, 0, sizeof(d->state));
	res_ninit(&d->state);
	d->state.retrans = WAIT;
	d->state.retry = ROUNDS;
	d->state.options &= ~(unsigned long)(RES_DNSRCH | RES_DEFNAMES);
}

struct dns *dns_new(void)
{
	struct dns *d = xcalloc(1, sizeof(*d));

	d->read = conf_time();
	start(d);
	return d;
}

struct dns *dns_new_at(uint16_t port)
{
	struct dns *d = xcalloc(1, sizeof(*d));

	d->fixed = true;
	start(d);
	d->state.nscount = 1;
	d->state.nsaddr_list[0] = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	return d;
}

void dns_free(struct dns *d)
{
	if (!d)
		return;
	res_nclose(&d->state);
	free(d);
}

/*
 * A machine that started before its network has other servers later. Where a
 * sandbox keeps the file from us, what we know is better than the resolver's
 * own guess; only opening it tells.
 */
static void read_again(struct dns *d)
{
	struct timespec now = conf_time();
	int fd;

	if (d->fixed ||
	    (now.tv_sec == d->read.tv_sec && now.tv_nsec == d->read.tv_nsec))
		return;
	fd = open(RESOLV_CONF, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	close(fd);
	res_nclose(&d->state);
	start(d);
	d->read = now;
}

/* The strings of a TXT record's data, each with its length before it. */
static void add_strings(const unsigned char *p, size_t len, struct buf *ret)
{
	while (len) {
		size_t n = *p++;

		len--;
		if (n > len)
			n = len;
		buf_add(ret, p, n);
		p += n;
		len -= n;
	}
}

static enum status read_answer(struct dns *d, int len, const char *name,
			       struct buf *ret, uint32_t *ret_ttl,
			       struct err *err)
{
	ns_msg msg;
	ns_rr rr;

	if (ns_initparse(d->answer, len, &msg) != 0)
		return err_set(err, PH_RETRY, "%s: answer cannot be read",
			       name);
	for (int i = 0; i < ns_msg_count(msg, ns_s_an); i++) {
		if (ns_parserr(&msg, ns_s_an, i, &rr) != 0)
			return err_set(err, PH_RETRY,
				       "%s: answer cannot be read", name);
		if (ns_rr_type(rr) != ns_t_txt)
			continue; /* a CNAME on the way */
		add_strings(ns_rr_rdata(rr), ns_rr_rdlen(rr), ret);
		*ret_ttl = ns_rr_ttl(rr);
		return PH_OK;
	}
	return err_set(err, PH_NONE, "%s: no TXT record", name);
}

enum status dns_txt(struct dns *d, const char *name, struct buf *ret,
		    uint32_t *ret_ttl, struct err *err)
{
	int len;

	read_again(d);
	len = res_nquery(&d->state, name, ns_c_in, ns_t_txt, d->answer,
			 sizeof(d->answer));
	if (len > (int)sizeof(d->answer))
		return err_set(err, PH_RETRY, "%s: answer is too long", name);
	if (len >= 0)
		return read_answer(d, len, name, ret, ret_ttl, err);
	switch (d->state.res_h_errno) {
	case HOST_NOT_FOUND:
	case NO_DATA:
		return err_set(err, PH_NONE, "%s: no TXT record", name);
	default:
		return err_set(err, PH_RETRY, "%s: no answer from DNS", name);
	}
}
