"""Branches that a component's constants decide are taken before a function is typed.

`if game.has_chance`, `if self.normalize`, `if tree.prior.size > 0`: whether a game has chance, a rule normalizes or a
tree keeps priors stands in the types of the arguments. Numba types and lowers both sides of such a branch, with all
the functions that they call, and LLVM throws one side away. To throw it away first saves a third of the time.
"""

import operator
from typing import Any

from numba.core import consts, ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.ir_utils import build_definitions

COMPARISONS = {
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.is_,
    operator.is_not,
    operator.not_,
}


class Known:
    """A value that is known before a function is typed."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Several:
    """What is known of each entry of a tuple: `first, second, third, fourth = ...` makes one, and takes it apart."""

    def __init__(self, types: "list[Knowledge]") -> None:
        self.types = types


#: A known value, the type of an argument or of a part of it, or None for what will be known when the code runs.
Knowledge = Any


class Knowing:
    """What the types of its arguments tell about the variables of a function."""

    def __init__(self, function: Any, arguments: tuple[types.Type, ...]) -> None:
        self.definitions = function._definitions
        self.arguments = arguments
        self.found: dict[str, Knowledge] = {}

    def of(self, name: str) -> Knowledge:
        """What is known of a variable, if it is assigned in one place."""
        if name not in self.found:
            self.found[name] = None  # for a variable that depends on itself
            definitions = self.definitions.get(name, ())
            if len(definitions) == 1:
                self.found[name] = self.of_node(definitions[0])
        return self.found[name]

    def of_node(self, node: Any) -> Knowledge:
        """What is known of the right-hand side of an assignment."""
        if isinstance(node, ir.Var):
            return self.of(node.name)
        if isinstance(node, ir.Arg):
            return self.arguments[node.index]
        if isinstance(node, ir.Const | ir.Global | ir.FreeVar):
            return Known(node.value)
        return self.of_expression(node) if isinstance(node, ir.Expr) else None

    def of_expression(self, node: ir.Expr) -> Knowledge:
        """What is known of an expression."""
        if node.op == "getattr":
            return attribute(self.of(node.value.name), node.attr)
        if node.op in ("exhaust_iter", "cast"):
            return self.of(node.value.name)
        if node.op == "static_getitem":
            return part(self.of(node.value.name), node.index)
        if node.op == "build_tuple":
            return Several([self.of(item.name) for item in node.items])
        if node.op == "binop":
            return computed(node.fn, self.of(node.lhs.name), self.of(node.rhs.name))
        if node.op == "unary":
            return computed(node.fn, self.of(node.value.name))
        if node.op == "call" and len(node.args) == 1 and not node.kws:
            function, argument = self.of(node.func.name), self.of(node.args[0].name)
            if isinstance(function, Known) and function.value is bool and isinstance(argument, Known):
                return Known(bool(argument.value))
        return None


def part(whole: Knowledge, index: Any) -> Knowledge:
    """What is known of an entry of a tuple."""
    is_tuple = isinstance(whole, Several | types.BaseTuple) and isinstance(index, int)
    return whole.types[index] if is_tuple else None  # pyright: ignore[reportAttributeAccessIssue]


def attribute(owner: Knowledge, name: str) -> Knowledge:
    """What is known of an attribute of something."""
    if isinstance(owner, types.BaseNamedTuple):
        fields: tuple[str, ...] = owner.fields  # pyright: ignore[reportAttributeAccessIssue]
        return part(owner, fields.index(name)) if name in fields else None
    # Types of this package tell themselves.
    known = getattr(owner, "known_attribute", None)
    return known(name) if known is not None else None


def computed(operation: Any, *operands: Knowledge) -> Knowledge:
    """The outcome of a comparison, if all that is compared is known."""
    values = [operand.value for operand in operands if isinstance(operand, Known)]
    is_plain = all(isinstance(value, bool | int | float | str | None) for value in values)
    if operation not in COMPARISONS or len(values) < len(operands) or not is_plain:
        return None
    return Known(operation(*values))


def take_decided_branches(function: Any, arguments: tuple[types.Type, ...]) -> None:
    """Replace branches whose conditions are known by jumps, and drop what nobody reaches."""
    knowing = Knowing(function, arguments)
    found = False
    for block in function.blocks.values():
        branch = block.body[-1]
        if isinstance(branch, ir.Branch):
            condition = knowing.of(branch.cond.name)
            if isinstance(condition, Known):
                block.body[-1] = ir.Jump(branch.truebr if condition.value else branch.falsebr, branch.loc)
                found = True
    if found:
        for label in compute_cfg_from_blocks(function.blocks).dead_nodes():
            del function.blocks[label]
        drop_unused(function, knowing)
        function._definitions = build_definitions(function.blocks)
        function._consts = consts.ConstantInference(function)


def drop_unused(function: Any, knowing: Knowing) -> None:
    """Drop assignments of known values that nobody reads any more."""
    while True:
        read = {
            variable.name
            for block in function.blocks.values()
            for statement in block.body
            for variable in statement.list_vars()
            if not (isinstance(statement, ir.Assign) and variable is statement.target)
        }
        dropped = 0
        for block in function.blocks.values():
            kept = [
                statement
                for statement in block.body
                if not isinstance(statement, ir.Assign)
                or statement.target.name in read
                or knowing.of(statement.target.name) is None
            ]
            dropped += len(block.body) - len(kept)
            block.body[:] = kept
        if dropped == 0:
            return
