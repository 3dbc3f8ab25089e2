// Package trace reads what allocators record: which block was allocated when,
// and when it was freed.
//
// # The general form
//
// Rows in the order of the events, as comma-separated values
//
//	alloc,0x7f10,4096
//	free,0x7f10
//
// or as JSON, an object a line:
//
//	{"action": "alloc", "addr": 140184, "size": 4096, "stream": 0, "time_us": 12}
//
// Columns are action (or event, op), id (or address, addr, ptr), size (or
// bytes, of an alloc), and whatever else there is, such as stream and time, which is
// not looked at. Without a header they are in that order. Actions are alloc and
// free; malloc, calloc and dealloc are the same.
//
// # PyTorch's snapshots
//
// What torch.cuda.memory._dump_snapshot writes is a pickle of plain containers.
// The reader builds lists, tuples, dictionaries, numbers and texts, and refuses
// every opcode that could do anything else, GLOBAL, REDUCE and BUILD above all:
// nothing that a pickle says is ever run. A block lives from alloc to
// free_completed, in multiples of 512 bytes, as PyTorch's allocator gives them.
//
// # Conventions
//
// An alloc after a free begins a new step, and a block is live from the step of
// its alloc to the one of its free, that step included. What is never freed
// lives to the end; what is freed without an alloc, and in a snapshot what is
// active and was not allocated in the trace, lives from the start. A block is
// named after its id or address; those that come later with the same have #2,
// #3 and so on behind it.
//
// Where ids are addresses (a column of that name, or 0x before each) the plan
// in force is what the addresses say, with the bytes left out that no block
// ever had; in a snapshot, those that no segment had.
//
// Snapshots were read of PyTorch 2.15.
package trace
