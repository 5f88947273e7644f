/*
 * log - one line a happening, on standard error.
 *
 * Only bot/ logs. Under systemd (JOURNAL_STREAM is set) each line starts with
 * its <priority>; elsewhere with the process's name. Control characters become
 * '?', and a line is one write, so lines of several processes never mix.
 */
#ifndef PH_LOG_H
#define PH_LOG_H

enum log_level { LOG_DEBUG_, LOG_INFO_, LOG_WARN_, LOG_ERROR_ };

/* Lines below level are dropped. The start value is LOG_INFO_. */
void log_set_level(enum log_level level);

/* Names this process in its lines ("worker lore"). Copied, cut at 63 bytes. */
void log_set_name(const char *name);

void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_debug(...) log_line(LOG_DEBUG_, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO_, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN_, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR_, __VA_ARGS__)

#endif
