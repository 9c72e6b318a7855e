#include "plugin/models/convert/conversion.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/models/convert/converted_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

void requireEnding(const std::string& out, const StorageForm& form) {
    const std::string ending = form.isGguf() ? ".gguf" : ".safetensors";
    if (toLower(fs::path(out).extension().string()) != ending) {
        throw Error(ErrorKind::InvalidInput,
                    std::string(form.name) + " is written as a file that ends in " + ending +
                        ", which " + quotedName(fs::path(out).filename().string()) + " does not",
                    "name the file with " + ending + ", or choose another storage",
                    "out");
    }
}

void requireOther(const std::string& out, const ConvertSource& source) {
    for (const memory::WeightFile& file : source.weights.map.files) {
        std::error_code ignored;
        if (fs::equivalent(out, file.path, ignored)) {
            throw Error(ErrorKind::InvalidInput,
                        quotedName(fs::path(out).filename().string()) +
                            " is the file that is read, it is not replaced",
                        "choose another name for the new file",
                        "out");
        }
    }
}

/// A tensor and how it will lie.
struct PlannedTensor {
    const NamedPlace* tensor = nullptr;
    TargetTensor target;
};

std::vector<PlannedTensor> plannedTensors(const StorageForm& form, const ConvertSource& source) {
    std::vector<PlannedTensor> planned;
    for (const NamedPlace* tensor : source.tensors()) {
        const std::string_view name = source.nameInDenoiser(tensor->first);
        if (!form.isGguf()) {
            planned.push_back({tensor, comfyTarget(form, name, tensor->second)});
        } else if (!name.empty()) {
            planned.push_back({tensor, ggufTarget(form, name, tensor->second)});
        }
    }
    return planned;
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
                          const GoesOn& goesOn) {
    const StorageForm& form = storageForm(storage);
    requireEnding(out, form);
    const ConvertSource source = openConvertSource(checkpoint);
    requireOther(out, source);
    std::vector<PlannedTensor> planned = plannedTensors(form, source);
    StoredShares before;
    StoredShares after;
    for (const PlannedTensor& each : planned) {
        const TensorPlace& place = each.tensor->second;
        before.add(place.type, place.encoded, storedBytes(place));
        after.add(each.target.type, each.target.encoded, each.target.bytes());
    }
    ConvertWorkspace workspace(after.bytes(), goesOn);
    const TensorConverters tensors = makeConverters(source, std::move(planned), workspace);
    (form.isGguf() ? writeGgufFile : writeComfyFile)(out, form, source, tensors, workspace.stop());
    const bool leavesOut = form.isGguf() && !source.prefix.empty();
    Conversion conversion{.contents = (leavesOut ? "the denoiser of " : "") + source.what,
                          .before = before.sorted(),
                          .after = after.sorted()};
    addErrors(tensors, conversion);
    return conversion;
}

}  // namespace lowtide::models
