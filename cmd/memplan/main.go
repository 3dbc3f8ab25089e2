// Memplan is an optimal static memory planner for tensors: it gives every
// tensor of a model a fixed offset in one arena, and proves how small the arena
// can be.
//
// Exit status, the same for every verb:
//
//	0  done; valid; fits
//	1  the answer is no: an overlap, a regression, a capacity proven too small
//	2  usage or bad input
//	3  a limit came first: no plan, a capacity undecided, an optimum unproven
//	4  internal or solver failure, or the output could not be written
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A closed pipe is an error of the write, not the end of the process.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}
