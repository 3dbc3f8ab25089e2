package main

import (
	"bytes"
	"fmt"

	"memplan/model"
	"memplan/model/csv"
	"memplan/model/json"
	"memplan/results"
)

func (s *source) readPlan(e *env, file string) ([]model.Plan, error) {
	data, err := e.read(file)
	if err != nil {
		return nil, err
	}
	read := csv.ReadPlan
	if kindOf(file, data) == kindJSON {
		read = json.ReadPlan
	}
	p, err := read(bytes.NewReader(data), file, s.task.Arenas[0])
	return []model.Plan{p}, err
}

func (e *env) writeCertificate(src *source, out results.Outcome, path string) error {
	return nil
}

func (s *source) verifyCertificate(path string, data []byte, plans []model.Plan) error {
	return fmt.Errorf("certificates cannot be read yet")
}
