//go:build !static && windows && (amd64 || arm64)

package highs

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// load maps a library: by its path, with those that it needs from beside it, or
// by a name that the system finds, which is never looked for in the working folder.
func load(path string) (uintptr, error) {
	var flags uintptr = windows.LOAD_LIBRARY_SEARCH_DEFAULT_DIRS
	if filepath.IsAbs(path) {
		flags |= windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
	}
	h, err := windows.LoadLibraryEx(path, 0, flags)
	return uintptr(h), err
}

func symbol(library uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(library), name)
}
