#include "plugin/tensor/operator_registry.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <torch/library.h>

#include <memory>
#include <string>

namespace lowtide::tensor {

namespace {

constexpr const char* kNamespace = "lowtide";

/// Operators remain registered for as long as this lives.
struct Registration {
    torch::Library schemas{torch::Library::DEF, kNamespace, std::nullopt, __FILE__, __LINE__};
    torch::Library onCpu{
        torch::Library::IMPL, kNamespace, c10::DispatchKey::CPU, __FILE__, __LINE__};
    torch::Library everywhere{torch::Library::IMPL,
                              kNamespace,
                              c10::DispatchKey::CompositeExplicitAutograd,
                              __FILE__,
                              __LINE__};

    Registration() {
        OperatorLibraries libraries{.schemas = schemas, .onCpu = onCpu, .everywhere = everywhere};
        addLevels(libraries);
        own::addResampling(libraries);
        own::addOwnOperators(libraries);
    }
};

}  // namespace

void registerOperators() {
    try {
        // For good: the dispatcher may be asked for them while the process ends.
        static const Registration* const registered = std::make_unique<Registration>().release();
        static_cast<void>(registered);
    } catch (const c10::Error& error) {
        throw Error(
            ErrorKind::Unsupported,
            message("LibTorch does not take the operators of this module: {}",
                    firstLine(error.what_without_backtrace())),
            message("let a process have one copy of Lowtide, and none of its operators by others"));
    }
}

}  // namespace lowtide::tensor
