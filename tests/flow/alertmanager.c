/*
 * A real Alertmanager: an alert a patch, still there when it is told again,
 * over when the patch is fixed, read back with amtool.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ph/channel.h"
#include "ph/clock.h"
#include "tests/notices.h"

static char dir[] = "/tmp/perfherald-alerts-XXXXXX";
static char url[64];
static pid_t server;
static FILE *server_log; /* it writes there to its end, so it stays open */
static const struct config config;

static bool in_path(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1",
		 program);
	return system(command) == 0;
}

/* A port that nobody holds now; Alertmanager cannot be told to find one. */
static int free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	close(fd);
	return ntohs(at.sin_port);
}

static void write_config(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/am.yml", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "route: {receiver: none}\nreceivers: [{name: none}]\n");
	assert_int_equal(fclose(f), 0);
}

static void run_server(int port, int log)
{
	char config_arg[80], storage[80], listen_arg[64];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(log, STDERR_FILENO);
	snprintf(config_arg, sizeof(config_arg), "--config.file=%s/am.yml",
		 dir);
	snprintf(storage, sizeof(storage), "--storage.path=%s/data", dir);
	snprintf(listen_arg, sizeof(listen_arg),
		 "--web.listen-address=127.0.0.1:%d", port);
	execlp("prometheus-alertmanager", "prometheus-alertmanager", config_arg,
	       storage, listen_arg, "--cluster.listen-address=", (char *)NULL);
	_exit(127);
}

static int start(void **state)
{
	char line[1024];
	int log[2], port = free_port();

	(void)state;
	assert_non_null(mkdtemp(dir));
	write_config();
	assert_int_equal(pipe2(log, O_CLOEXEC), 0);
	server = fork();
	assert_true(server >= 0);
	if (!server)
		run_server(port, log[1]);
	close(log[1]);
	server_log = fdopen(log[0], "r");
	assert_non_null(server_log);
	do
		assert_non_null(fgets(line, sizeof(line), server_log));
	while (!strstr(line, "Listening on") &&
	       !strstr(line, "TLS is disabled"));
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
	return 0;
}

static int stop(void **state)
{
	char command[96];

	(void)state;
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	fclose(server_log);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* The active alerts as amtool sees them. */
static json_t *alerts(void)
{
	char command[160];
	json_error_t error;
	json_t *list;
	FILE *f;

	snprintf(command, sizeof(command),
		 "amtool --alertmanager.url=%s alert query -o json", url);
	f = popen(command, "r");
	assert_non_null(f);
	list = json_loadf(f, 0, &error);
	assert_int_equal(pclose(f), 0);
	assert_non_null(list);
	return list;
}

static enum delivery tell(const struct notice *n)
{
	struct config_channel ch = { .name = "alerts",
				     .type = CHANNEL_ALERTMANAGER,
				     .url = url,
				     .insecure = true };
	struct sender *s = sender_new(&config);
	struct parcel parcel = { 0 };
	struct delivery_result r;
	struct arena arena;
	struct err err;

	arena_init(&arena);
	if (channel_render(&config, &ch, S(""), n, &arena, &parcel, &err) !=
	    PH_OK)
		fail_msg("%s", err.text);
	channel_send(s, &ch, &parcel, n->made, &r);
	if (r.what != DELIVERY_SENT)
		print_message("%s\n", r.text);
	sender_free(s);
	arena_release(&arena);
	return r.what;
}

static const char *text(const json_t *alert, const char *part, const char *key)
{
	const char *s = json_string_value(
		json_object_get(json_object_get(alert, part), key));

	return s ? s : "";
}

static void an_alert_a_patch(void **state)
{
	struct arena arena;
	struct notice n;
	json_t *list;

	(void)state;
	arena_init(&arena);
	notices_full(&arena, &n);
	n.made = clock_wall();
	assert_int_equal(tell(&n), DELIVERY_SENT);
	n.kind = NOTICE_UPDATE;
	n.results[0].percent = 15.5;
	assert_int_equal(tell(&n), DELIVERY_SENT);
	list = alerts();
	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(text(json_array_get(list, 0), "labels", "patch"),
			    "0f0e0d0c0b0a0908");
	assert_non_null(
		strstr(text(json_array_get(list, 0), "annotations", "summary"),
		       "WORSE 15.5%"));
	json_decref(list);

	n.state = S("fixed");
	assert_int_equal(tell(&n), DELIVERY_SENT);
	list = alerts();
	assert_int_equal(json_array_size(list), 0);
	json_decref(list);
	arena_release(&arena);
}

static void hostile_text_is_taken(void **state)
{
	uint64_t seed = 7;
	struct arena arena;
	struct notice n;
	json_t *list;

	(void)state;
	arena_init(&arena);
	notices_hostile(&arena, &seed, &n);
	n.made = clock_wall();
	n.state = S("");
	assert_int_equal(tell(&n), DELIVERY_SENT);
	list = alerts();
	assert_int_equal(json_array_size(list), 1);
	json_decref(list);
	arena_release(&arena);
}

static void not_installed(void **state)
{
	(void)state;
	print_message("no prometheus-alertmanager or amtool here\n");
	skip();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alert_a_patch),
		cmocka_unit_test(hostile_text_is_taken),
	};
	static const struct CMUnitTest without[] = {
		{ "alertmanager", not_installed, NULL, NULL, NULL },
	};

	setenv("no_proxy", "*", 1);
	if (!in_path("prometheus-alertmanager") || !in_path("amtool"))
		return cmocka_run_group_tests_name("alertmanager", without,
						   NULL, NULL);
	return cmocka_run_group_tests_name("alertmanager", tests, start, stop);
}
