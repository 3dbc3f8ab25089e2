package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport says which packages of the project each of its top folders may
// import, besides those below itself. A package below a folder may do what the
// folder may.
var mayImport = map[string][]string{
	"model":      {},
	"heuristics": {"model", "model/reduce"},
	"ilp":        {"model", "model/reduce"},
	"search":     {"model", "model/reduce"},
	"corpus":     {"model", "model/reduce"},
	"verify":     {"model"},
	"internal":   {"model"}, // for tests alone: no other folder may import it
	"results":    {"model", "model/json", "heuristics", "ilp", "ilp/highs", "search", "search/canonical", "search/learning", "search/anytime", "verify", "corpus"},
}

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
	top, _, _ := strings.Cut(f.folder, "/")
	for _, spec := range f.syntax.Imports {
		name := strings.Trim(spec.Path.Value, `"`)
		if name == "C" && f.folder != "ilp/highs" {
			faults = append(faults, "C is for ilp/highs alone")
		}
		ours, found := strings.CutPrefix(name, "memplan/")
		if !found || top == "cmd" {
			continue
		}
		inside := ours == top || strings.HasPrefix(ours, top+"/")
		if f.folder == "model" || !inside && !slices.Contains(mayImport[top], ours) {
			faults = append(faults, "may not import "+ours)
		}
	}
	if top != "cmd" {
		faults = append(faults, prints(f.syntax)...)
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
	folders := make(map[string]bool)
	for name, f := range sources(t, "../..") {
		top, _, _ := strings.Cut(f.folder, "/")
		folders[top] = true
		for _, fault := range forbidden(f) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	for top := range folders {
		if _, ruled := mayImport[top]; !ruled && top != "cmd" {
			t.Errorf("%s: a folder without a rule", top)
		}
	}
	if !folders["model"] || !folders["verify"] {
		t.Errorf("looked at %v only", folders)
	}
}

// The rule objects to what it is there to forbid.
func TestImportRuleObjects(t *testing.T) {
	for _, c := range []struct{ folder, source string }{
		{"model", `import "memplan/model/csv"`},
		{"model/csv", `import "memplan/verify"`},
		{"verify", `import "memplan/search"`},
		{"verify", `import "memplan/model/reduce"`},
		{"heuristics", `import "memplan/verify"`},
		{"search/learning", `import "memplan/ilp"`},
		{"results", `import "memplan/cmd/memplan"`},
		{"search", `import "memplan/internal/oracle"`},
		{"search", `import "C"`},
		{"results", "import \"fmt\"\nfunc f() { fmt.Println() }"},
		{"ilp", "import \"os\"\nvar w = os.Stderr"},
	} {
		syntax, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+c.source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(forbidden(file{c.folder, syntax})) != 1 {
			t.Errorf("%s: %q is allowed", c.folder, c.source)
		}
	}
}
