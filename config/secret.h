/*
 * secret - files that hold one.
 *
 * "credential:NAME" stands for the file NAME that systemd put into
 * $CREDENTIALS_DIRECTORY for this service.
 */
#ifndef CONFIG_SECRET_H
#define CONFIG_SECRET_H

#include "ph/config.h"

/*
 * Whether secret_read works here.
 * PH_FATAL: no; err says why.
 * PH_NONE: a credential, and this process is not the service that has it.
 */
enum status secret_check(const char *path, struct err *err);

#endif
