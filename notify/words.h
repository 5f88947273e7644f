/*
 * words - numbers and short phrases of a notice, shared by mail and chat.
 *
 * Everything is added to *b as one line of clean text: UTF-8, no control
 * characters. Foreign text in it (metric, title) is not escaped for any
 * service; whoever builds markup does that over the whole.
 */
#ifndef NOTIFY_WORDS_H
#define NOTIFY_WORDS_H

#include "ph/arena.h"
#include "ph/notice.h"

/* As the report prints it, with thousands separated: "91,713", "0.52",
 * "2.331e+09". */
void words_number(struct buf *b, double value);
/* "11.9%", "0.8%", "160%" (no decimal from 100 on), or "3.4 points" for an
 * absolute change. */
void words_change(struct buf *b, const struct notice_result *r);
/* "WORSE", "BETTER", "STOPPED", or "CHANGED" without a verdict. */
const char *words_verdict(const struct notice_result *r);
/* "WORSE 11.9%", "BETTER from nothing", "STOPPED"; gap between the words. */
void words_move(struct buf *b, const struct notice_result *r, const char *gap);
/* "WORSE 11.9% will-it-scale.per_process_ops", "WORSE from nothing METRIC",
 * "STOPPED METRIC". */
void words_result(struct buf *b, const struct notice_result *r);
/* "91,713 -> 80,789 operations per process (higher is better)"; nothing
 * without values. */
void words_values(struct buf *b, const struct notice_result *r);
/* The reasons of the grade, joined by "; ". */
void words_reasons(struct buf *b, const struct notice *n);
/* 'A' to 'D', 0 without a grade. */
char words_grade(enum evidence e);
/* `70a64b7919cb ("title")`, either part left out when empty. A hash is cut to
 * 12 digits, a tag is not. */
void words_commit(struct buf *b, struct slice commit, struct slice title);
/* A tree's URL, with or without its branch behind it, as words_tree has it. */
void words_place(struct buf *b, struct slice place);
/* "next/linux-next.git master": what stands before is left out for trees of
 * kernel.org. */
void words_tree(struct buf *b, const struct notice *n);
/* "will-it-scale page_fault2, mode=process nr_task=100%". */
void words_test(struct buf *b, const struct notice_result *r);
/* "lkp-skl-fpga01: 104 threads, 2 sockets, Skylake, 192G, performance". */
void words_host(struct buf *b, const struct notice_result *r);

#endif
