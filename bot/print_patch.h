/*
 * print_patch - patches, results, messages and notices as lines of text and as
 * JSON, one object a line.
 */
#ifndef BOT_PRINT_PATCH_H
#define BOT_PRINT_PATCH_H

#include "bot/store/message.h"
#include "bot/store/outbox.h"
#include "bot/store/query.h"
#include "ph/arena.h"
#include "ph/json.h"

void print_patch_heading(struct buf *b);
void print_patch_line(struct buf *b, const struct patch_line *line);
void print_patch_line_json(struct buf *b, const struct patch_line *line);
/* The members of a patch, inside an object that is open. */
void print_patch_members(struct json *j, const struct patch_row *p);

void print_message_heading(struct buf *b);
void print_message_line(struct buf *b, const struct message_row *row);
void print_message_line_json(struct buf *b, const struct message_row *row);
void print_message_members(struct json *j, const struct message_row *row);

/* "WORSE 12.0%  metric  host  params". */
void print_result_line(struct buf *b, const struct result_row *row);
void print_result_members(struct json *j, const struct result_row *row);

/* "3 better, 1 worse, worst 15.2%". */
void print_net(struct buf *b, const struct patch_line *line);

/* What a notice of the outbox says, in a line. */
void print_notice_subject(struct buf *b, const struct outbox_row *row,
			  struct arena *arena);
void print_outbox_members(struct json *j, const struct outbox_row *row,
			  struct arena *arena);

#endif
