/*
 * measure.c - run a command as a whole process and say what it cost
 *
 *	measure [-n RUNS] [-o FILE] REPORT COMMAND [ARG...]
 *
 * Why:    an interpreter's own memory would count as the floor of every
 *         peak (the kernel carries the high-water mark across exec), and its
 *         start-up would blur a run of two milliseconds.
 * How:    posix_spawn from this small process, wait4, and one JSON line per
 *         run in REPORT. -o sends the command's standard output to FILE.
 *         written_bytes is what the kernel counted in write calls, read
 *         between the end of the process and its reaping.
 * Limits: the floor of the peak is this program's own, below 2 MiB. Memory
 *         counts every resident page, mapped files included; bytes written
 *         through a mapping do not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double timeval_seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Bytes that an ended process has given to write(), -1 if nobody knows. */
static long long written_bytes(pid_t pid)
{
	long long bytes = -1;
	char line[128];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%ld/io", (long)pid);
	file = fopen(line, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "wchar: %lld", &bytes) == 1)
			break;
	}
	fclose(file);
	return bytes;
}

static int measure_once(FILE *report, const char *output, char **command)
{
	posix_spawn_file_actions_t actions;
	struct rusage usage;
	double start, wall;
	long long written;
	siginfo_t ended;
	int status, code;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (output)
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
			output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	start = now_seconds();
	code = posix_spawnp(&pid, command[0], &actions, NULL, command, environ);
	if (code) {
		fprintf(stderr, "measure: %s: %s\n", command[0],
			strerror(code));
		return -1;
	}
	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) &&
	       errno == EINTR)
		;
	wall = now_seconds() - start;
	written = written_bytes(pid);
	if (wait4(pid, &status, 0, &usage) < 0) {
		perror("measure: wait4");
		return -1;
	}
	posix_spawn_file_actions_destroy(&actions);
	code = WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
	fprintf(report,
		"{\"wall\": %.6f, \"cpu\": %.6f, \"peak_bytes\": %lld, "
		"\"written_bytes\": %lld, \"status\": %d}\n", wall,
		timeval_seconds(usage.ru_utime) +
		timeval_seconds(usage.ru_stime),
		(long long)usage.ru_maxrss * 1024, written, code);
	return 0;
}

int main(int argc, char **argv)
{
	const char *output = NULL;
	FILE *report;
	long runs = 1;
	int option;

	while ((option = getopt(argc, argv, "+n:o:")) != -1) {
		if (option == 'n')
			runs = atol(optarg);
		else if (option == 'o')
			output = optarg;
		else
			return 2;
	}
	if (argc - optind < 2 || runs < 1) {
		fputs("usage: measure [-n RUNS] [-o FILE] REPORT COMMAND"
		      " [ARG...]\n", stderr);
		return 2;
	}
	report = fopen(argv[optind], "we");
	if (!report) {
		perror(argv[optind]);
		return 1;
	}
	for (long i = 0; i < runs; i++) {
		if (measure_once(report, output, argv + optind + 1))
			return 1;
	}
	if (fclose(report)) {
		perror(argv[optind]);
		return 1;
	}
	return 0;
}
