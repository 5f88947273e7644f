/*
 * keys - every key that a configuration file may hold; the only list of them.
 *
 * The reader fills struct config by this table, `check --schema` prints it as
 * JSON Schema, and a test holds the manual page against it. A section is a map
 * of keys; sections may lie in each other.
 */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What may be written; behind it the C type at the key's offset. */
enum key_type {
	KEY_BOOL,     /* bool */
	KEY_COUNT,    /* int64_t within min and max */
	KEY_NUMBER,   /* double; beside: bool, was it given */
	KEY_SPAN,     /* int64_t seconds; words[0], if any, means 0 */
	KEY_TIME,     /* int64_t; beside: bool, was it given */
	KEY_FLAG,     /* bool; beside: bool, was it given */
	KEY_WORD,     /* an enum, in the order of words */
	KEY_TEXT,     /* const char *, one line */
	KEY_TEMPLATE, /* const char *, may have lines */
	KEY_PATH,     /* const char *, absolute */
	KEY_FILE,     /* const char *, absolute, must be readable */
	KEY_SECRET,   /* const char *, file of a secret or credential:NAME */
	KEY_URL,      /* struct config_url, scheme one of words */
	KEY_URL_TEXT, /* const char *, the same, not taken apart */
	KEY_ADDRESS,  /* const char * */
	KEY_PERSON,   /* const char *, "Name <a@b>" */
	KEY_DIGEST,   /* struct config_digest */
	KEY_HOURS,    /* struct config_hours */
	KEY_DONE,     /* enum config_done; beside: const char *, folder */
	KEY_CHANNEL,  /* const struct config_channel * */
	/* lists: one value may stand without brackets */
	KEY_TEXTS,	   /* struct config_list */
	KEY_WORDS,	   /* struct config_list, each one of words */
	KEY_ADDRESSES,	   /* struct config_list */
	KEY_ADDRESS_GLOBS, /* struct config_list */
	KEY_DOMAINS,	   /* struct config_list */
	KEY_PROOFS,	   /* enum config_proof[4]; beside: size_t */
	KEY_CHANNELS,	   /* const struct config_channel **; beside: size_t */
	/* sections */
	KEY_SECTION,	 /* the struct in place; beside: bool, was it given */
	KEY_POINTED,	 /* pointer to the struct */
	KEY_NAMED,	 /* name: section; array of structs; beside: size_t */
	KEY_ROW,	 /* list of sections; as KEY_NAMED */
	KEY_POINTED_ROW, /* list of sections; pointers; beside: size_t */
};

struct key {
	const char *name;
	enum key_type type;
	size_t offset, beside;	  /* in the section's struct; beside 0: none */
	const char *usual;	  /* the default as it would be written */
	const char *const *words; /* NULL-ended */
	int64_t min, max;
	const struct section *below;
	bool required;
	const char *help; /* one line, without a full stop */
};

struct fill;
struct node;

#define NO_MARK SIZE_MAX

struct section {
	const char *title; /* "a mailbox" */
	size_t size;	   /* of its struct */
	size_t mark;	   /* offset of its struct config_mark, or NO_MARK */
	const struct key *keys;
	size_t n;
	/* What no single key can tell; node is NULL for an absent section. */
	void (*check)(struct fill *f, const struct node *node, void *section);
};

extern const struct section section_top;

/* Whether several values may be given. */
bool key_is_list(enum key_type type);

const struct key *section_key(const struct section *section, const char *name);

#endif
