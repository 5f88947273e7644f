/*
 * service - what systemd is told (sd_notify(3)); nothing where it is not there.
 */
#ifndef BOT_SERVICE_H
#define BOT_SERVICE_H

#include <stdint.h>

/* Sends "READY=1" and the like, lines between newlines. */
void service_tell(const char *text);

/* How often "WATCHDOG=1" is to be sent, in milliseconds; 0: never. */
int64_t service_watchdog_ms(void);

#endif
