package main

import (
	"encoding/json"
	"fmt"
	"io"

	"memplan/model"
)

// A stat is what is known of one arena without planning it.
type stat struct {
	Instance  string `json:"instance"`
	Buffers   int    `json:"buffers"`
	Load      int64  `json:"load"`
	Step      int64  `json:"step"` // the first at which the load is reached
	Sum       *int64 `json:"sum"`  // bytes without reuse; null where they leave int64
	Conflicts int64  `json:"conflicts"`
	Sections  int    `json:"sections"`
	Largest   int64  `json:"largest"`
	Sizes     int    `json:"sizes"` // distinct ones
	MostLive  int    `json:"most_live"`
	Capacity  int64  `json:"capacity"`
	Pinned    int    `json:"pinned,omitempty"` // buffers that are pinned
	First     int64  `json:"first_step"`
	End       int64  `json:"end_step"`
}

func statOf(in *model.Instance) stat {
	h := in.Hardness()
	s := stat{Instance: in.Name, Buffers: h.Buffers, Load: h.Load, Conflicts: h.Conflicts, Sections: h.Sections,
		Largest: h.Largest, Sizes: h.Sizes, MostLive: h.MostLive, Capacity: in.Capacity, Pinned: in.Pinned()}
	s.Step, _ = in.LoadStep()
	if sum, ok := in.Sum(); ok {
		s.Sum = &sum
	}
	for i := range in.Buffers {
		b := &in.Buffers[i]
		if i == 0 {
			s.First, s.End = b.Life.Start, b.Life.End
		}
		s.First, s.End = min(s.First, b.Life.Start), max(s.End, b.Life.End)
	}
	return s
}

func statVerb(e *env, args []string) error {
	var o lowerFlags
	f := e.flags()
	format := f.String("format", "text", "text or json")
	among(f, "format", "text", "json")
	o.add(f)
	files, err := e.parse(f, args, 1, 1)
	if err != nil {
		return err
	}
	if *format != "text" && *format != "json" {
		return fail(exitUsage, "format %q: want text or json", *format)
	}
	src, err := e.load(files[0], o)
	if err != nil {
		return err
	}
	return e.write("", func(w io.Writer) error {
		for k := range src.task.Arenas {
			in := src.task.Tensors(k)
			if *format == "json" {
				if err := json.NewEncoder(w).Encode(statOf(in)); err != nil {
					return err
				}
				continue
			}
			if k > 0 {
				fmt.Fprintln(w)
			}
			statOf(in).text(w, in)
		}
		if *format == "text" {
			src.together(w)
			src.notes(w)
		}
		return nil
	})
}

// together adds up several memory spaces, and says where what is known of one is
// from.
func (s *source) together(w io.Writer) {
	if pins := s.pins(); pins != "" {
		fmt.Fprintf(w, "%-10s  %s\n", "pinned", pins)
	}
	if s.byName {
		fmt.Fprintf(w, "%-10s  %s; --capacity 0 plans without\n", "capacity", s.capacity(s.task.Arenas[0]))
	}
	if len(s.task.Arenas) < 2 {
		return
	}
	buffers, load := 0, int64(0)
	for k := range s.task.Arenas {
		in := s.task.Tensors(k)
		buffers += len(in.Buffers)
		load = model.SaturatingAdd(load, in.Load())
	}
	fmt.Fprintf(w, "\n%-10s  %d memory spaces, %d buffers\n", "together", len(s.task.Arenas), buffers)
	if sum, fits := s.total(); fits {
		fmt.Fprintf(w, "%-10s  %s without reuse\n", "sum", sized(sum))
	}
	fmt.Fprintf(w, "%-10s  %s, each at its own step\n", "load", sized(load))
}

func (s stat) text(w io.Writer, in *model.Instance) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s  %s\n", name, fmt.Sprintf(format, args...))
	}
	line("instance", "%s", s.Instance)
	line("buffers", "%d, of %d sizes, %d live at once", s.Buffers, s.Sizes, s.MostLive)
	line("steps", "[%d,%d), %d sections", s.First, s.End, s.Sections)
	line("conflicts", "%d", s.Conflicts)
	if s.Sum == nil {
		line("sum", "overflow: more than %d bytes", int64(model.MaxBytes))
	} else {
		line("sum", "%s without reuse", sized(*s.Sum))
	}
	line("equal", "%d buffers as large as the largest: %s; %d at once: %s", s.Buffers, product(s.Buffers, s.Largest), s.MostLive, product(s.MostLive, s.Largest))
	line("load", "%s at step %d", sized(s.Load), s.Step)
	if s.Capacity > 0 {
		line("capacity", "%s", sized(s.Capacity))
	}
	for k, i := range liveAt(in, s.Step) {
		if k == 10 {
			line("", "and %d more", s.MostLive-k)
			break
		}
		b := &in.Buffers[i]
		line("", "%12d  %s %v", b.Size, b.ID, b.Life)
	}
}

// product is n buffers of that many bytes.
func product(n int, bytes int64) string {
	if all, ok := model.Mul(int64(n), bytes); ok {
		return sized(all)
	}
	return "overflow"
}
