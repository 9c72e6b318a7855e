// Language models in files of their own: names of their weights, settings derived from shapes, the
// tokenizer inside, next to them or built in. Torch-free.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/sibling_tokenizer.hpp"
#include "plugin/checkpoints/single_file/sidecar_file.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/gguf_metadata.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"
#include "plugin/text/byte_level_tokenizer.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// As transformers' config.json states them; of Qwen 3 where heads have norms of their own, else of
/// Llama 3.1, whose rotations no tensor reveals. Names as transformers has them, without "model.".
[[nodiscard]] Json languageModelSettings(const TensorView& tensors);

/// Error{Unsupported} for one whose number of heads no shape determines and nobody stated.
void checkLanguageHeads(const Json& settings, const std::string& what, const SidecarFile& sidecar);

/// "layers.0.self_attn.q_proj.weight" -> "blk.0.attn_q.weight". Source: llama.cpp
/// gguf-py/gguf/constants.py.
[[nodiscard]] std::string ggufLanguageName(std::string_view name);

/// Whether a file states that it holds a byte-level tokenizer of Llama 3 or Qwen 2 and 3.
[[nodiscard]] bool hasGgufBytePairs(const WeightFileHeader& file);
/// That tokenizer, which llama.cpp's converter keeps in the metadata, as the tokenizer.json that it
/// was made of. Error{Corrupt} names the key that does not fit. Source: llama.cpp
/// convert_hf_to_gguf.py, tokenizer.ggml.pre "llama-bpe" and "qwen2".
[[nodiscard]] Json bytePairsInGguf(const files::GgufMetadata& metadata, const std::string& what);
/// Its tokenizer_config.json: the token that ends a text, and the one behind it where it has one.
[[nodiscard]] Json endTokensInGguf(const files::GgufMetadata& metadata, const std::string& what);

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
    std::span<const BuiltInTokenizer> builtIn;
    const char* settings;  ///< tokens behind a text, where no tokenizer_config.json states them
    Phrase remedy;         ///< where no tokenizer fits
};

/// Of a tokenizer.json that has the token `last` behind a text: small tables of several models have
/// about as many rows.
std::optional<int64_t> tokensWith(const char* last, const FileDocuments& found) {
    const std::string text = found.files.at(kLanguageTokenizer).read();
    return text.find(last) == text.npos ? std::nullopt : tokensOfBytePairJson(found);
}

/// Its licence does not allow Lowtide to come with its tokenizer.
LanguageKind llamaKind() {
    static const std::vector<TokenizerForm> forms = {
        {{kLanguageTokenizer},
         [](const FileDocuments& found) { return tokensWith("<|eot_id|>", found); }}};
    return {.className = "LlamaModel",
            .forms = forms,
            .builtIn = {},
            .settings = R"({"eos_token": "<|eot_id|>"})",
            .remedy = phrase("put tokenizer.json of Meta-Llama-3.1-8B-Instruct into its folder, or "
                             "into tokenizer/ there")};
}

LanguageKind qwenKind() {
    static const std::vector<TokenizerForm> forms = {
        {{kLanguageTokenizer},
         [](const FileDocuments& found) { return tokensWith("<|im_end|>", found); }},
        {{"vocab.json", "merges.txt"}, tokensOfVocabulary}};
    static const std::vector<BuiltInTokenizer> builtIn = {
        {.folder = "qwen", .tokens = 151669, .files = {"merges.txt", kLanguageSettings[0]}}};
    return {.className = "Qwen3Model",
            .forms = forms,
            .builtIn = builtIn,
            .settings = R"({"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"})",
            .remedy = phrase("put tokenizer.json, or vocab.json and merges.txt, of Qwen 3 into its "
                             "folder, or into tokenizer/ there")};
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

/// A file that looks like Llama's and is none: its queries have biases, or it reads images.
void refuseOtherModel(const ModelSource& source) {
    const WeightMap& file = source.header->map;
    const NameInFile named = namesOfLanguageModel(file);
    const bool seesImages = hasUnder(file, "visual.") || hasUnder(file, "model.visual.");
    if (seesImages || file.tensors.contains(named("layers.0.self_attn.q_proj.bias"))) {
        throw Error(
            ErrorKind::Unsupported,
            message("{} is a language model of another kind, {}; Llama 3 and Qwen 3 are built",
                    source.path.name,
                    seesImages ? message("which reads images (Qwen2.5-VL and its like)")
                               : message("whose queries have biases (Qwen 2.5 and its like)")),
            message("choose the text encoder of your model"));
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

/// llama.cpp's files of Llama have the rows of queries and keys so that neighbours are rotated
/// together.
bool rotatesNeighbours(const WeightFileHeader& file) {
    const auto architecture = file.metadata.find("general.architecture");
    return architecture != file.metadata.end() && architecture->second == "llama";
}

/// In the file, or else next to it, or else built in.
FileDocuments languageTokenizer(const SharedHeader& file,
                                const ModelSource& source,
                                const LanguageKind& kind,
                                int64_t rows,
                                const std::string& resourcesFolder,
                                std::vector<memory::WeightFile>& stamps) {
    const char* settings = kLanguageSettings[0];
    if (!hasGgufBytePairs(*file)) {
        FileDocuments found = siblingTokenizer(source.path.path,
                                               {.className = kLanguageTokenizerClass,
                                                .forms = kind.forms,
                                                .settings = kLanguageSettings,
                                                .builtIn = kind.builtIn,
                                                .resourcesFolder = resourcesFolder,
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
        stated["rope_interleave"] = rotatesNeighbours(*file);
        return stated;
    };
    const Json stated = settings();
    const LanguageKind kind = stated.at("model_type") == "qwen3" ? qwenKind() : llamaKind();
    FileParts parts;
    parts.networks["text_encoder"] = {.className = kind.className,
                                      .settings = settings,
                                      .weights = [file] { return languageMap(file->map); },
                                      .check = checkLanguageHeads};
    const auto rows = stated.at("vocab_size").get<int64_t>();
    parts.documents["tokenizer"] =
        languageTokenizer(file, source, kind, rows, resourcesFolder, parts.files);
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
/// qwen_3_4b of ComfyUI, llama.cpp's GGUF.
const Layout& language_model() {
    static const Layout layout{
        .name = "language_model",
        .component = "text_encoder",
        .kind = "text_encoder",
        .use = phrase("choose it in Load text encoder or Load text encoders"),
        .detect = detectLanguageModel,
        .open = openLanguageModel,
        .label = labelLanguageModel};
    return layout;
}

namespace {

constexpr int64_t kLanguageHeadWidth = 128;

constexpr std::pair<std::string_view, std::string_view> kGgufLanguageParts[] = {
    {"embed_tokens.", "token_embd."},
    {"layers.", "blk."},
    {".input_layernorm.", ".attn_norm."},
    {".post_attention_layernorm.", ".ffn_norm."},
    {".self_attn.q_proj.", ".attn_q."},
    {".self_attn.k_proj.", ".attn_k."},
    {".self_attn.v_proj.", ".attn_v."},
    {".self_attn.o_proj.", ".attn_output."},
    {".self_attn.q_norm.", ".attn_q_norm."},
    {".self_attn.k_norm.", ".attn_k_norm."},
    {".mlp.gate_proj.", ".ffn_gate."},
    {".mlp.up_proj.", ".ffn_up."},
    {".mlp.down_proj.", ".ffn_down."},
};

std::string languageLayer(const std::string& layer, const char* rest) {
    return "layers." + layer + rest;
}

/// Source: config.json of Llama 3.1 and Qwen 3.
void addRotations(Json& settings, bool isQwen) {
    if (isQwen) {
        settings.update({{"rms_norm_eps", 1e-6}, {"rope_theta", 1e6}});
        return;
    }
    settings.update({{"rms_norm_eps", 1e-5},
                     {"rope_theta", 500000.0},
                     {"rope_scaling",
                      {{"rope_type", "llama3"},
                       {"factor", 8.0},
                       {"low_freq_factor", 1.0},
                       {"high_freq_factor", 4.0},
                       {"original_max_position_embeddings", 8192}}}});
}

}  // namespace

Json languageModelSettings(const TensorView& tensors) {
    const std::string ownNorm = languageLayer("0", ".self_attn.q_norm.weight");
    const bool isQwen = tensors.has(ownNorm);
    const int64_t headWidth = isQwen ? tensors.size(ownNorm, 0) : kLanguageHeadWidth;
    const auto headsOf = [&](const char* projection) {
        return tensors.size(languageLayer("0", projection), 0) / headWidth;
    };
    Json settings = {
        {"model_type", isQwen ? "qwen3" : "llama"},
        {"vocab_size", tensors.size("embed_tokens.weight", 0)},
        {"hidden_size", tensors.size("embed_tokens.weight", 1)},
        {"intermediate_size", tensors.size(languageLayer("0", ".mlp.gate_proj.weight"), 0)},
        {"num_hidden_layers", tensors.count([](const std::string& layer) {
             return languageLayer(layer, ".self_attn.q_proj.weight");
         })},
        {"num_attention_heads", headsOf(".self_attn.q_proj.weight")},
        {"num_key_value_heads", headsOf(".self_attn.k_proj.weight")},
        {"head_dim", headWidth},
        {"max_position_embeddings", isQwen ? 40960 : 131072}};
    addRotations(settings, isQwen);
    return settings;
}

void checkLanguageHeads(const Json& settings, const std::string& what, const SidecarFile& sidecar) {
    if (settings.at("num_key_value_heads") == 0) {
        throw Error(ErrorKind::Unsupported,
                    message("{} is a language model whose keys are narrower than {}, whose heads "
                            "no shape determines",
                            what,
                            kLanguageHeadWidth),
                    message("state num_attention_heads, num_key_value_heads and head_dim of "
                            "\"text_encoder\" in {}",
                            sidecar.name));
    }
}

std::string ggufLanguageName(std::string_view name) {
    const bool isFinalNorm = name.starts_with("norm.");
    return isFinalNorm ? "output_" + std::string(name)
                       : renamed(std::string(name), kGgufLanguageParts);
}

namespace {

constexpr int64_t kControlToken = 3;
constexpr int64_t kAddedToken = 4;
constexpr const char* kPreKey = "tokenizer.ggml.pre";
constexpr const char* kTokensKey = "tokenizer.ggml.tokens";

[[noreturn]] void refuseBytePairs(const std::string& what, const Message& problem) {
    throw Error(
        ErrorKind::Corrupt, message("{}: {}", what, problem), message("get the file again"));
}

std::vector<std::string> tokensIn(const files::GgufMetadata& metadata, const std::string& what) {
    std::vector<std::string> tokens =
        metadata.texts(kTokensKey).value_or(std::vector<std::string>());
    if (tokens.empty()) {
        refuseBytePairs(what, message("{} is missing", kTokensKey));
    }
    return tokens;
}

/// The token whose number stands under `key`.
std::string tokenAt(const files::GgufMetadata& metadata,
                    const std::vector<std::string>& tokens,
                    const char* key,
                    const std::string& what) {
    const std::optional<int64_t> id = metadata.integer(key);
    if (!id || *id < 0 || *id >= static_cast<int64_t>(tokens.size())) {
        refuseBytePairs(what, message("{} is no number of a token", key));
    }
    return tokens[static_cast<size_t>(*id)];
}

Json addedTokens(const files::GgufMetadata& metadata, const std::vector<std::string>& tokens) {
    const std::vector<int64_t> types =
        metadata.integers("tokenizer.ggml.token_type").value_or(std::vector<int64_t>());
    Json added = Json::array();
    for (size_t id = 0; id < std::min(types.size(), tokens.size()); ++id) {
        if (types[id] == kControlToken || types[id] == kAddedToken) {
            added.push_back({{"id", id},
                             {"content", tokens[id]},
                             {"special", types[id] == kControlToken},
                             {"normalized", false}});
        }
    }
    return added;
}

}  // namespace

bool hasGgufBytePairs(const WeightFileHeader& file) {
    const auto model = file.metadata.find("tokenizer.ggml.model");
    const auto pre = file.metadata.find(kPreKey);
    return model != file.metadata.end() && model->second == "gpt2" && pre != file.metadata.end() &&
           bytePairKind(pre->second);
}

Json bytePairsInGguf(const files::GgufMetadata& metadata, const std::string& what) {
    const BytePairKind* kind = bytePairKind(metadata.text(kPreKey).value_or(""));
    if (!kind) {
        refuseBytePairs(what, message("{} is of no known kind", kPreKey));
    }
    const std::vector<std::string> tokens = tokensIn(metadata, what);
    Json vocabulary = Json::object();
    for (size_t id = 0; id < tokens.size(); ++id) {
        vocabulary[tokens[id]] = id;
    }
    Json json =
        byteLevelJson(*kind,
                      std::move(vocabulary),
                      metadata.texts("tokenizer.ggml.merges").value_or(std::vector<std::string>()),
                      addedTokens(metadata, tokens));
    if (kind->begins) {
        const std::string first = tokenAt(metadata, tokens, "tokenizer.ggml.bos_token_id", what);
        json["post_processor"] = {{"type", "TemplateProcessing"},
                                  {"single",
                                   {{{"SpecialToken", {{"id", first}, {"type_id", 0}}}},
                                    {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                                  {"special_tokens",
                                   {{first,
                                     {{"id", first},
                                      {"ids", {*metadata.integer("tokenizer.ggml.bos_token_id")}},
                                      {"tokens", {first}}}}}}};
    }
    return json;
}

Json endTokensInGguf(const files::GgufMetadata& metadata, const std::string& what) {
    constexpr const char* kPadding = "tokenizer.ggml.padding_token_id";
    const std::vector<std::string> tokens = tokensIn(metadata, what);
    Json ends = {{"eos_token", tokenAt(metadata, tokens, "tokenizer.ggml.eos_token_id", what)}};
    if (metadata.integer(kPadding)) {
        ends["pad_token"] = tokenAt(metadata, tokens, kPadding, what);
    }
    return ends;
}

}  // namespace lowtide::models
