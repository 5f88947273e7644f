/*
 * screen - the ceilings of limits.h, by one scan in linear time, before any
 * library sees the bytes. PH_BAD names the ceiling that was passed.
 */
#ifndef MAIL_SCREEN_H
#define MAIL_SCREEN_H

#include "ph/err.h"
#include "ph/slice.h"

/* Size, empty input, NUL bytes and the length of lines. */
enum status screen_bytes(struct slice raw, struct err *err);

/* A header block: its size and the number of fields. */
enum status screen_header(struct slice header, struct err *err);

/*
 * Parts and depth of a MIME message, and the header blocks inside it. May
 * count too much (a quoted mail in the text), never too little.
 */
enum status screen_mime(struct slice raw, struct err *err);

#endif
