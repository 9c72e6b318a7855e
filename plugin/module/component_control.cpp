#include "plugin/module/component_control.hpp"

#include "plugin/module/answer.hpp"

namespace lowtide::module {

Status ComponentControl::unload(std::string_view component) noexcept {
    std::string ignored;
    return answer(ignored, [&] {
        const bool called =
            runner_.callWhenIdle([&] { static_cast<void>(engine_.offload(component, true)); });
        return called ? Status::Ok : Status::Failed;
    });
}

}  // namespace lowtide::module
