#include "plugin/checkpoints/convert/conversion.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/convert/conversion_plan.hpp"
#include "plugin/checkpoints/convert/converted_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

void requireEnding(const std::string& out, const StorageForm& form) {
    const std::string ending(form.ending());
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
    files::requireRoom(out, plan.fileBytes, freeBytes);
    ConvertWorkspace workspace(plan.after.bytes(), goesOn);
    const TensorConverters tensors = makeConverters(source, std::move(plan.tensors), workspace);
    (form.isGguf() ? writeGgufFile : writeComfyFile)(out, form, source, tensors, workspace.stop());
    Conversion conversion{
        .contents = plan.contents, .before = plan.before.sorted(), .after = plan.after.sorted()};
    addErrors(tensors, conversion);
    return conversion;
}

}  // namespace lowtide::models
