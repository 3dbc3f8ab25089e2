package tflite

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Header writes the choice as a C header for TFLM's
// NonPersistentMemoryPlannerShim: offsets of the tensors in the head by index,
// then of scratch in the order of the requests. Unlike a plan in the file it
// fixes scratch too, so it holds only for kernels that ask for just that. name
// is the model's, and becomes that of the constants.
func (a *Arena) Header(w io.Writer, c Choice, name string) error {
	out := bufio.NewWriter(w)
	id := identifier(name)
	var offsets []int64
	for i := range a.Apart.Buffers {
		if a.Apart.Buffers[i].Size > 0 {
			offsets = append(offsets, c.Whole.Offsets[i])
		}
	}
	fmt.Fprintf(out, "// Memory plan of %s, made by memplan.\n", strings.Map(printable, name))
	if len(a.Overlaps(c.Whole)) > 0 {
		fmt.Fprintf(out, "//\n// Outputs lie over inputs, which is right with the kernels %s alone: WITH OTHERS\n// THE ANSWERS ARE WRONG, without any error.\n", a.kernels)
	}
	fmt.Fprintf(out, "//\n// tflite::NonPersistentMemoryPlannerShim planner(\n//     reinterpret_cast<const tflite::BufferPlan*>(&%s_plan));\n", id)
	fmt.Fprintf(out, "//\n// The shim does not tell the interpreter how large the head is: the arena must\n// have %s_HEAD_BYTES beside what is allocated from its tail, and the file must\n// hold no plan of its own.\n", strings.ToUpper(id))
	fmt.Fprintf(out, "#ifndef %[1]s_PLAN_H_\n#define %[1]s_PLAN_H_\n\n#include <stdint.h>\n\n", strings.ToUpper(id))
	fmt.Fprintf(out, "#define %s_HEAD_BYTES %d\n\n", strings.ToUpper(id), a.Head(c.Whole))
	fmt.Fprintf(out, "static const struct {\n  int32_t buffer_count;\n  struct { int32_t offset; } buffer_plan_entries[%d];\n} %s_plan = {\n  %d,\n  {\n", max(len(offsets), 1), id, len(offsets))
	for _, off := range offsets {
		fmt.Fprintf(out, "    {%d},\n", off)
	}
	if len(offsets) == 0 {
		fmt.Fprintf(out, "    {0},\n")
	}
	fmt.Fprintf(out, "  },\n};\n\n#endif  // %s_PLAN_H_\n", strings.ToUpper(id))
	return out.Flush()
}

// identifier is name as an identifier of C.
func identifier(name string) string {
	id := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if id == "" || id[0] >= '0' && id[0] <= '9' {
		id = "model_" + id
	}
	return id
}

// printable drops what would end a comment's line.
func printable(r rune) rune {
	if r < ' ' || r == '\\' {
		return '_'
	}
	return r
}
