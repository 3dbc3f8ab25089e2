//go:build !static && (linux || darwin || windows) && (amd64 || arm64)

package highs

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A layout is how a system names shared libraries, and where the Python package
// highsbox keeps this one, below the folder that packages are installed into.
type layout struct{ file, box string }

var layouts = map[string]layout{
	"linux":   {"libhighs.so", "highsbox/highs_dist/lib"},
	"darwin":  {"libhighs.dylib", "highsbox/highs_dist/lib"},
	"windows": {"highs.dll", "highsbox/highs_dist/bin"},
}

// places lists where HiGHS may be, the likeliest first: where the variable says,
// and nowhere else; beside the program, where a release has it; in ../lib; in
// the clone that the program is in or was built from; among the Python packages
// installed with the program, and those of the active environment; last, under
// its bare name, wherever the system looks for libraries.
func places() []string {
	at := layouts[runtime.GOOS]
	if told := os.Getenv(Variable); told != "" {
		if info, err := os.Stat(told); err == nil && info.IsDir() {
			told = filepath.Join(told, at.file)
		}
		return []string{told}
	}
	var list []string
	if program, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		bin := filepath.Dir(program)
		root := filepath.Dir(bin)
		list = append(list, filepath.Join(bin, at.file), filepath.Join(root, "lib", at.file), at.clone(root))
		list = append(list, at.packages(root)...)
	}
	if root := sources(); root != "" {
		list = append(list, at.clone(root))
	}
	if env := os.Getenv("VIRTUAL_ENV"); env != "" {
		list = append(list, at.packages(env)...)
	}
	return append(list, at.file)
}

// sources is the clone that the program was built from, "" where it does not
// know: -trimpath takes that out. A test still runs in its package's folder.
func sources() string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return filepath.Dir(filepath.Dir(filepath.Dir(file)))
	}
	program, _ := os.Executable()
	folder, err := os.Getwd()
	if err != nil || !strings.HasSuffix(strings.TrimSuffix(program, ".exe"), ".test") {
		return ""
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
	}
	return ""
}

// clone is where a clone of this repository keeps it.
func (at layout) clone(root string) string {
	return filepath.Join(root, ".deps", "highs", at.box, at.file)
}

// packages lists where the Python packages below root have it: those of an
// environment, a system's, and those installed into one folder.
func (at layout) packages(root string) (list []string) {
	for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "Lib/site-packages", "."} {
		found, _ := filepath.Glob(filepath.Join(root, pattern, at.box, at.file)) // the pattern is well formed
		list = append(list, found...)
	}
	if len(list) == 0 {
		list = []string{filepath.Join(root, "lib", "python3*", "site-packages", at.box, at.file)} // to be named
	}
	return list
}
