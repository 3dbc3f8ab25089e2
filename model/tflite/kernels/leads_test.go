package kernels_test

import (
	"maps"
	"slices"
	"testing"

	"memplan/internal/access"
	"memplan/internal/shared"
	"memplan/model/tflite/kernels"
)

// The lead of the reference kernels is the least at which running them byte by
// byte gives what it must, for random operators of each kind.
func TestReferenceAccess(t *testing.T) {
	above := make(map[string]int)
	for seed := range int64(shared.Many(4000)) {
		op := access.Draw(seed).Operator()
		got, ok := kernels.Reference.Exact(op, 0)
		if !ok {
			t.Fatalf("seed %d: no lead: %+v", seed, op)
		}
		trace := access.Reference(op)
		if want := trace.Lead(); got != want {
			t.Fatalf("seed %d: lead %d, the blocks say %d: %+v", seed, got, want, op)
		}
		if !trace.Right(got) || got > 0 && trace.Right(got-1) {
			t.Fatalf("seed %d: lead %d: right at it %v, at one less %v: %+v", seed, got, trace.Right(got), trace.Right(got-1), op)
		}
		if got > 0 {
			above[op.Kind]++
		}
	}
	for _, kind := range []string{"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "PAD", "DEQUANTIZE", "SOFTMAX"} {
		if above[kind] < 10 {
			t.Errorf("%s: only %d with a lead above 0", kind, above[kind])
		}
	}
}

// The leads of each build of CMSIS-NN are never too small for what its code does,
// and to the byte where a product of matrices runs on the input itself.
func TestCMSISAccess(t *testing.T) {
	type figures struct{ all, exact, above int }
	seen := make(map[string]figures)
	for seed := range int64(shared.Many(6000)) {
		op := access.Draw(seed).CMSIS()
		l := []kernels.Library{kernels.Scalar, kernels.DSP, kernels.DSPArmclang, kernels.MVE}[seed%4]
		got, ok := l.Exact(op, 0)
		if !ok {
			if op.Kind != "CONV_2D" {
				t.Fatalf("seed %d: %v: no lead: %+v", seed, l, op)
			}
			continue // groups, or a line on which the code gives up
		}
		trace := access.CMSIS(l, op)
		want, matrix := trace.Lead(), access.ByMatrix(l, op)
		if !trace.Right(want) || want > 0 && trace.Right(want-1) {
			t.Fatalf("seed %d: the blocks' lead %d is not theirs", seed, want)
		}
		if got < want || matrix && got != want {
			t.Fatalf("seed %d: %v: lead %d, the code needs %d: %+v", seed, l, got, want, op)
		}
		name := l.String() + " " + op.Kind
		if matrix {
			name += " by matrix"
		}
		f := seen[name]
		f.all++
		if got == want {
			f.exact++
		}
		if want > 0 {
			f.above++
		}
		seen[name] = f
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%-45s %+v", name, seen[name])
	}
	for _, l := range []kernels.Library{kernels.Scalar, kernels.DSP, kernels.DSPArmclang, kernels.MVE} {
		for kind, exact := range map[string]int{"CONV_2D": 80, "CONV_2D by matrix": 100, "DEPTHWISE_CONV_2D": 90, "FULLY_CONNECTED": 20, "PAD": 40, "SVDF": 100} { // percent
			if l == kernels.MVE && kind == "CONV_2D" {
				exact = 70 // a sixth of its convolutions are left beside those by matrix, of others half and more: of 440 in 24,000 draws 78 percent
			}
			if f := seen[l.String()+" "+kind]; f.above < 10 && kind != "SVDF" || 100*f.exact < exact*f.all {
				t.Errorf("%v %s: %+v", l, kind, f)
			}
		}
	}
}

// What one plan for all builds keeps is enough for each, and no more than one needs.
func TestLeadOfAllBuilds(t *testing.T) {
	both := 0
	for seed := range int64(3000) {
		op := access.Draw(seed).CMSIS()
		most, all := int64(0), true
		for _, l := range []kernels.Library{kernels.Scalar, kernels.DSP, kernels.MVE} {
			bytes, ok := l.Exact(op, 0)
			most, all = max(most, (bytes+15)/16*16), all && ok
		}
		got, ok := kernels.CMSISNN.Lead(op, 0)
		size := op.Output.Width
		for _, d := range op.Output.Shape {
			size *= d
		}
		if want := all && most < size; ok != want || ok && got != most {
			t.Fatalf("seed %d: %d, %v; the builds need %d, %v: %+v", seed, got, ok, most, want, op)
		}
		if ok {
			both++
		}
	}
	if both < 100 {
		t.Errorf("only %d leads", both)
	}
}

// Nothing in an operator makes the package panic, or work for long.
func TestHostileOperators(t *testing.T) {
	kinds := append(kernels.Kinds, "TRANSPOSE_CONV", "BATCH_MATMUL", "UNIDIRECTIONAL_SEQUENCE_LSTM", "")
	leads := 0
	for seed := range int64(20000) {
		d := access.Draw(seed)
		op := []func() *kernels.Operator{d.Operator, d.CMSIS, d.Transposed}[d.Intn(3)]()
		for range d.Intn(5) {
			d.Spoil(op)
		}
		if d.Intn(3) == 0 {
			op.Kind = kinds[d.Intn(len(kinds))]
		}
		for l := kernels.Reference; l <= kernels.MVE; l++ {
			for input := range 4 {
				if bytes, ok := l.Lead(op, input); ok {
					leads++
					if bytes < 0 || bytes%16 != 0 {
						t.Fatalf("seed %d: lead %d: %+v", seed, bytes, op)
					}
				}
			}
			for _, bytes := range l.Scratch(op, []int64{7}) {
				if bytes < 0 {
					t.Fatalf("seed %d: scratch %d: %+v", seed, bytes, op)
				}
			}
		}
	}
	if leads < 10000 {
		t.Errorf("only %d leads", leads)
	}
}

// A model of huge shapes costs no more than a small one.
func TestHugeOperators(t *testing.T) {
	rows := int64(1<<31 - 1)
	huge := kernels.Tensor{Type: "INT8", Width: 1, Shape: []int64{1, rows, 1, 1}}
	for range 10000 {
		op := kernels.Operator{Kind: "MAX_POOL_2D", Inputs: []kernels.Tensor{huge}, Output: huge,
			Window: kernels.Window{Same: true, Taps: [2]int64{1<<20 - 1, 1}, Stride: [2]int64{1, 1}, Dilation: [2]int64{1, 1}}}
		if _, ok := kernels.Reference.Lead(&op, 0); ok {
			t.Fatal("half a million rows in the padding were looked at")
		}
		op.Window.Taps[0] = 5
		if bytes, ok := kernels.Reference.Lead(&op, 0); !ok || bytes != 16 {
			t.Fatalf("lead %d, %v", bytes, ok)
		}
	}
}
