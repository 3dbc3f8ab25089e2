package main

import (
	"errors"
	"os"

	"memplan/model"
	"memplan/model/json"
	"memplan/verify"
)

// writeCertificates writes why no plan of each arena has a peak below its bound.
func (e *env) writeCertificates(arenas []*model.Instance, res []model.Result, path string) error {
	for k, in := range arenas {
		if res[k].Certificate == nil {
			return fail(exitLimit, "%s: no bound was proven", in.Name)
		}
	}
	return e.write(path, certificates(arenas, res).Write)
}

// certificates are those of arenas that all have one.
func certificates(arenas []*model.Instance, res []model.Result) *json.Certificates {
	file := &json.Certificates{Schema: 1}
	for k, in := range arenas {
		file.List = append(file.List, json.Certificate{Instance: in.Name, Certificate: res[k].Certificate})
	}
	return file
}

// verifyCertificates checks the certificates of a file, one for each arena, and
// that no plan is better than they allow. With optimal, they must prove that the
// plans are the best.
func (e *env) verifyCertificates(path string, arenas []*model.Instance, plans []model.Plan, optimal bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	file, err := json.ReadCertificates(f, path)
	if err != nil {
		return err
	}
	if len(file.List) != len(arenas) {
		return fail(exitUsage, "%s: %d certificates for %d arenas", path, len(file.List), len(arenas))
	}
	for k, in := range arenas {
		c := file.List[k].Certificate
		peak := plans[k].Peak(in)
		err := verify.Certificate(in, c)
		switch {
		case errors.Is(err, verify.ErrWord):
			return fail(exitLimit, "%s: %w", path, err)
		case err != nil:
			return fail(exitNo, "%s does not hold: %w", path, err)
		case c.Bound > peak:
			return fail(exitNo, "%s says that no peak is below %d, and the plan's is %d", path, c.Bound, peak)
		case optimal && c.Bound < peak:
			return fail(exitLimit, "%s proves a bound of %d; the plan's peak is %d", path, c.Bound, peak)
		}
	}
	return nil
}
