// The part of HiGHS's C interface that Go sees. The interface's own header
// defines its constants in every file that includes it, so bridge.c alone
// does, and translates them to the constants below.
#ifndef MEMPLAN_BRIDGE_H
#define MEMPLAN_BRIDGE_H
#include <stdint.h>

enum { BRIDGE_STOPPED, BRIDGE_SOLVED, BRIDGE_INFEASIBLE, BRIDGE_FAILED };

typedef struct {
	int verdict, status, feasible; // status: HiGHS's own number, for messages
	double objective, dual;
	int64_t nodes, iterations;
} bridge_outcome;

const char *bridge_version(void);
void *bridge_create(int threads, double gap, double seconds, int64_t nodes);
void bridge_destroy(void *h);
int bridge_load(void *h, int columns, int rows, int terms, const double *cost, const double *lower,
                const double *upper, const int *integer, const double *row_lower, const double *row_upper,
                const int *start, const int *index, const double *value);
int bridge_start(void *h, const double *values);
int bridge_run(void *h, uintptr_t watcher, bridge_outcome *out);
int bridge_values(void *h, double *values);
#endif
