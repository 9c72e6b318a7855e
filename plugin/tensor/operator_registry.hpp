#pragma once
// Our operators in ATen's dispatcher. Not by static initialisers: what LibTorch refuses there would
// be thrown through the loader, which does not survive it.

#include <ATen/core/dispatch/Dispatcher.h>

namespace torch {
class Library;
}

namespace lowtide::tensor {

/// Registers our operators with LibTorch, once per process; whoever calls one of them does so
/// first. Error{Unsupported} with LibTorch's reason where it refuses them.
void registerOperators();

/// The dispatcher's way to one of them: `operatorOf("lowtide::attend", &function)`.
template <class Function>
auto operatorOf(const char* name, Function*) {
    registerOperators();
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").template typed<Function>();
}

/// What a file of operators adds: their schemas, and its functions for the CPU or for all devices.
struct OperatorLibraries {
    torch::Library& schemas;
    torch::Library& onCpu;
    torch::Library& everywhere;  ///< but where a device has a kernel of its own
};

void addLevels(OperatorLibraries& libraries);

namespace own {
void addResampling(OperatorLibraries& libraries);
void addOwnOperators(OperatorLibraries& libraries);
}  // namespace own

}  // namespace lowtide::tensor
