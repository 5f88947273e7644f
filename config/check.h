/*
 * check - what no single key can tell: one function a section of keys.c.
 */
#ifndef CONFIG_CHECK_H
#define CONFIG_CHECK_H

#include "config/fill.h"

/* "mail", "slack", ... in the order of enum channel_type, NULL-ended. */
extern const char *const channel_type_words[];

void check_mailbox(struct fill *f, const struct node *node, void *section);
void check_trust(struct fill *f, const struct node *node, void *section);
void check_git(struct fill *f, const struct node *node, void *section);
void check_smtp(struct fill *f, const struct node *node, void *section);
void check_channel(struct fill *f, const struct node *node, void *section);
void check_match(struct fill *f, const struct node *node, void *section);
void check_top(struct fill *f, const struct node *node, void *section);

#endif
