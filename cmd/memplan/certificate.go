package main

import (
	"fmt"

	"memplan/model"
	"memplan/results"
)

func (e *env) writeCertificate(src *source, out results.Outcome, path string) error {
	return nil
}

func (s *source) verifyCertificate(path string, data []byte, plans []model.Plan) error {
	return fmt.Errorf("certificates cannot be read yet")
}
