/*
 * limits - a ceiling for everything outside can make grow.
 *
 * Passing one is PH_BAD with a message that names it. Each has a test at its
 * edge. The figures behind them: of 10,179 robot mails the largest has 760 KB
 * and 15.5 KB of header; the largest table some 4,600 rows; a metric's name up
 * to 302 bytes.
 */
#ifndef PH_LIMITS_H
#define PH_LIMITS_H

#include <stddef.h>

#define KIB ((size_t)1024)
#define MIB (KIB * 1024)

#define LIMIT_MAIL	  (8 * MIB)   /* one raw message */
#define LIMIT_MAIL_HEADER (256 * KIB) /* its header block */
#define LIMIT_MAIL_FIELDS 1000	      /* header fields */
#define LIMIT_MAIL_PARTS  200	      /* MIME parts */
#define LIMIT_MAIL_NEST	  20	      /* multipart or message/rfc822 depth */
#define LIMIT_MAIL_TYPE	  (8 * KIB)   /* a Content-Type field */
#define LIMIT_PART_FIELDS (10 * LIMIT_MAIL_FIELDS) /* fields of all parts */
#define LIMIT_MAIL_LINE	  (1 * MIB)		   /* one line of a message */
#define LIMIT_TEXT	  (8 * MIB) /* decoded text of one message */
#define LIMIT_PEOPLE	  500	    /* addresses in To and Cc, each */

#define LIMIT_SIGNATURES 4 /* DKIM signatures of listed domains */
/* a key record: RSA of 16384 bits has 2.8 KB */
#define LIMIT_KEY      (4 * KIB)
#define LIMIT_KEYS     64 /* pinned, or remembered */
#define LIMIT_KEY_FILE (LIMIT_KEYS * LIMIT_KEY)

#define LIMIT_TABLES   64    /* comparison tables in a report */
#define LIMIT_COLUMNS  16    /* commits compared in a table */
#define LIMIT_ROWS     50000 /* rows in a report */
#define LIMIT_METRIC   1024  /* bytes of a metric's name */
#define LIMIT_PARAMS   64    /* parameters of a test case */
#define LIMIT_RESULTS  64    /* results in a report */
#define LIMIT_WARNINGS 32    /* warnings kept of a report */

#define LIMIT_IMAP_LINE	   (64 * KIB) /* a server line outside literals */
#define LIMIT_IMAP_LITERAL (LIMIT_MAIL + MIB)
/* bytes of one command's answer that belong to no body; libetpan makes up to 50
 * bytes of memory of each */
#define LIMIT_IMAP_OTHER  (1 * MIB)
#define LIMIT_IMAP_NEST	  32 /* parentheses in a server line */
#define LIMIT_BATCH	  64 /* messages of one transaction */
#define LIMIT_BATCH_BYTES (8 * MIB)

#define LIMIT_CONFIG	       (1 * MIB) /* a configuration file */
#define LIMIT_CONFIG_NEST      16
#define LIMIT_CONFIG_ERRORS    50	 /* mistakes listed at once */
#define LIMIT_SECRET	       (8 * KIB) /* one line of a secret file */
#define LIMIT_HTTP_REPLY       (64 * KIB) /* what is kept of a service's answer */
#define LIMIT_MAINTAINERS      (8 * MIB) /* the kernel's file: 0.8 MB in 2024 */
#define LIMIT_MAINTAINED_FILES 500 /* files of a patch that are looked up */
#define LIMIT_NOTICE	       (64 * KIB) /* a rendered notice */
#define LIMIT_MAILS_A_DAY      200  /* to one address, over all channels */
#define LIMIT_NOTICES_AN_HOUR  2000 /* over all channels */
/* seconds a report waits for git: a cold pack on a slow disk */
#define LIMIT_GIT_WAIT 30

#endif
