package main

import (
	"errors"
	"os"

	"memplan/model"
	"memplan/model/json"
	"memplan/verify"
	"memplan/verify/traffic"
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

// A fitting is a graph, with the graph before it was fitted; nil: there is none.
type fitting struct{ before, src *source }

// verifyCertificates checks the certificates of a file, one for each arena, and
// that no plan is better than they allow; or the one that says what is moved at
// least. With optimal, they must prove that the plans, or what is moved, are the
// best.
func (e *env) verifyCertificates(path string, of fitting, plans []model.Plan, optimal bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	file, err := json.ReadCertificates(f, path)
	if err != nil {
		return err
	}
	if len(file.List) == 1 && file.List[0].Proof == model.ProofTraffic {
		return of.verifyTraffic(path, file.List[0].Certificate, optimal)
	}
	arenas := of.src.task.Arenas
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

// verifyTraffic checks a certificate of what is moved at least.
func (of fitting) verifyTraffic(path string, c *model.Certificate, optimal bool) error {
	if of.before == nil {
		return fail(exitUsage, "%s is about what is moved: --of names the graph that was fitted", path)
	}
	cost, err := traffic.Check(of.before.graph.Graph, of.before.how, of.src.graph, c)
	switch {
	case err != nil:
		return fail(exitNo, "%s does not hold: %w", path, err)
	case c.Bound > cost:
		return fail(exitNo, "%s says that nothing costs less than %d, and the graph costs %d", path, c.Bound, cost)
	case optimal && c.Bound < cost:
		return fail(exitLimit, "%s proves a bound of %d; the graph costs %d", path, c.Bound, cost)
	}
	return nil
}
