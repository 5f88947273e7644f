/*
 * systemd - what systemd is told (sd_notify(3)); nothing where it is not there.
 */
#ifndef BOT_SYSTEMD_H
#define BOT_SYSTEMD_H

#include <stdint.h>

/* Sends "READY=1" and the like, lines between newlines. */
void systemd_tell(const char *text);

/* How often "WATCHDOG=1" is to be sent, in milliseconds; 0: never. */
int64_t systemd_watchdog_ms(void);

#endif
