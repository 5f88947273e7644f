/*
 * message_flags - bits of message.flags. For bot/store only.
 */
#ifndef BOT_STORE_MESSAGE_FLAGS_H
#define BOT_STORE_MESSAGE_FLAGS_H

#define FLAG_AUTOMATIC 1
#define FLAG_BOUNCE    2
#define FLAG_BARE      4

#endif
