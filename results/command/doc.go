// Package command runs planners that are programs of their own, in any language.
//
// A program gets the instance on standard input, as the table that `memplan plan`
// reads, and the end of it. It writes plans to standard output as it finds them:
// each a table with the columns id and offset, its header first and an empty line
// or the end of the output after it. A line "# time 0.25" before or in a table says
// after how many seconds that plan was found; without one, or where it says later
// than that, the time is that of the table's arrival. The environment has
// MEMPLAN_SECONDS, the limit or nothing, and MEMPLAN_SEED.
//
// Nothing of it is believed. Every plan is verified when it arrives. A program that
// writes anything else, or too much of it, ends with an exit status other than 0,
// takes more memory than it may, or has no plan when its time is up, has failed, and
// its plans with it. When a run ends, for whatever reason, all processes of the
// program are killed: its process group, and where the system has a /proc, whatever
// has inherited its environment; of a memplan that was killed itself, the group.
package command
