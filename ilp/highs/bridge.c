#include "bridge.h"
#include "interfaces/highs_c_api.h"

_Static_assert(sizeof(HighsInt) == sizeof(int), "bridge.h takes HiGHS's integers for int");

// Defined in Go: whether the run is to stop.
extern int bridgeWatch(uintptr_t watcher, double primal, double dual, int64_t nodes, int64_t iterations,
                       const double *values, int columns);

const char *bridge_version(void) { return Highs_version(); }

void bridge_destroy(void *h) { Highs_destroy(h); }

void *bridge_create(int threads, double gap, double seconds, int64_t nodes) {
	void *h = Highs_create();
	if (!h) return 0;
	if (nodes <= 0 || nodes > INT32_MAX) nodes = INT32_MAX;
	int bad = Highs_setBoolOptionValue(h, "output_flag", 0) |
	          Highs_setIntOptionValue(h, "threads", threads) |
	          Highs_setIntOptionValue(h, "random_seed", 0) |
	          Highs_setIntOptionValue(h, "mip_max_nodes", (HighsInt)nodes) |
	          Highs_setDoubleOptionValue(h, "mip_rel_gap", 0) |
	          Highs_setDoubleOptionValue(h, "mip_abs_gap", gap);
	if (seconds >= 0) bad |= Highs_setDoubleOptionValue(h, "time_limit", seconds);
	if (bad == kHighsStatusOk) return h;
	Highs_destroy(h);
	return 0;
}

int bridge_load(void *h, int columns, int rows, int terms, const double *cost, const double *lower,
                const double *upper, const int *integer, const double *row_lower, const double *row_upper,
                const int *start, const int *index, const double *value) {
	return Highs_passMip(h, columns, rows, terms, kHighsMatrixFormatRowwise, kHighsObjSenseMinimize, 0, cost,
	                     lower, upper, row_lower, row_upper, start, index, value, integer) == kHighsStatusOk;
}

int bridge_start(void *h, const double *values) {
	return Highs_setSolution(h, values, 0, 0, 0) != kHighsStatusError;
}

static void watch(int type, const char *message, const HighsCallbackDataOut *out, HighsCallbackDataIn *in,
                  void *watcher) {
	(void)message;
	int found = type == kHighsCallbackMipImprovingSolution;
	in->user_interrupt = bridgeWatch((uintptr_t)watcher, out->mip_primal_bound, out->mip_dual_bound,
	                                 out->mip_node_count, out->mip_total_lp_iterations,
	                                 found ? out->mip_solution : 0, found ? out->mip_solution_size : 0);
}

static int verdict(HighsInt status) {
	if (status == kHighsModelStatusOptimal || status == kHighsModelStatusModelEmpty) return BRIDGE_SOLVED;
	if (status == kHighsModelStatusInfeasible) return BRIDGE_INFEASIBLE;
	if (status == kHighsModelStatusTimeLimit || status == kHighsModelStatusIterationLimit ||
	    status == kHighsModelStatusSolutionLimit || status == kHighsModelStatusInterrupt)
		return BRIDGE_STOPPED;
	return BRIDGE_FAILED;
}

// A warning from Highs_run is no failure: it comes with every limit.
int bridge_run(void *h, uintptr_t watcher, bridge_outcome *out) {
	if (Highs_setCallback(h, watch, (void *)watcher) == kHighsStatusError ||
	    Highs_startCallback(h, kHighsCallbackMipInterrupt) == kHighsStatusError ||
	    Highs_startCallback(h, kHighsCallbackMipImprovingSolution) == kHighsStatusError ||
	    Highs_run(h) == kHighsStatusError)
		return 0;
	HighsInt primal = kHighsSolutionStatusNone, iterations = 0;
	out->status = Highs_getModelStatus(h);
	out->verdict = verdict(out->status);
	Highs_getIntInfoValue(h, "primal_solution_status", &primal);
	Highs_getIntInfoValue(h, "simplex_iteration_count", &iterations);
	Highs_getInt64InfoValue(h, "mip_node_count", &out->nodes);
	Highs_getDoubleInfoValue(h, "objective_function_value", &out->objective);
	Highs_getDoubleInfoValue(h, "mip_dual_bound", &out->dual);
	out->iterations = iterations;
	out->feasible = primal == kHighsSolutionStatusFeasible;
	return 1;
}

int bridge_values(void *h, double *values) {
	return Highs_getSolution(h, values, 0, 0, 0) != kHighsStatusError;
}
