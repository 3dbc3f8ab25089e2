package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree is which packages of the project each package imports, all of them and
// no others. cmd/memplan may import all but what is internal, which is for tests.
const tree = `
model:
model/schedule: model
model/graph: model model/schedule
model/reduce: model
model/csv: model
model/json: model model/graph
model/tflite: model model/graph model/internal/flat model/tflite/kernels
model/tflite/kernels: model
model/hlo: model model/internal/wire
model/iree: model
model/onnx: model/graph model/internal/wire
model/pte: model model/graph model/internal/flat
model/trace: model
model/internal/flat:
model/internal/wire:
model/internal/build:
heuristics: model
ilp: model model/graph model/reduce
ilp/highs: ilp
spill: ilp model model/graph model/schedule
search: model search/anytime
search/anytime: model search/canonical search/learning search/tiling
search/canonical: model
search/learning: model model/reduce
search/pairs: model
search/replan: model
search/tiling: model
verify: model
verify/copies: model/graph
verify/traffic: model model/graph model/schedule verify
corpus: model model/graph
corpus/adversary: model
internal/access: model/tflite/kernels
internal/oracle: model
internal/shared:
internal/chase: model
internal/smallest: model
results: corpus heuristics ilp ilp/highs model model/graph model/json results/command search search/anytime search/learning search/pairs search/replan spill verify verify/traffic
results/command: model model/csv verify
results/picture: model results
results/report: model results results/picture
`

var imports = func() map[string][]string {
	of := make(map[string][]string)
	for line := range strings.Lines(strings.TrimSpace(tree)) {
		folder, list, _ := strings.Cut(line, ":")
		of[folder] = strings.Fields(list)
	}
	return of
}()

// A file is a source file of the project, not a test.
type file struct {
	folder string // "" is none
	syntax *ast.File
}

func sources(t *testing.T, root string) map[string]file {
	t.Helper()
	files := make(map[string]file)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin" || d.Name() == "out") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		files[rel] = file{path.Dir(rel), syntax}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// forbidden lists what the file at a path does that its place does not allow.
func forbidden(f file) (faults []string) {
	for _, spec := range f.syntax.Imports {
		name := strings.Trim(spec.Path.Value, `"`)
		ours, found := strings.CutPrefix(name, "memplan/")
		switch {
		case name == "C":
			faults = append(faults, "there is no C here")
		case !found || f.folder == "cmd/memplan" && !strings.HasPrefix(ours, "internal/"):
		case !slices.Contains(imports[f.folder], ours):
			faults = append(faults, "may not import "+ours)
		}
	}
	if f.folder != "cmd/memplan" {
		faults = append(faults, prints(f.syntax)...)
	}
	return faults
}

// unused lists what the tree allows a package and none of its files imports.
func unused(folder string, files []file) (faults []string) {
	seen := make(map[string]bool)
	for _, f := range files {
		for _, spec := range f.syntax.Imports {
			seen[strings.Trim(spec.Path.Value, `"`)] = true
		}
	}
	for _, ours := range imports[folder] {
		if !seen["memplan/"+ours] {
			faults = append(faults, "does not import "+ours)
		}
	}
	return faults
}

// prints lists where a file prints by itself.
func prints(syntax *ast.File) (faults []string) {
	ast.Inspect(syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		name := pkg.Name + "." + sel.Sel.Name
		if slices.Contains([]string{"fmt.Print", "fmt.Println", "fmt.Printf", "os.Stdout", "os.Stderr"}, name) || pkg.Name == "log" {
			faults = append(faults, "only cmd prints: "+name)
		}
		return true
	})
	return faults
}

func TestImportRule(t *testing.T) {
	folders := make(map[string][]file)
	for name, f := range sources(t, "../..") {
		folders[f.folder] = append(folders[f.folder], f)
		for _, fault := range forbidden(f) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	for folder, files := range folders {
		if _, ruled := imports[folder]; !ruled && folder != "cmd/memplan" {
			t.Errorf("%s: a folder without a rule", folder)
		}
		for _, fault := range unused(folder, files) {
			t.Errorf("%s: %s", folder, fault)
		}
	}
	for folder := range imports {
		if folders[folder] == nil {
			t.Errorf("%s: a rule without a folder", folder)
		}
	}
}

func parsed(t *testing.T, folder, source string) file {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file{folder, syntax}
}

// The rule objects to what it is there to forbid.
func TestImportRuleObjects(t *testing.T) {
	for _, c := range []struct{ folder, source string }{
		{"model", `import "memplan/model/csv"`},
		{"model/schedule", `import "memplan/model/graph"`},
		{"model/csv", `import "memplan/verify"`},
		{"verify", `import "memplan/search"`},
		{"verify", `import "memplan/model/reduce"`},
		{"verify", `import "memplan/model/graph"`},
		{"heuristics", `import "memplan/verify"`},
		{"search/learning", `import "memplan/ilp"`},
		{"search/learning", `import "memplan/search"`},
		{"results", `import "memplan/cmd/memplan"`},
		{"search", `import "memplan/internal/oracle"`},
		{"cmd/memplan", `import "memplan/internal/oracle"`},
		{"ilp/highs", `import "C"`},
		{"results", "import \"fmt\"\nfunc f() { fmt.Println() }"},
		{"ilp", "import \"os\"\nvar w = os.Stderr"},
	} {
		if len(forbidden(parsed(t, c.folder, c.source))) != 1 {
			t.Errorf("%s: %q is allowed", c.folder, c.source)
		}
	}
	if faults := unused("verify", []file{parsed(t, "verify", `import "fmt"`)}); len(faults) != 1 {
		t.Errorf("verify without model: %q", faults)
	}
}

// What make fetches is no part of the tree, nor a link to where it is.
func TestImportedPackagesAreNotInTheTree(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "ls-files", ".deps", "bin", "dist", "out").Output()
	if err == nil && len(out) > 0 {
		t.Errorf("in the tree: %s", out)
	}
}
