package kernels

// Exact is a library's lead to the byte, not rounded up.
func (l Library) Exact(op *Operator, input int) (bytes int64, ok bool) { return l.exact(op, input) }

// Kinds are all that any library has a lead for.
var Kinds = append(append([]string{"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "PAD", "PADV2", "SVDF"}, unary...), binary...)
