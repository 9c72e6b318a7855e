#include "plugin/checkpoints/convert/conversion.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/convert/convert_source.hpp"
#include "plugin/checkpoints/convert/storage_form.hpp"
#include "plugin/checkpoints/convert/tensor_converter.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::models {

/// A tensor and how it will lie.
struct PlannedTensor {
    const NamedLocation* tensor = nullptr;
    TargetTensor target;
};

/// What a conversion writes, from headers alone.
struct ConversionPlan {
    std::vector<PlannedTensor> tensors;  ///< in the order of the source, which must outlive them
    StoredFractions before;
    StoredFractions after;
    Bytes fileBytes = 0;   ///< of the new file, at most; less than 2 KiB a tensor too much
    std::string contents;  ///< "the denoiser of model.safetensors"
};

[[nodiscard]] ConversionPlan planConversion(const StorageForm& form, const ConvertSource& source);

namespace {

namespace fs = std::filesystem;

void requireEnding(const std::string& out, const StorageForm& form) {
    const std::string ending(form.ending());
    if (toLower(fs::path(out).extension().string()) != ending) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} is written as a file that ends in {}, which {} does not",
                            form.name,
                            ending,
                            quotedName(fs::path(out).filename().string())),
                    message("name the file with {}, or choose another storage", ending),
                    "out");
    }
}

void requireOther(const std::string& out, const ConvertSource& source) {
    for (const memory::WeightFile& file : source.weights.map.files) {
        std::error_code ignored;
        if (fs::equivalent(out, file.path, ignored)) {
            throw Error(ErrorKind::InvalidInput,
                        message("{} is the file that is read, it is not replaced",
                                quotedName(fs::path(out).filename().string())),
                        message("choose another name for the new file"),
                        "out");
        }
    }
}

void addErrors(const TensorConverters& tensors, Conversion& conversion) {
    double squares = 0;
    for (const auto& tensor : tensors) {
        const double error = tensor->error();
        if (error > 0) {
            ++conversion.rounded;
            squares += error * error;
        }
        if (error > conversion.worstError) {
            conversion.worstError = error;
            conversion.worstTensor = tensor->name();
        }
    }
    if (conversion.rounded > 0) {
        conversion.meanError = std::sqrt(squares / static_cast<double>(conversion.rounded));
    }
}

/// The converters of a source's tensors, which read its files.
TensorConverters makeConverters(const ConvertSource& source,
                                std::vector<PlannedTensor> planned,
                                ConvertWorkspace& workspace) {
    std::vector<std::shared_ptr<const files::InputFile>> files;
    for (const memory::WeightFile& file : source.weights.map.files) {
        files.push_back(std::make_shared<files::InputFile>(file.path));
    }
    TensorConverters converters;
    for (PlannedTensor& each : planned) {
        converters.push_back(std::make_unique<TensorConverter>(*each.tensor,
                                                               std::move(each.target),
                                                               files.at(each.tensor->second.file),
                                                               source.role,
                                                               workspace));
    }
    return converters;
}

}  // namespace

Conversion convertWeights(const CheckpointPath& checkpoint,
                          const std::string& storage,
                          const std::string& out,
                          const GoesOn& goesOn,
                          const files::FreeBytes& freeBytes) {
    const StorageForm& form = storageForm(storage);
    requireEnding(out, form);
    const ConvertSource source = openConvertSource(checkpoint);
    requireOther(out, source);
    ConversionPlan plan = planConversion(form, source);
    files::requireSpace(out, plan.fileBytes, freeBytes);
    ConvertWorkspace workspace(plan.after.bytes(), goesOn);
    const TensorConverters tensors = makeConverters(source, std::move(plan.tensors), workspace);
    (form.isGguf() ? writeGgufFile : writeComfyFile)(out, form, source, tensors, workspace.stop());
    Conversion conversion{
        .contents = plan.contents, .before = plan.before.sorted(), .after = plan.after.sorted()};
    addErrors(tensors, conversion);
    return conversion;
}

namespace {

/// What a header has of a tensor besides its name, what aligns it, and a layer's settings.
constexpr Bytes kMostEntryBytes = 512;
/// The name again: of scales, of settings, of the shape that GGUF flattens.
constexpr Bytes kMostNames = 3;
/// Keys that are written besides those of the source.
constexpr Bytes kMostOwnMetadata = 1024;
/// A text may be there under two keys, or escaped.
constexpr Bytes kMostCopies = 2;

Bytes headerBytes(const ConvertSource& source, const ConversionPlan& plan) {
    Bytes bytes = kMostOwnMetadata;
    for (const auto& [key, text] : source.weights.metadata) {
        bytes += kMostCopies * static_cast<Bytes>(key.size() + text.size());
    }
    for (const PlannedTensor& each : plan.tensors) {
        bytes += kMostNames * static_cast<Bytes>(each.tensor->first.size()) + kMostEntryBytes;
    }
    return bytes;
}

}  // namespace

ConversionPlan planConversion(const StorageForm& form, const ConvertSource& source) {
    ConversionPlan plan;
    for (const NamedLocation* tensor : source.tensors()) {
        const std::string_view name = source.nameInDenoiser(tensor->first);
        if (form.isGguf() && name.empty()) {
            continue;
        }
        TargetTensor target =
            (form.isGguf() ? ggufTarget : comfyTarget)(form, name, tensor->second, source.precise);
        plan.before.add(tensor->second.type, tensor->second.encoded, storedBytes(tensor->second));
        plan.after.add(target.type, target.encoded, target.bytes());
        plan.tensors.push_back({tensor, std::move(target)});
    }
    plan.fileBytes = plan.after.bytes() + headerBytes(source, plan);
    const bool leavesOut = form.isGguf() && !source.prefix.empty();
    plan.contents = (leavesOut ? message("the denoiser of {}", source.what) : source.what).str();
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
