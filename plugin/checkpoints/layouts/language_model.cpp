#include "plugin/base/error.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/gguf_byte_pairs.hpp"
#include "plugin/checkpoints/single_file/language_settings.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"
#include "plugin/checkpoints/single_file/tokenizer_beside.hpp"
#include "plugin/checkpoints/single_file/tokenizer_sizes.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/input_file.hpp"

#include <utility>

namespace lowtide::models {

namespace {

constexpr const char* kLanguageTokenizerClass = "PreTrainedTokenizerFast";
constexpr const char* kLanguageTokenizer = "tokenizer.json";
constexpr const char* kLanguageSettings[] = {"tokenizer_config.json", "added_tokens.json"};
/// What makes words of states, and frequencies that the network computes itself.
constexpr const char* kUnusedTensors[] = {"lm_head.weight", "output.weight", "rope_freqs.weight"};

/// A kind of language models, trained for instructions.
struct LanguageKind {
    const char* className;
    std::span<const TokenizerForm> forms;
    const char* settings;  ///< tokens behind a text, where no tokenizer_config.json says them
    const char* remedy;    ///< where no tokenizer fits
};

/// Of a tokenizer.json that has the token `last` behind a text: small tables of several models have
/// about as many rows.
std::optional<int64_t> tokensWith(const char* last, const FileDocuments& found) {
    const std::string text = found.files.at(kLanguageTokenizer).read();
    return text.find(last) == text.npos ? std::nullopt : tokensOfBytePairJson(found);
}

LanguageKind llamaKind() {
    static const std::vector<TokenizerForm> forms = {
        {{kLanguageTokenizer},
         [](const FileDocuments& found) { return tokensWith("<|eot_id|>", found); }}};
    return {.className = "LlamaModel",
            .forms = forms,
            .settings = R"({"eos_token": "<|eot_id|>"})",
            .remedy =
                "put tokenizer.json of Meta-Llama-3.1-8B-Instruct into its folder, or into "
                "tokenizer/ there"};
}

LanguageKind qwenKind() {
    static const std::vector<TokenizerForm> forms = {
        {{kLanguageTokenizer},
         [](const FileDocuments& found) { return tokensWith("<|im_end|>", found); }},
        {{"vocab.json", "merges.txt"}, tokensOfVocabulary}};
    return {.className = "Qwen3Model",
            .forms = forms,
            .settings = R"({"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"})",
            .remedy =
                "put tokenizer.json, or vocab.json and merges.txt, of Qwen 3 into its folder, "
                "or into tokenizer/ there"};
}

using NameInFile = std::function<std::string(std::string_view)>;

/// How our names stand in the file. Empty: it has no such network.
NameInFile namesOfLanguageModel(const WeightMap& file) {
    const auto has = [&](const char* name) { return file.tensors.contains(name); };
    if (has("model.layers.0.self_attn.q_proj.weight") && has("model.embed_tokens.weight")) {
        return [](std::string_view name) { return "model." + std::string(name); };
    }
    if (has("layers.0.self_attn.q_proj.weight") && has("embed_tokens.weight")) {
        return [](std::string_view name) { return std::string(name); };
    }
    return has("blk.0.attn_q.weight") && has("blk.0.ffn_gate.weight") && has("token_embd.weight")
               ? NameInFile(ggufLanguageName)
               : NameInFile();
}

/// A file that looks like Llama's and is none: its queries have biases, or it sees pictures.
void refuseOtherModel(const ModelSource& source) {
    const WeightMap& file = source.header->map;
    const NameInFile named = namesOfLanguageModel(file);
    const bool seesPictures = hasUnder(file, "visual.") || hasUnder(file, "model.visual.");
    if (seesPictures || file.tensors.contains(named("layers.0.self_attn.q_proj.bias"))) {
        throw Error(ErrorKind::Unsupported,
                    source.path.name + " is a language model of another kind, " +
                        (seesPictures ? "which sees pictures (Qwen2.5-VL and its like)"
                                      : "whose queries have biases (Qwen 2.5 and its like)") +
                        "; Llama 3 and Qwen 3 are built",
                    "choose the text encoder of your model");
    }
}

double detectLanguageModel(const ModelSource& source) {
    return source.header && namesOfLanguageModel(source.header->map) ? 0.5 : 0;
}

WeightMap languageMap(const WeightMap& file) {
    WeightMap map = wholeMap(file, namesOfLanguageModel(file));
    for (const char* name : kUnusedTensors) {
        if (const auto unused = map.tensors.find(name); unused != map.tensors.end()) {
            map.tensors.erase(unused);
        }
    }
    return map;
}

/// llama.cpp's files of Llama have the rows of queries and keys so that neighbours turn together.
bool turnsNeighbours(const WeightFileHeader& file) {
    const auto architecture = file.metadata.find("general.architecture");
    return architecture != file.metadata.end() && architecture->second == "llama";
}

/// In the file, or else beside it.
FileDocuments languageTokenizer(const SharedHeader& file,
                                const ModelSource& source,
                                const LanguageKind& kind,
                                int64_t rows,
                                std::vector<memory::WeightFile>& stamps) {
    const char* settings = kLanguageSettings[0];
    if (!hasGgufBytePairs(*file)) {
        FileDocuments found = tokenizerBeside(source.path.path,
                                              {.className = kLanguageTokenizerClass,
                                               .forms = kind.forms,
                                               .settings = kLanguageSettings,
                                               .rows = rows,
                                               .remedy = kind.remedy},
                                              stamps);
        if (!found.files.empty() && !found.files.contains(settings)) {
            found.files[settings] = {.path = source.path.name,
                                     .read = [text = kind.settings] { return std::string(text); }};
        }
        return found;
    }
    const auto metadata = [path = source.path.path] {
        return files::readGgufHeader(files::InputFile(path)).metadata;
    };
    FileDocuments found{.className = kLanguageTokenizerClass, .files = {}};
    found.files[kLanguageTokenizer] = {.path = source.path.name,
                                       .read = [metadata, what = source.path.name] {
                                           return bytePairsInGguf(metadata(), what).dump();
                                       }};
    found.files[settings] = {.path = source.path.name,
                             .read = [metadata, text = kind.settings, what = source.path.name] {
                                 Json stated = Json::parse(text);
                                 stated.update(endTokensInGguf(metadata(), what));
                                 return stated.dump();
                             }};
    return found;
}

std::unique_ptr<Checkpoint> openLanguageModel(ModelSource source,
                                              const std::string& resourcesFolder) {
    refuseOtherModel(source);
    const SharedHeader file = sharedHeader(source);
    const auto settings = [file] {
        const WeightMap map = languageMap(file->map);
        Json stated = languageModelSettings(viewOf(map));
        stated["rope_interleave"] = turnsNeighbours(*file);
        return stated;
    };
    const Json stated = settings();
    const LanguageKind kind = stated.at("model_type") == "qwen3" ? qwenKind() : llamaKind();
    FileParts parts;
    parts.networks["text_encoder"] = {.className = kind.className,
                                      .settings = settings,
                                      .weights = [file] { return languageMap(file->map); },
                                      .check = checkLanguageHeads};
    parts.documents["tokenizer"] =
        languageTokenizer(file, source, kind, stated.at("vocab_size").get<int64_t>(), parts.files);
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelLanguageModel(Checkpoint& opened) {
    constexpr int64_t kWidthOf8B = 4096;
    const char* file = "text_encoder/config.json";
    const Json settings = opened.readJson(file);
    const int64_t width =
        JsonReader(settings, opened.name() + "/" + file).integer("hidden_size").value_or(0);
    const bool isQwen = settings.at("model_type") == "qwen3";
    return isQwen                ? "Qwen 3, " + std::to_string(width) + " wide"
           : width == kWidthOf8B ? "Llama 3.1 8B"
                                 : "Llama 3, " + std::to_string(width) + " wide";
}

}  // namespace

/// A language model alone, whose states are read as a text encoder's: llama_3.1_8b_instruct or
/// qwen_3_4b of ComfyUI beside its tokenizer, llama.cpp's GGUF.
const Layout& language_model() {
    static const Layout layout{.name = "language_model",
                               .component = "text_encoder",
                               .kind = "text_encoder",
                               .use = "choose it in Load text encoder or Load text encoders",
                               .detect = detectLanguageModel,
                               .open = openLanguageModel,
                               .label = labelLanguageModel};
    return layout;
}

}  // namespace lowtide::models
