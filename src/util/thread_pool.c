/*
 * thread_pool.c - one function on several threads
 *
 * Why:    scans and loads split into chunks that any thread may take.
 * How:    threads are started per call and joined before it returns; the
 *         caller works too. New threads block all signals, so a signal
 *         reaches the thread that the program expects it on.
 * Cost:   some 20 us and one struct error per thread.
 * Limits: MOST_THREADS threads; a thread that cannot start is left out.
 */
#include "util/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "util/mem.h"

#define MOST_THREADS 256

struct thread_job {
	int (*work)(void *context, size_t worker, struct error *err);
	void *context;
	size_t worker;
	pthread_t thread;
	bool started;
	int rc;
	struct error err;
};

static void *run_job(void *argument)
{
	struct thread_job *job = argument;

	job->rc = job->work(job->context, job->worker, &job->err);
	return NULL;
}

/* Start the jobs 1 .. count - 1, as many as the system lets us. */
static void start_jobs(struct thread_job *jobs, size_t count)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (size_t i = 1; i < count; i++)
		jobs[i].started = pthread_create(&jobs[i].thread, NULL,
						 run_job, &jobs[i]) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int thread_run(size_t thread_count,
	       int (*work)(void *context, size_t worker, struct error *err),
	       void *context, struct error *err)
{
	struct thread_job *jobs;
	int rc = 0;

	if (thread_count <= 1)
		return work(context, 0, err);
	if (thread_count > MOST_THREADS)
		thread_count = MOST_THREADS;
	jobs = mem_zalloc_array(thread_count, sizeof(*jobs));
	if (!jobs)
		return error_set(err, ERROR_NO_MEMORY, "%zu threads",
				 thread_count);
	for (size_t i = 0; i < thread_count; i++) {
		jobs[i].work = work;
		jobs[i].context = context;
		jobs[i].worker = i;
	}
	start_jobs(jobs, thread_count);
	run_job(&jobs[0]);
	for (size_t i = 1; i < thread_count; i++)
		if (jobs[i].started)
			pthread_join(jobs[i].thread, NULL);
	for (size_t i = 0; i < thread_count && !rc; i++) {
		rc = jobs[i].rc;
		if (rc && err)
			*err = jobs[i].err;
	}
	mem_free(jobs);
	return rc;
}

size_t thread_available_count(void)
{
	cpu_set_t set;
	int count;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	count = CPU_COUNT(&set);
	return count > 0 ? (size_t)count : 1;
}
