"""Models of other packages as memplan's graphs. The packages are needed only here, when their models are."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._buffers import Graph
from ._errors import InputError


def from_onnx(model: Any, *, dims: Optional[Mapping[str, int]] = None, shapes: Optional[Mapping[str, Sequence[int]]] = None,
              name: Optional[str] = None) -> Graph:
    """A model of the package onnx, or the path of its file. Sizes that it does not say are inferred by onnx itself.

    dims: sizes of the dimensions that have names, such as {"batch": 1}; shapes: those of inputs, {"x": [1, 3, 224, 224]}.
    The model given is not changed.
    """
    import onnx

    if isinstance(model, (str, os.PathLike)):
        name = name or pathlib.Path(model).stem
        model = onnx.load(os.fspath(model), load_external_data=False)
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    for value in (*whole.graph.input, *whole.graph.output, *whole.graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dims is not None and dim.dim_param in dims:
                dim.dim_value = dims[dim.dim_param]
    for value in whole.graph.input:
        for dim, size in zip(value.type.tensor_type.shape.dim, (shapes or {}).get(value.name, [])):
            dim.dim_value = size
    whole = onnx.shape_inference.infer_shapes(whole, data_prop=True)
    for weight in whole.graph.initializer:  # sizes are all that planning needs
        if len(weight.raw_data) > 1024:
            weight.ClearField("raw_data")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / f"{name or whole.graph.name.replace('/', '_') or 'model'}.onnx"
        file.write_bytes(whole.SerializeToString())
        from . import _run
        spec = json.loads(_run(["corpus", str(file), "--format", "json"]).out)
    return Graph(spec, name=file.stem)


def from_torch(program: Any, *, name: str = "program") -> Graph:
    """A program of torch.export, as it stands: its operators in their order, one tensor a value.

    What is a view of another value, or written in place, shares its bytes, as the operators' schemas say. Parameters and
    constants are weights, buffers that the program changes are variables. Sizes must be known: export with static shapes.
    """
    import torch

    signature = program.graph_signature
    weights = {*signature.inputs_to_parameters, *getattr(signature, "inputs_to_lifted_tensor_constants", {})}
    changed = set(signature.buffers_to_mutate.values())
    tensors: List[Dict[str, Any]] = []
    ops: List[Dict[str, Any]] = []
    inputs: List[str] = []
    outputs: List[str] = []
    values: Dict[Any, List[Optional[str]]] = {}  # of each node: the tensors that it gives
    of: Dict[str, Dict[str, Any]] = {}  # tensors by id

    def tensor(id: str, value: Any, **more: Any) -> str:
        count = 1
        for size in value.shape:
            if not isinstance(size, int):
                raise InputError(f"{id}: the size {size} is not known; export the program with static shapes")
            count *= size
        of[id] = {"id": id, "bytes": count * value.element_size(), **more}
        tensors.append(of[id])
        return id

    def read(arg: Any) -> List[str]:
        if isinstance(arg, torch.fx.Node):
            return [t for t in values.get(arg, []) if t is not None]
        if isinstance(arg, (list, tuple)):
            return [t for a in arg for t in read(a)]
        return [t for a in arg.values() for t in read(a)] if isinstance(arg, dict) else []

    for node in program.graph_module.graph.nodes:
        value = node.meta.get("val")
        if node.op == "placeholder":
            if not isinstance(value, torch.Tensor):
                continue
            held = signature.inputs_to_buffers.get(node.name)
            kind = "activation"
            if node.name in weights or held is not None:
                kind = "variable" if held in changed else "weight"
            values[node] = [tensor(node.name, value, kind=kind)]
            if kind == "activation":
                inputs.append(node.name)
        elif node.op == "output":
            outputs = list(dict.fromkeys(read(node.args)))
        elif node.op == "call_function" and getattr(node.target, "__name__", "") == "getitem":
            values[node] = [values[node.args[0]][node.args[1]]]
        elif node.op == "call_function":
            results = list(value) if isinstance(value, (list, tuple)) else [value]
            shared = _shared(node)
            values[node] = []
            for k, result in enumerate(results):
                if not isinstance(result, torch.Tensor):
                    values[node].append(None)
                    continue
                source = read(shared[k]) if k in shared else []
                id = node.name if len(results) == 1 else f"{node.name}.{k}"
                values[node].append(tensor(id, result))
                if source:  # it spans what it is a view of
                    of[id].update(alias_of=source[0], bytes=of[source[0]]["bytes"])
            read_here = list(dict.fromkeys(read([node.args, node.kwargs])))
            made = [t for t in values[node] if t is not None]
            if made or read_here:
                ops.append({"id": node.name, "inputs": read_here, "outputs": made})
        else:
            raise InputError(f"{node.name}: an operator of kind {node.op} is not known here")
    return Graph({"schema": 1, "name": name, "tensors": tensors, "ops": ops, "inputs": inputs,
                  "outputs": [t for t in outputs if of[t].get("kind") != "weight"]}, name=name)


def _shared(node: Any) -> Dict[int, Any]:
    """Which results share an argument's bytes, by the operator's schema: views, and what is written in place."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return {}
    by_set: Dict[str, Any] = {}
    for k, argument in enumerate(schema.arguments):
        if argument.alias_info is not None:
            given = node.args[k] if k < len(node.args) else node.kwargs.get(argument.name)
            for group in argument.alias_info.before_set:
                by_set[group] = given
    shared: Dict[int, Any] = {}
    for k, result in enumerate(schema.returns):
        if result.alias_info is not None:
            for group in result.alias_info.before_set:
                if group in by_set:
                    shared[k] = by_set[group]
    if len(schema.returns) == 1 and 0 in shared and isinstance(node.meta.get("val"), (list, tuple)):
        shared = {k: shared[0] for k in range(len(node.meta["val"]))}  # split, chunk: a list of views
    return shared
