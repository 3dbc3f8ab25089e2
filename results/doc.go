// Package results runs planners, and turns what they did into records, and
// records into tables. It is the one place where planners and the verifier
// meet: no plan leaves it unverified, no bound unchecked.
//
// The way from file to table:
//
//	Case      an instance by name, read when its turn comes
//	Task      what was read: one arena, or one a memory space
//	Choice    a planner with what its result depends on; Planners lists them
//	Solve     one planner on one arena: plan, verify, certify
//	Outcome   a planner's results on a task, and their Record
//	Bench     every planner on every case; each Record is emitted when made
//	Log       a file of records, only ever appended to
//	Compare   records to a Comparison: rows of instances, columns of planners
//	Write     a Comparison as text, Markdown, CSV, LaTeX, HTML or benchfmt
//
// Beside it: an experiment is a run written down in a file, a Shard one
// machine's part of it, a Regression what became worse since a baseline, Given a
// planner whose plans were made elsewhere, and package command runs those that are
// programs of other people.
package results
