package tflite

import (
	"strconv"
	"strings"
)

// A Kind is the schema's number of a builtin operator.
type Kind int32

// The kinds whose meaning planning depends on.
const (
	averagePool2D   Kind = 1
	conv2D          Kind = 3
	depthwiseConv2D Kind = 4
	fullyConnected  Kind = 9
	maxPool2D       Kind = 17
	reshape         Kind = 22
	svdf            Kind = 27
	Custom          Kind = 32
	pad             Kind = 34
	mean            Kind = 40
	squeeze         Kind = 43
	lstm            Kind = 44 // UNIDIRECTIONAL_SEQUENCE_LSTM
	padV2           Kind = 60
	transposeConv   Kind = 67
	expandDims      Kind = 70
	sum             Kind = 74
	reduceMax       Kind = 82
	reduceMin       Kind = 89
	mirrorPad       Kind = 100
	addN            Kind = 106
	If              Kind = 118
	While           Kind = 119
	CallOnce        Kind = 129
	reduceAll       Kind = 140
	varHandle       Kind = 142
	readVariable    Kind = 143
)

// String is the schema's name, or the number of a kind newer than the names.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "OPERATOR_" + strconv.Itoa(int(k))
	}
	return kindNames[k]
}

// bodies is how many subgraphs the kind runs.
func (k Kind) bodies() int {
	switch k {
	case If, While:
		return 2
	case CallOnce:
		return 1
	}
	return 0
}

// view reports whether the kind's output has its first input's bytes in the
// same order.
func (k Kind) view() bool { return k == reshape || k == squeeze || k == expandDims }

// An effect is what operators of a kind may read or change that is no tensor.
type effect int

const (
	none       effect = iota
	onResource        // the variable of their handle
	onHidden          // random numbers and hash tables
	onAnything        // whatever a custom operator keeps
)

func (k Kind) effect() effect {
	switch k.String() {
	case "READ_VARIABLE", "ASSIGN_VARIABLE":
		return onResource
	case "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "RANDOM_STANDARD_NORMAL", "RANDOM_UNIFORM", "MULTINOMIAL":
		return onHidden
	case "CUSTOM":
		return onAnything
	}
	return none
}

// kindNames are the schema's names in the order of their numbers.
var kindNames = strings.Fields(`
	ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR
	FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC
	LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX
	SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD
	UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE
	UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE
	BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL
	LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT
	RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT
	UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR
	LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK
	ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4
	NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES
	CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT
	HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS
	RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1
	UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST
	BITWISE_XOR RIGHT_SHIFT
`)
