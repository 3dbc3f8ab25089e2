// Package csv reads and writes buffers as comma-separated values: MiniMalloc's
// format, read more strictly. The header decides the columns, in any order:
//
//	id         also buffer, buffer_id
//	lower      also start, begin: the first step of the lifetime
//	upper      the first step after it; or end, its last step (gaps' ends too)
//	size       bytes
//	alignment  of the offset, default 1; sizes are not rounded
//	offset     pinned here; empty is free
//	gaps       A-B A-B ...: dead on [A,B)
//	tie        ROOT+DELTA: placed DELTA bytes above buffer ROOT
//	over       X+LEAD or X=DISTANCE, several with blanks between: may share bytes
//	           with X, whose last step is the one this is born at, from LEAD bytes
//	           below it on; or with X at exactly DISTANCE bytes above it
//	exclusive  GROUP=ARM, several with blanks between: of a group one arm alone runs,
//	           so that buffers in two of its arms are never live together
//	pool       in plans of graphs: the memory space that the tensor is in
//	hint       ignored
//
// Names are told apart without regard to case and surrounding space. Other
// columns are carried through to the output. Quoting follows RFC 4180; UTF-8
// with or without byte order mark; LF or CRLF; a blank line is skipped.
// Numbers are any int64. Every fault is reported as "file:line: message".
//
// lower and upper may be vector clocks, as 3:0:7, of as many components in all
// rows: a buffer whose upper is nowhere above another's lower is dead before that
// one is born. Where there are clocks or arms the instance's steps are others than
// the table's: see model.Instance.Coexist.
package csv
