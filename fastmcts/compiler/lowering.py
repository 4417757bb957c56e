"""From Numba's instructions to LLVM's, without what kernels do not need.

Numba gives every variable that is used in several blocks a place in memory, fills it with zeros where the variable is
no longer needed, and looks at the old value before it stores a new one, since arrays might have to be freed. Kernels
free nothing, and a variable that is assigned in one place is just a value.
"""

from collections import Counter
from typing import Any

from numba.core import ir
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from fastmcts.compiler.flat_array import FlatArray


class KernelLower(Lower):
    """Generates LLVM's instructions for a function."""

    def _find_singly_assigned_variable(self) -> None:
        """Let variables that are assigned in one place be values: what reads them comes after, in every block."""
        assigned = Counter(
            assignment.target.name for block in self.blocks.values() for assignment in block.find_insts(ir.Assign)
        )
        self._singly_assigned_vars = {name for name, times in assigned.items() if times == 1}
        self._blk_local_varmap = {}

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Assign a value to a variable."""
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Generate code for an expression."""
        if expr.op in ("pair_first", "pair_second"):
            return self.builder.extract_value(self.loadvar(expr.value.name), int(expr.op == "pair_second"))
        if expr.op == "static_getitem" and self.is_flat(expr.value):
            return self.lower_getitem(resty, expr, expr.value, expr.index_var, self.fndesc.calltypes[expr])
        return super().lower_expr(resty, expr)

    def lower_inst(self, inst: Any) -> None:
        """Generate code for a statement."""
        if isinstance(inst, ir.StaticSetItem) and self.is_flat(inst.target):
            self.lower_setitem(inst.target, inst.index_var, inst.value, self.fndesc.calltypes[inst])
        else:
            super().lower_inst(inst)

    def is_flat(self, variable: Any) -> bool:
        """Whether a variable is a flat array: a constant index is for it as any other."""
        return isinstance(self.typeof(variable.name), FlatArray)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Generate code for an operator; Numba would first look for variants with constant operands, in vain."""
        signature = self.fndesc.calltypes[expr]
        operands = [
            self.context.cast(self.builder, self.loadvar(operand.name), self.typeof(operand.name), expected)
            for operand, expected in zip((expr.lhs, expr.rhs), signature.args, strict=True)
        ]
        function = self.context.typing_context.resolve_value_type(op)
        chosen = function.get_call_type(self.context.typing_context, signature.args, {})
        result = self.context.get_function(function, chosen)(self.builder, operands)
        return self.context.cast(self.builder, result, signature.return_type, resty)


class KernelLowering(NativeLowering):
    """Numba's pass that generates code."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """The class that does it."""
        return KernelLower
