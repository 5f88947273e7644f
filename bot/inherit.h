/*
 * inherit - what a process has from whoever started it, and must not depend on.
 */
#ifndef BOT_INHERIT_H
#define BOT_INHERIT_H

#include <stdbool.h>

/*
 * Signals as we count on them, none blocked; and no file of ours in the place
 * of standard input, output or error. False: there is no /dev/null.
 */
bool inherit_mend(void);

#endif
