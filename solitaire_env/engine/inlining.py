"""How numba compiles a kernel that only other kernels call: as code to be copied into them.

Numba optimises and loads every function, and links each with all that it calls. For small functions
that always become part of their callers that is most of the compile time, and of no use.
"""

from typing import Any

from llvmlite.binding import Linkage
from numba.core import typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager


class _InlinedLibrary(JITCodeLibrary):
    """Code that is only ever copied into its callers: neither optimised nor loaded by itself."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave that to the kernel that Python calls."""

    def finalize(self) -> None:
        """Link nothing yet: a caller asks for all at once."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Give this code and all that it calls, each function once."""
        if self._shared_module is None:
            module = self._final_module.clone()
            for library in self._called():
                inlined = isinstance(library, _InlinedLibrary)
                code = library._final_module if inlined else library._get_module_for_linking()
                module.link_in(code, preserve=True)
            for function in module.functions:
                if not function.is_declaration and function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = module
        return self._shared_module

    def _called(self) -> list[Any]:
        """List the code that this calls, however deep."""
        found: dict[Any, None] = {}
        waiting = list(self._linking_libraries)
        while waiting:
            library = waiting.pop()
            if library not in found:
                found[library] = None
                waiting += (
                    library._linking_libraries if isinstance(library, _InlinedLibrary) else []
                )
        return list(found)

    def get_pointer_to_function(self, name: str) -> int:
        """Say that nothing is loaded."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Numba would note an environment in loaded code."""
        return _NoEnvironments()


class _NoEnvironments:
    """Code generator that has nothing loaded."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Note nothing: the caller's code has its own."""


# What numba's pipeline does beyond these serves closures, generators and the like.
_PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.IRLegalization,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


class InlinedCompiler(CompilerBase):
    """Numba's pipeline for functions that become part of their callers."""

    def define_pipelines(self) -> list[Any]:
        """Give numba's passes for plain functions, and a library that stays apart."""
        state = self.state
        name = state.func_id.func_qualname
        state.library = _InlinedLibrary(state.targetctx.codegen(), name)
        state.library.enable_object_caching()
        pipeline = PassManager("inlined kernels")
        for needed in _PASSES:
            pipeline.add_pass(needed, needed.__name__)
        pipeline.finalize()
        return [pipeline]
