#include "ui/bridge/model_file.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/path_parts.hpp"
#include "plugin/files/torch_file.hpp"
#include "plugin/files/zip_directory.hpp"
#include "ui/bridge/model_family.hpp"

#include <algorithm>
#include <filesystem>

namespace lowtide::ui {

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestConfig = 4 * kMiB;
constexpr Bytes kTensorsAtOnce = 4;

ModelTensors tensorsOf(const std::string& path) {
    const files::InputFile file(path);
    const files::FileBytes bytes(file);
    if (!files::looksLikeZip(bytes)) {
        return files::readSafetensorsHeader(bytes).tensors;
    }
    ModelTensors tensors;
    for (auto& [name, tensor] : files::readTorchHeader(bytes).tensors) {
        tensors.emplace(name, std::move(tensor.info));
    }
    return tensors;
}

void countWeights(const ModelTensors& tensors, ModelFile& model) {
    for (const auto& [name, tensor] : tensors) {
        model.weights += tensor.bytes;
        model.largest = std::max(model.largest, tensor.bytes);
    }
}

void take(const RecognisedModel& recognised, ModelFile& model) {
    model.kind = recognised.kind;
    model.family = recognised.family;
    model.isRunnable = recognised.isRunnable;
}

Json readConfig(const fs::path& path) {
    const files::InputFile file(path.string());
    return parseJson(file.readAll(kLargestConfig), file.name(), {.readPythonNumbers = true});
}

int64_t textWidthOf(const fs::path& folder) {
    const fs::path config = folder / "unet" / "config.json";
    std::error_code ignored;
    if (!fs::exists(config, ignored)) {
        return 0;
    }
    const Json json = readConfig(config);
    const auto widths = JsonReader(json, "unet/config.json").integers("cross_attention_dim");
    return widths && !widths->empty() ? widths->front() : 0;
}

/// "diffusion_pytorch_model.fp16.safetensors" holds the same weights once more.
bool isVariant(const std::string& name) {
    return name.find(".fp16.") != std::string::npos || name.find("non_ema") != std::string::npos;
}

void countComponents(const fs::path& folder, ModelFile& model) {
    for (const char* component : {"unet", "transformer", "vae", "text_encoder", "text_encoder_2"}) {
        std::error_code failure;
        for (fs::directory_iterator it(folder / component, failure), end; !failure && it != end;
             it.increment(failure)) {
            const std::string name = it->path().filename().string();
            if (name.ends_with(".safetensors") && !isVariant(name)) {
                countWeights(tensorsOf(it->path().string()), model);
            }
        }
    }
}

template <class Read>
ModelFile reading(const std::string& path, Read&& read) {
    ModelFile model{.path = path, .name = files::lastPart(path)};
    try {
        read(model);
    } catch (const Error& error) {
        model.problem = error.message();
    }
    return model;
}

}  // namespace

ModelFile readModelFile(const std::string& path) {
    return reading(path, [&](ModelFile& model) {
        const ModelTensors tensors = tensorsOf(path);
        countWeights(tensors, model);
        take(recognise(tensors), model);
    });
}

ModelFile readModelFolder(const std::string& path) {
    return reading(path, [&](ModelFile& model) {
        model.kind = ModelKind::Checkpoint;
        const Json index = readConfig(fs::path(path) / "model_index.json");
        const std::string pipeline =
            JsonReader(index, "model_index.json").text("_class_name").value_or("");
        take(recognisePipeline(pipeline, textWidthOf(path)), model);
        countComponents(path, model);
    });
}

ModelVerdict verdictOf(const ModelFile& model, Bytes budget) {
    const Bytes room = budget / 4 * 3;
    if (budget <= 0 || model.weights == 0) {
        return ModelVerdict::Unknown;
    }
    if (model.weights <= room) {
        return ModelVerdict::Fits;
    }
    return model.largest <= room / kTensorsAtOnce ? ModelVerdict::Streams : ModelVerdict::TooBig;
}

}  // namespace lowtide::ui
