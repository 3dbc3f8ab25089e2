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
		err := verify.Certificate(in, c)
		switch {
		case errors.Is(err, verify.ErrWord):
			return fail(exitLimit, "%s: %w", path, err)
		case err != nil:
			return fail(exitNo, "%s does not hold: %w", path, err)
		}
		if err := meets(path, "no peak is below", c.Bound, "the plan's peak is", plans[k].Peak(in), optimal); err != nil {
			return err
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
	if err != nil {
		return fail(exitNo, "%s does not hold: %w", path, err)
	}
	return meets(path, "nothing costs less than", c.Bound, "the graph costs", cost, optimal)
}

// meets is an error where a bound that holds is above what was found or, with
// optimal, below it: says and is go before the two.
func meets(path, says string, bound int64, is string, found int64, optimal bool) error {
	switch {
	case bound > found:
		return fail(exitNo, "%s says that %s %d, and %s %d", path, says, bound, is, found)
	case optimal && bound < found:
		return fail(exitLimit, "%s proves a bound of %d; %s %d", path, bound, is, found)
	}
	return nil
}
