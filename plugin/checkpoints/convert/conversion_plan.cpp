#include "plugin/checkpoints/convert/conversion_plan.hpp"

#include <utility>

namespace lowtide::models {

namespace {

/// What a header has of a tensor besides its name, what aligns it, and a layer's settings.
constexpr Bytes kMostBesideName = 512;
/// The name again: of scales, of settings, of the shape that GGUF flattens.
constexpr Bytes kMostNames = 3;
/// Keys that are written besides those of the source.
constexpr Bytes kMostOwnMetadata = 1024;
/// A text may be there under two keys, or escaped.
constexpr Bytes kMostCopies = 2;

Bytes bytesBeside(const ConvertSource& source, const ConversionPlan& plan) {
    Bytes bytes = kMostOwnMetadata;
    for (const auto& [key, text] : source.weights.metadata) {
        bytes += kMostCopies * static_cast<Bytes>(key.size() + text.size());
    }
    for (const PlannedTensor& each : plan.tensors) {
        bytes += kMostNames * static_cast<Bytes>(each.tensor->first.size()) + kMostBesideName;
    }
    return bytes;
}

}  // namespace

ConversionPlan planConversion(const StorageForm& form, const ConvertSource& source) {
    ConversionPlan plan;
    for (const NamedPlace* tensor : source.tensors()) {
        const std::string_view name = source.nameInDenoiser(tensor->first);
        if (form.isGguf() && name.empty()) {
            continue;
        }
        TargetTensor target = form.isGguf() ? ggufTarget(form, name, tensor->second)
                                            : comfyTarget(form, name, tensor->second);
        plan.before.add(tensor->second.type, tensor->second.encoded, storedBytes(tensor->second));
        plan.after.add(target.type, target.encoded, target.bytes());
        plan.tensors.push_back({tensor, std::move(target)});
    }
    plan.fileBytes = plan.after.bytes() + bytesBeside(source, plan);
    const bool leavesOut = form.isGguf() && !source.prefix.empty();
    plan.contents = (leavesOut ? "the denoiser of " : "") + source.what;
    return plan;
}

ConversionChoices conversionChoices(const CheckpointPath& checkpoint) {
    const ConvertSource source = openConvertSource(checkpoint);
    ConversionChoices known{.path = checkpoint.path, .choices = {}};
    for (const StorageForm& form : storageForms()) {
        const ConversionPlan plan = planConversion(form, source);
        known.choices.push_back({.storage = std::string(form.name),
                                 .ending = std::string(form.ending()),
                                 .contents = plan.contents,
                                 .bytes = plan.fileBytes,
                                 .sourceBytes = plan.before.bytes()});
    }
    return known;
}

}  // namespace lowtide::models
