package main

import (
	"fmt"
	"io"
	"strings"

	"memplan/model"
	planjson "memplan/model/json"
	"memplan/spill"
)

// A fitReport is what fit tells.
type fitReport struct {
	Graph    string
	Capacity int64
	ways     []wayOut
	chosen   *wayOut
	plan     planjson.Plan
	program  []byte // that was rewritten
	padding  int64  // that the capacity leaves out
}

// text is the report for people: a line a way, then what is moved.
func (r *fitReport) text(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s  %s\n", name, fmt.Sprintf(format, args...))
	}
	line("graph", "%s", r.Graph)
	line("capacity", "%s%s", sized(r.Capacity), r.apart())
	for k := range r.ways {
		name := r.ways[k].name
		if name == "" {
			name = "as it is"
		}
		line(name, "%s", r.ways[k].says(r.Capacity))
	}
	if r.chosen == nil {
		return
	}
	if a := r.chosen.answer; a != nil {
		for _, t := range a.Fitted.Waits() {
			line("waits", "%s", waiting(t))
		}
	}
	for _, s := range r.plan.Spaces {
		line("space", "%s", inSpace(&s))
	}
	for _, text := range memories(r.program) {
		line("memory", "%s", text)
	}
	if len(r.plan.Spaces) == 0 {
		line("peak", "%s", sized(*r.plan.Peak))
	}
}

// apart says what else the fast memory holds.
func (r *fitReport) apart() string {
	if r.padding == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d of padding", r.padding)
}

// says is a way's figure.
func (w *wayOut) says(capacity int64) string {
	order := map[string]string{"optimal": " in the order of least load", "any": " in the best order"}[w.order]
	if w.answer == nil {
		switch {
		case w.fits(capacity):
			return fmt.Sprintf("%s%s: it fits", sized(*w.peak), order)
		case w.least > capacity:
			return fmt.Sprintf("at least %s%s (proof: %s), %d short", sized(w.least), order, w.proof, w.least-capacity)
		}
		return fmt.Sprintf("undecided%s: at least %s", order, sized(w.least))
	}
	a := w.answer
	switch {
	case a.None != nil && len(w.alone) > 1:
		return fmt.Sprintf("no: %d operators do not fit alone", len(w.alone))
	case a.None != nil:
		return "no: an operator does not fit alone"
	case a.States:
		return "undecided: not as states are kept here; that more of them are copied, or their copies written over, was not tried"
	case a.Fitted == nil:
		return fmt.Sprintf("undecided%s: nothing costs less than %d", order, a.Bound)
	}
	t := a.Fitted.Traffic
	text := fmt.Sprintf("%s moved%s: %d written, %d read", sized(t.Read+t.Written), order, t.Written, t.Read)
	if t.Cost != t.Read+t.Written {
		text += fmt.Sprintf(", a cost of %d", t.Cost)
	}
	switch {
	case a.Optimal() && !a.Word:
		return text
	case a.Optimal() && w.proven():
		return text + fmt.Sprintf("; no less (proof: %s)", a.Certificate.Proof)
	case a.Optimal():
		return text + "; no less by HiGHS's word"
	}
	if a.Bound == 0 {
		return text + "; whether it can be less is not known"
	}
	return text + fmt.Sprintf("; nothing costs less than %d, by HiGHS's word", a.Bound)
}

// proven reports whether a certificate says that nothing less is moved, in whatever
// order the row stands for.
func (w *wayOut) proven() bool {
	c := w.answer.Certificate
	return c != nil && (w.order != "any" || len(c.Traffic.Question.Before) > 0)
}

// naming says of operators what they need alone.
func naming(list []spill.Operator) (texts []string) {
	for _, op := range list {
		var parts []string
		for k, b := range op.Proof.Instance.Buffers {
			parts = append(parts, fmt.Sprintf("%s (%d)", op.Values[k], b.Size))
		}
		texts = append(texts, fmt.Sprintf("operator %s alone needs %s, %d short: %s", op.ID, sized(op.Bytes), op.Bytes-op.Proof.Instance.Capacity, shortened(parts)))
	}
	return texts
}

// waiting is where a tensor in slow memory is made, waits and is read.
func waiting(t spill.Wait) string {
	var parts []string
	if t.Stored != "" {
		parts = append(parts, "stored after "+t.Stored)
	}
	if len(t.Written) > 0 {
		parts = append(parts, "written there by "+shortened(t.Written))
	}
	if len(t.Loaded) > 0 {
		parts = append(parts, "loaded before "+shortened(t.Loaded))
	}
	if len(t.Read) > 0 {
		parts = append(parts, "read there by "+shortened(t.Read))
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s (%d)", t.Tensor, t.Bytes)
	}
	return fmt.Sprintf("%s (%d): %s", t.Tensor, t.Bytes, strings.Join(parts, ", "))
}

// reasons names the operators that do not fit alone, on lines of their own.
func (r *fitReport) reasons() string {
	for k := range r.ways {
		if list := naming(r.ways[k].alone); len(list) > 0 {
			return "\n" + strings.Join(list, "\n")
		}
	}
	return ""
}

// fields are the report as JSON has it.
func (r *fitReport) fields() any {
	type way struct {
		Way     string           `json:"way"`
		Order   string           `json:"order"`
		Status  string           `json:"status"` // fits, none, open
		Peak    *int64           `json:"peak,omitempty"`
		Bound   int64            `json:"bound"`
		Proof   string           `json:"proof"`
		Cost    *int64           `json:"cost,omitempty"`
		Read    *int64           `json:"read,omitempty"`
		Written *int64           `json:"written,omitempty"`
		Columns int              `json:"columns,omitempty"`
		Rows    int              `json:"rows,omitempty"`
		Cuts    int              `json:"cuts,omitempty"`
		Alone   []planjson.Alone `json:"alone,omitempty"` // operators that do not fit by themselves
	}
	type wait struct {
		Tensor  string   `json:"tensor"`
		Bytes   int64    `json:"bytes"`
		Stored  string   `json:"stored,omitempty"` // after which operator
		Loaded  []string `json:"loaded,omitempty"` // before which operators
		Written []string `json:"written,omitempty"`
		Read    []string `json:"read,omitempty"`
	}
	out := struct {
		Schema   int            `json:"schema"`
		Graph    string         `json:"graph"`
		Capacity int64          `json:"capacity"`
		Ways     []way          `json:"ways"`
		Chosen   *int           `json:"chosen"` // number in ways; null where nothing fits
		Waits    []wait         `json:"waits,omitempty"`
		Plan     *planjson.Plan `json:"plan,omitempty"`
	}{Schema: 1, Graph: r.Graph, Capacity: r.Capacity}
	for k := range r.ways {
		x := &r.ways[k]
		if x == r.chosen {
			out.Chosen = &k
		}
		one := way{Way: x.name, Order: x.order, Status: "open", Peak: x.peak, Bound: x.least, Proof: x.proof}
		if x.fits(r.Capacity) {
			one.Status = "fits"
		} else if x.answer == nil && x.least > r.Capacity || x.answer != nil && x.answer.None != nil {
			one.Status = "none"
		}
		if a := x.answer; a != nil {
			one.Bound, one.Proof, one.Columns, one.Rows, one.Cuts = a.Bound, string(model.ProofNone), a.Columns, a.Rows, a.Cuts
			if x.proven() {
				one.Proof = string(a.Certificate.Proof)
			} else if a.Word {
				one.Proof = string(model.ProofMIP)
			}
			if a.Fitted != nil {
				t := a.Fitted.Traffic
				one.Cost, one.Read, one.Written = &t.Cost, &t.Read, &t.Written
			}
			one.Alone = listed(x.alone)
			if a.None != nil {
				one.Proof = string(a.None.Certificate.Proof)
			}
		}
		out.Ways = append(out.Ways, one)
	}
	if r.chosen != nil {
		out.Plan = &r.plan
		if a := r.chosen.answer; a != nil {
			for _, t := range a.Fitted.Waits() {
				out.Waits = append(out.Waits, wait(t))
			}
		}
	}
	return out
}
