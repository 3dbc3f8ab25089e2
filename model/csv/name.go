package csv

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Name takes an instance's name and capacity from a file's name: A and 1048576
// from path/A.1048576.csv, input and 0 (none) from input.csv.
func Name(file string) (name string, capacity int64) {
	name = filepath.Base(file)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".csv") {
		name = strings.TrimSuffix(name, ext)
	}
	ext := filepath.Ext(name)
	if ext == name || ext == "" {
		return name, 0
	}
	capacity, err := strconv.ParseInt(ext[1:], 10, 64)
	if err != nil || capacity < 0 || ext[1] == '+' {
		return name, 0
	}
	return strings.TrimSuffix(name, ext), capacity
}
