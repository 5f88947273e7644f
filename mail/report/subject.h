/*
 * subject - a robot's subject line, taken apart.
 *
 *	subject = *( reply / "[" text "]" ) [ hex ":" tail ]
 *	reply   = "Re:" / "RE[2]:" / "Fwd:" / ... / any word ":" before a "["
 *	tail    = metric SP pct "%" SP verdict		performance
 *		/ pct "%" SP metric			performance until 2016
 *		/ error id				functional
 *
 * List tags ("[LTP]"), the tree ("[linus:master]") and the subsystem
 * ("[x86]") are all brackets: the last without a colon before the hash is the
 * subsystem, the last with one the tree.
 */
#ifndef MAIL_REPORT_SUBJECT_H
#define MAIL_REPORT_SUBJECT_H

#include "ph/report.h"

struct subject {
	bool reply;	   /* Re: stands in it */
	bool forward;	   /* Fwd: stands in it */
	bool patch;	   /* [PATCH ...], [RFC PATCH ...] */
	bool numbered;	   /* [tree:branch 3/7], of a build mail */
	bool build_status; /* BUILD SUCCESS sha, sha BUILD DONE */
	struct slice label, subsystem;
	struct slice commit; /* 7 to 40 hex digits; empty: no robot subject */
	struct slice title;  /* of the commit, in hex ("title"): error */
	struct slice tail;   /* behind "hex:", or behind the brackets */
	struct slice metric;
	double percent;	      /* magnitude */
	enum verdict verdict; /* none: not of a performance report ... */
	bool old_change;      /* ... or one before 2016, "-7.6% metric" */
};

/* Fills *ret with what it finds; never fails. */
void subject_read(struct slice text, struct subject *ret);

/*
 * "metric 12.3% regression", the end of subjects and of box lines. False, with
 * nothing touched, when s is not exactly that.
 */
bool subject_take_change(struct slice s, struct slice *ret_metric,
			 double *ret_percent, enum verdict *ret_verdict);

/* "-12.3%": the magnitude. */
bool subject_take_percent(struct slice word, double *ret);
enum verdict subject_verdict(struct slice word);

#endif
