#include "plugin/models/precision/stage_precision.hpp"

#include "plugin/models/precision/model_in_precision.hpp"
#include "plugin/models/stage_inputs.hpp"

namespace lowtide::models {

namespace {

/// Everything as it is opened: f32 on the device, whatever the file has.
bool isAsOpened(const memory::ComponentPrecision& precision) {
    return precision.storage == DType::F32 && !precision.storesAsInFile &&
           precision.compute == DType::F32 && precision.keptF32.empty();
}

}  // namespace

memory::ComponentPrecision usePrecision(memory::WireRef& loaded,
                                        std::string_view role,
                                        const memory::PrecisionChoice& choice) {
    // A rehearsal of a card computes as the cpu does.
    const int capability = choice.capabilityOf(std::string(role));
    const auto device =
        capability > 0 ? memory::NumericTraits::ofCuda(capability) : memory::NumericTraits();
    if (role == kUpscaler) {
        const Upscaler& upscaler = upscalerIn(loaded);
        memory::ComponentPrecision precision =
            resolvePrecision(choice, upscaler.precisions(), std::string(role), device, [&] {
                return fileTypesOf(*upscaler.tree());
            });
        if (!isAsOpened(precision)) {
            auto known = std::dynamic_pointer_cast<const Upscaler>(loaded);
            loaded = std::make_shared<const UpscalerInPrecision>(std::move(known), precision);
        }
        return precision;
    }
    const Model& model = modelIn(loaded);
    memory::ComponentPrecision precision =
        resolvePrecision(choice, model.precisions(), std::string(role), device, [&] {
            return fileTypesOf(*treeIn(model, role));
        });
    if (!isAsOpened(precision)) {
        auto known = std::dynamic_pointer_cast<const Model>(loaded);
        loaded = std::make_shared<const ModelInPrecision>(std::move(known), precision);
    }
    return precision;
}

std::vector<memory::ComponentPrecision> usePrecisions(memory::WireRef& loaded,
                                                      const std::vector<std::string>& roles,
                                                      const memory::PrecisionChoice& choice) {
    std::vector<memory::ComponentPrecision> precisions;
    for (const std::string& role : roles) {
        precisions.push_back(usePrecision(loaded, role, choice));
    }
    return precisions;
}

}  // namespace lowtide::models
