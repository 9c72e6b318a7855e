#include "plugin/checkpoints/layouts/transformers.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/checkpoints/checkpoint_folder.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/files/stand_in.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace lowtide::models {

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "config.json";
constexpr const char* kTextFolder = "text_encoder";
constexpr Bytes kLargestSettings = 4 * kMiB;
constexpr std::string_view kTextClasses[] = {"CLIPTextModel",
                                             "CLIPTextModelWithProjection",
                                             "LlamaForCausalLM",
                                             "LlamaModel",
                                             "Qwen3ForCausalLM",
                                             "Qwen3Model",
                                             "T5EncoderModel",
                                             "UMT5EncoderModel"};

bool isFileIn(const fs::path& folder, const char* name) {
    std::error_code ignored;
    return fs::is_regular_file(folder / name, ignored);
}

/// One model in the layout of transformers, and no whole pipeline.
double detectTransformers(const ModelSource& source) {
    const fs::path folder = source.path.path;
    return !source.header && !isFileIn(folder, "model_index.json") &&
                   !textClassIn(source.path.path).empty()
               ? 0.9
               : 0;
}

/// The tokenizer lies beside the weights, or in the folder of a pipeline that belongs to this one:
/// tokenizer_4 beside text_encoder_4.
fs::path tokenizerFolderOf(const fs::path& folder) {
    const std::string name = folder.filename().string();
    if (!isFileIn(folder, "tokenizer_config.json") && name.starts_with(kTextFolder)) {
        return folder.parent_path() / ("tokenizer" + name.substr(std::string(kTextFolder).size()));
    }
    return folder;
}

Json settingsIn(const fs::path& folder, const char* file, const std::string& name) {
    const std::string text = files::InputFile((folder / file).string()).readAll(kLargestSettings);
    files::refuseStandIn(text, name + "/" + file);
    return parseJson(text, name + "/" + file, {.readPythonNumbers = true});
}

/// As the settings of the model state it first.
std::string architectureIn(const Json& config) {
    const auto stated = config.is_object() ? config.find("architectures") : config.end();
    const bool isStated = config.is_object() && stated != config.end() && stated->is_array() &&
                          !stated->empty() && stated->front().is_string();
    return isStated ? stated->front().get<std::string>() : std::string();
}

std::string tokenizerClassIn(const fs::path& folder, const std::string& name) {
    if (!isFileIn(folder, "tokenizer_config.json")) {
        return {};
    }
    const Json config = settingsIn(folder, "tokenizer_config.json", name);
    return JsonReader(config, name + "/tokenizer_config.json").text("tokenizer_class").value_or("");
}

std::unique_ptr<Checkpoint> openTransformers(ModelSource source, const std::string&) {
    const std::string& name = source.path.name;
    const fs::path folder = fs::path(source.path.path).lexically_normal();
    const fs::path weights = folder.has_filename() ? folder : folder.parent_path();
    const fs::path tokenizer = tokenizerFolderOf(weights);
    const auto classNamed = [](const std::string& className) {
        return className.empty() ? Json::array({nullptr, nullptr})
                                 : Json::array({"transformers", className});
    };
    Json index = {{kTextFolder, classNamed(architectureIn(settingsIn(weights, kConfigFile, name)))},
                  {"tokenizer", classNamed(tokenizerClassIn(tokenizer, name))}};
    const fs::path root = weights.parent_path();
    return std::make_unique<CheckpointFolder>(
        root.string(),
        name,
        std::move(index),
        ComponentFolders{{kTextFolder, weights.lexically_relative(root).string()},
                         {"tokenizer", tokenizer.lexically_relative(root).string()}});
}

}  // namespace

std::string textClassIn(const std::string& folder) {
    if (!isFileIn(folder, kConfigFile)) {
        return {};
    }
    const std::string name =
        architectureIn(settingsIn(folder, kConfigFile, fs::path(folder).filename().string()));
    const bool isText =
        std::find(std::begin(kTextClasses), std::end(kTextClasses), name) != std::end(kTextClasses);
    return isText ? name : std::string();
}

/// A folder with one text encoder in the layout of transformers, as Llama is published.
const Layout& transformers() {
    static const Layout layout{.name = "transformers",
                               .component = kTextFolder,
                               .kind = "text_encoder",
                               .use =
                                   "choose it in Load text encoders, or as fourth text encoder "
                                   "in Load checkpoint",
                               .detect = detectTransformers,
                               .open = openTransformers};
    return layout;
}

}  // namespace lowtide::models
