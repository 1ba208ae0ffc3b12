"""The door to numba: a typed decorator, rules as compile-time constants, and a safe cache.

The rules of a game are a type of their own, so numba compiles each kernel once a game and folds
every rule into a constant. Compiled kernels are kept in a folder named by a digest of all kernel
sources: an edit in any of them compiles anew, where numba's own cache would only notice an edit in
the kernel's own file.
"""

import hashlib
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from numba.core import config, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from solitaire_env.engine.inlining import InlinedCompiler
from solitaire_env.engine.lowered import LoweredRules

P = ParamSpec("P")
R = TypeVar("R")

JIT: bool = not getattr(config, "DISABLE_JIT")  # noqa: B009 - set while numba is imported

whole = cast("Callable[[Any], int]", np.int64)
"""Read an unsigned byte as a signed number, so that a difference can be negative."""


_SOURCES = ("engine/*.py", "solver/*.py", "render/blitting.py", "cards.py", "rulesheet.py")


def _digest_sources() -> str:
    """Digest the sources that kernels are compiled from, and what these import."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for pattern in _SOURCES:
        for path in sorted(package.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


KERNEL_DIGEST = _digest_sources()
"""Taken at import, with the kernels: later edits are not what this process compiles."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function for other kernels to call.

    Kernels see games as records, which are bare pointers; `_nrt=False` leaves out the counting of
    references to the arrays inside them. A kernel must not allocate or return an array.
    """
    if not JIT:
        return function
    return _njit(
        function,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        forceinline=True,
        pipeline_class=InlinedCompiler,
    )


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that Python calls, through `specialise`."""
    return _njit(function)


def _njit(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    """Compile a function that holds neither the GIL nor references."""
    njit: Any = numba.njit
    return cast("Callable[P, R]", njit(nogil=True, _nrt=False, **options)(function))


def wrapping_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function whose unsigned arithmetic is meant to wrap around, as generators do."""
    if JIT:
        return kernel(function)
    return np.errstate(over="ignore")(function)


def specialise(function: Callable[P, R], *arguments: Any) -> Callable[P, R]:
    """Compile a kernel for arguments of these types, or fetch it from the cache on disk.

    Calling what comes back skips numba's dispatch, which costs more than a step of one game.

    Args:
        function: made by `entry`.
        arguments: rules first; the rest only for their types.
    """
    if not JIT:
        return function
    dispatcher: Any = function
    _cache_on_disk(dispatcher)
    return cast("Callable[P, R]", dispatcher.compile(tuple(map(numba.typeof, arguments))))


def _cache_on_disk(dispatcher: Any) -> None:
    """Give a dispatcher its cache; a folder that can't be written only costs the time."""
    if isinstance(dispatcher._cache, _KernelCache):
        return
    try:
        dispatcher._cache = _KernelCache(dispatcher.py_func)
    except (RuntimeError, OSError) as error:
        _warn_not_kept(error)
        _say_compiling()


class _KernelCache(FunctionCache):
    """Numba's cache, which says when it must compile and survives a full or read-only disk."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_path = str(Path(self._cache_path) / KERNEL_DIGEST)
        Path(self._cache_path).mkdir(exist_ok=True)
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # a file that was cut short or overwritten raises what it likes
            found = None
            with suppress(OSError):
                self.flush()
        if found is None:
            _say_compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_not_kept(error)


def _warn_not_kept(error: Exception) -> None:
    """Warn in the same words for every kernel, so that Python shows the warning once."""
    reason = error.strerror if isinstance(error, OSError) else "no folder found"
    advice = "set NUMBA_CACHE_DIR to a folder that can be written"
    warnings.warn(f"compiled kernels are not kept ({reason}): {advice}", stacklevel=1)


@cache
def _say_compiling() -> None:
    """Say once a process what the first use waits for."""
    print("solitaire_env: compiling the rules, once (some seconds) ...", file=sys.stderr)


class RulesType(types.Type):
    """The numba type of one game's rules: its attributes are constants."""

    def __init__(self, rules: LoweredRules) -> None:
        self.rules = rules
        super().__init__(name=f"Rules-{hashlib.sha256(str(rules).encode()).hexdigest()[:16]}")


@typeof_impl.register(LoweredRules)
def _type_of_rules(rules: LoweredRules, _context: object) -> RulesType:
    return RulesType(rules)


register_model(RulesType)(models.OpaqueModel)


def _record_symbol(record: Any) -> tuple[str, tuple[str]]:
    """Name a record's layout in the symbols of compiled functions, the same in every process.

    Numba counts the records that a process has met: kernels that two processes compiled for two
    games would share a symbol, and a third that loads both from disk would run one for the other.
    """
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:16],)


_record_type: Any = types.Record
_record_type.mangling_args = property(_record_symbol)


@unbox(RulesType)
def _unbox_rules(_type: RulesType, _object: object, context: Any) -> Any:
    return NativeValue(context.context.get_dummy_value())


@infer_getattr
class _RulesAttributes(AttributeTemplate):
    key = RulesType

    def generic_resolve(self, typ: RulesType, attr: str) -> Any:
        return types.intp if hasattr(typ.rules, attr) else None


@lower_getattr_generic(RulesType)
def _lower_attribute(
    context: Any, _builder: object, typ: RulesType, _value: object, attr: str
) -> Any:
    return context.get_constant(types.intp, getattr(typ.rules, attr))
