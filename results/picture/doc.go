// Package picture draws plans and comparisons, as SVG and PNG: a plan as
// rectangles of address and time, performance profiles, the gap over a run, and
// growth with the number of buffers. The same input gives the same bytes.
package picture
