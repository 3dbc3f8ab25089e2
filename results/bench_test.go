package results

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"memplan/model/json"
)

// The table of 10,000 instances and 20 planners, from the file of records on.
func BenchmarkTable(b *testing.B) {
	var log bytes.Buffer
	from := Here([]string{"bench", "-f", "large.json"})
	for i := range 10_000 {
		for k := range 20 {
			peak := int64(1000 + i + k)
			r := Record{Plan: json.Plan{Schema: 1, Instance: fmt.Sprintf("chain-%d", i), Buffers: 30, Load: int64(1000 + i), Peak: &peak, Bound: int64(1000 + i),
				Status: "feasible", Proof: "load", Planner: fmt.Sprintf("planner-%d", k)}, Family: "chain", Hash: fmt.Sprintf("%016x", i), Placements: 30, Nanoseconds: 12345, Provenance: from}
			line, err := r.Line()
			if err != nil {
				b.Fatal(err)
			}
			log.Write(line)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		records, _, err := ReadLog(bytes.NewReader(log.Bytes()), "log")
		if err != nil {
			b.Fatal(err)
		}
		if err := Compare(records).Write(io.Discard, Options{Format: "text"}); err != nil {
			b.Fatal(err)
		}
	}
}
