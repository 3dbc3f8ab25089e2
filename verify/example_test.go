package verify_test

import (
	"fmt"

	"memplan/model"
	"memplan/verify"
)

// Every fault of a plan is told; a certificate says why no plan is better.
func ExamplePlan() {
	in := &model.Instance{Buffers: []model.Buffer{
		{ID: "a", Life: model.Interval{Start: 0, End: 2}, Size: 6},
		{ID: "b", Life: model.Interval{Start: 1, End: 3}, Size: 4, Align: 4},
	}}
	fmt.Println(verify.Plan(in, model.Plan{Offsets: []int64{0, 5}}))
	fmt.Println(verify.Plan(in, model.Plan{Offsets: []int64{0, 8}}))
	fmt.Println(verify.Plan(in, model.Plan{Offsets: []int64{4, 0}}))

	load := &model.Certificate{Proof: model.ProofLoad, Bound: 10, Step: 1} // so many bytes are live at step 1
	fmt.Println(verify.Certificate(in, load))
	load.Bound = 11
	fmt.Println(verify.Certificate(in, load))
	// Output:
	// buffer "b" at 5: the offset is not a multiple of the alignment 4
	// buffers "a" at [0,6) and "b" at [5,9) overlap, both live at steps [1,2)
	// <nil>
	// <nil>
	// <nil>
	// 10 bytes are live at step 1, not 11
}
