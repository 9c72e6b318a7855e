// T5 encoders in files of their own: names of their weights, settings derived from shapes, the
// tokenizer inside, next to them or built in. Torch-free.

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/sibling_tokenizer.hpp"
#include "plugin/checkpoints/single_file/single_file.hpp"
#include "plugin/checkpoints/weight_file.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/gguf_metadata.hpp"
#include "plugin/files/input_file.hpp"
#include "plugin/nn/blocks/network_builder.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lowtide::models {

/// "encoder.block.0.layer.0.SelfAttention.q.weight" -> "blocks.0.attn.q.weight". Source: the
/// authors' t5.py that umt5_xxl is published with.
[[nodiscard]] std::string authorsTextName(std::string_view name);

/// The same -> "enc.blk.0.attn_q.weight". Source: llama.cpp gguf-py/gguf/constants.py.
[[nodiscard]] std::string ggufTextName(std::string_view name);

/// Of UMT5 where a layer behind the first one has biases of its own, else of T5. Error{Corrupt}
/// names a tensor that is missing.
[[nodiscard]] Json t5Settings(const TensorView& tensors);

/// Whether a file states that it holds the tokenizer of a T5.
[[nodiscard]] bool hasGgufPieces(const WeightFileHeader& file);
/// That tokenizer, which llama.cpp's converter keeps in the metadata, as the spiece.model that it
/// was made of: pieces, the unknown one, replaced characters. Unused pieces at the end, which fill
/// the table up, are left out. Error{Corrupt} names the key that does not fit.
/// Source: llama.cpp convert_hf_to_gguf.py, T5EncoderModel.
[[nodiscard]] std::string piecesInGguf(const files::GgufMetadata& metadata,
                                       const std::string& what);

namespace {

/// ComfyUI's files hold the tokenizer's as a tensor of bytes.
constexpr std::string_view kPiecesTensor = "spiece_model";
constexpr const char* kTokenizerClass = "T5Tokenizer";
constexpr Bytes kLargestTokenizer = 64 * kMiB;
constexpr const char* kPiecesFile = "spiece.model";
constexpr const char* kTokenizerSettings = "tokenizer_config.json";

using NameInFile = std::function<std::string(std::string_view)>;

/// How our names stand in the file. Empty: it has no such encoder.
NameInFile namesOfT5(const WeightMap& file) {
    const auto has = [&](const char* name) { return file.tensors.contains(name); };
    if (has("encoder.block.0.layer.0.SelfAttention.q.weight")) {
        return [](std::string_view name) { return std::string(name); };
    }
    if (has("blocks.0.attn.q.weight") && has("token_embedding.weight")) {
        return authorsTextName;
    }
    return has("enc.blk.0.attn_q.weight") ? NameInFile(ggufTextName) : NameInFile();
}

double detectT5(const ModelSource& source) {
    return source.header && namesOfT5(source.header->map) ? 0.5 : 0;
}

WeightMap t5Map(const WeightMap& file) {
    WeightMap map = wholeMap(file, namesOfT5(file));
    if (const auto pieces = map.tensors.find(kPiecesTensor); pieces != map.tensors.end()) {
        map.tensors.erase(pieces);
    }
    return map;
}

std::string readPieces(const WeightMap& file, const TensorLocation& location) {
    const Bytes size = location.bytes();
    if (location.type != DType::U8 || size > kLargestTokenizer) {
        throw Error(ErrorKind::Corrupt,
                    message("{}, \"{}\": no tokenizer of bytes", file.what, kPiecesTensor),
                    message("get the file again"));
    }
    std::string text(static_cast<size_t>(size), '\0');
    files::InputFile(file.files[location.file].path)
        .read(std::as_writable_bytes(std::span(text)), location.offset);
    return text;
}

/// Pieces first: they are a quarter of the bytes, and both give the same ids.
std::span<const TokenizerForm> unigramForms() {
    static const std::vector<TokenizerForm> forms = {{{kPiecesFile}, tokensOfPieces},
                                                     {{"tokenizer.json"}, tokensOfUnigramJson}};
    return forms;
}

/// T5's and UMT5's. What tokenizer_config.json states of T5 is what is taken without one.
std::span<const BuiltInTokenizer> unigramBuiltIn() {
    static const std::vector<BuiltInTokenizer> builtIn = {
        {.folder = "t5", .tokens = 32100, .files = {kPiecesFile}},
        {.folder = "umt5", .tokens = 256300, .files = {kPiecesFile, kTokenizerSettings}}};
    return builtIn;
}

/// In the file, or else next to it, or else built in.
FileDocuments tokenizerOf(const SharedHeader& file,
                          const ModelSource& source,
                          const Json& settings,
                          const std::string& resourcesFolder,
                          std::vector<memory::WeightFile>& stamps) {
    FileDocuments found{.className = kTokenizerClass, .files = {}};
    const auto pieces = file->map.tensors.find(kPiecesTensor);
    if (pieces != file->map.tensors.end()) {
        found.files[kPiecesFile] = {
            .path = file->map.what + ", \"" + std::string(kPiecesTensor) + "\"",
            .read = [file, location = pieces->second] { return readPieces(file->map, location); }};
        return found;
    }
    if (!hasGgufPieces(*file)) {
        static constexpr const char* kSettings[] = {kTokenizerSettings};
        const bool isUmt5 = settings.at("model_type") == "umt5";
        return siblingTokenizer(
            source.path.path,
            {.className = kTokenizerClass,
             .forms = unigramForms(),
             .settings = kSettings,
             .builtIn = unigramBuiltIn(),
             .resourcesFolder = resourcesFolder,
             .rows = settings.at("vocab_size").get<int64_t>(),
             .remedy = message("put spiece.model of {} into its folder, or into tokenizer/ there",
                               isUmt5 ? "UMT5 XXL" : "T5 v1.1 XXL")},
            stamps);
    }
    found.files[kPiecesFile] = {.path = source.path.name, .read = [path = source.path] {
                                    const files::InputFile opened(path.path);
                                    return piecesInGguf(files::readGgufHeader(opened).metadata,
                                                        path.name);
                                }};
    found.files[kTokenizerSettings] = {.path = source.path.name,
                                       .read = [] { return R"({"extra_ids": 0})"; }};
    return found;
}

std::unique_ptr<Checkpoint> openT5(ModelSource source, const std::string& resourcesFolder) {
    const SharedHeader file = sharedHeader(source);
    const auto settings = [file] {
        const WeightMap map = t5Map(file->map);
        return t5Settings(viewOf(map));
    };
    const Json stated = settings();
    const bool isUmt5 = stated.at("model_type") == "umt5";
    FileParts parts;
    parts.networks["text_encoder"] = {.className = isUmt5 ? "UMT5EncoderModel" : "T5EncoderModel",
                                      .settings = settings,
                                      .weights = [file] { return t5Map(file->map); }};
    parts.documents["tokenizer"] = tokenizerOf(file, source, stated, resourcesFolder, parts.files);
    return std::make_unique<SingleFile>(source, std::move(parts), resourcesFolder);
}

std::string labelT5(Checkpoint& opened) {
    constexpr int64_t kXxl = 4096;
    const char* file = "text_encoder/config.json";
    const Json settings = opened.readJson(file);
    const int64_t width =
        JsonReader(settings, opened.name() + "/" + file).integer("d_model").value_or(0);
    return std::string(settings.at("model_type") == "umt5" ? "UMT5" : "T5") +
           (width == kXxl ? " XXL" : ", " + std::to_string(width) + " wide");
}

}  // namespace

/// A T5 encoder alone: ComfyUI's umt5_xxl with its tokenizer inside, its authors' .pth, llama.cpp's
/// GGUF.
const Layout& t5_encoder() {
    static const Layout layout{
        .name = "t5_encoder",
        .component = "text_encoder",
        .kind = "text_encoder",
        .use = phrase("choose it in Load text encoder or Load text encoders"),
        .detect = detectT5,
        .open = openT5,
        .label = labelT5};
    return layout;
}

namespace {

constexpr std::pair<std::string_view, std::string_view> kAuthorsTextParts[] = {
    {"shared.", "token_embedding."},
    {"encoder.embed_tokens.", "token_embedding."},
    {"encoder.final_layer_norm.", "norm."},
    {"encoder.block.", "blocks."},
    {".layer.0.layer_norm.", ".norm1."},
    {".layer.1.layer_norm.", ".norm2."},
    {".layer.0.SelfAttention.relative_attention_bias.", ".pos_embedding.embedding."},
    {".layer.0.SelfAttention.", ".attn."},
    {".layer.1.DenseReluDense.wi_0.", ".ffn.gate.0."},
    {".layer.1.DenseReluDense.wi_1.", ".ffn.fc1."},
    {".layer.1.DenseReluDense.wo.", ".ffn.fc2."},
};

constexpr std::pair<std::string_view, std::string_view> kGgufTextParts[] = {
    {"shared.", "token_embd."},
    {"encoder.embed_tokens.", "token_embd."},
    {"encoder.final_layer_norm.", "enc.output_norm."},
    {"encoder.block.", "enc.blk."},
    {".layer.0.layer_norm.", ".attn_norm."},
    {".layer.1.layer_norm.", ".ffn_norm."},
    {".layer.0.SelfAttention.relative_attention_bias.", ".attn_rel_b."},
    {".layer.0.SelfAttention.", ".attn_"},
    {".layer.1.DenseReluDense.wi_0.", ".ffn_gate."},
    {".layer.1.DenseReluDense.wi_1.", ".ffn_up."},
    {".layer.1.DenseReluDense.wo.", ".ffn_down."},
};

}  // namespace

std::string authorsTextName(std::string_view name) {
    return renamed(std::string(name), kAuthorsTextParts);
}

std::string ggufTextName(std::string_view name) {
    return renamed(std::string(name), kGgufTextParts);
}

namespace {

std::string t5Attention(const std::string& layer, const char* part) {
    return "encoder.block." + layer + ".layer.0.SelfAttention." + part + ".weight";
}

}  // namespace

Json t5Settings(const TensorView& tensors) {
    const std::string biases = t5Attention("0", "relative_attention_bias");
    const char* const inner = "encoder.block.0.layer.1.DenseReluDense.wi_0.weight";
    const char* const table =
        tensors.has("shared.weight") ? "shared.weight" : "encoder.embed_tokens.weight";
    const int64_t heads = tensors.size(biases, 1);
    const int64_t layers =
        tensors.count([](const std::string& layer) { return t5Attention(layer, "q"); });
    const bool isUmt5 = layers == 1 || tensors.has(t5Attention("1", "relative_attention_bias"));
    return {{"model_type", isUmt5 ? "umt5" : "t5"},
            {"feed_forward_proj", "gated-gelu"},
            {"vocab_size", tensors.size(table, 0)},
            {"d_model", tensors.size(table, 1)},
            {"d_kv", tensors.size(t5Attention("0", "q"), 0) / std::max<int64_t>(heads, 1)},
            {"num_heads", heads},
            {"d_ff", tensors.size(inner, 0)},
            {"num_layers", layers},
            {"relative_attention_num_buckets", tensors.size(biases, 0)}};
}

namespace {

constexpr int64_t kUnknownType = 2;
constexpr int64_t kUnusedType = 5;
constexpr uint64_t kUnigramKind = 1;

[[noreturn]] void refuseTokens(const std::string& what, const Message& problem) {
    throw Error(
        ErrorKind::Corrupt, message("{}: {}", what, problem), message("get the file again"));
}

/// Writes fields of protocol buffers.
class MessageWriter {
public:
    MessageWriter& text(uint64_t field, std::string_view value) {
        varint(field << 3 | 2U);
        varint(value.size());
        bytes_ += value;
        return *this;
    }

    MessageWriter& number(uint64_t field, uint64_t value) {
        varint(field << 3);
        varint(value);
        return *this;
    }

    MessageWriter& real(uint64_t field, float value) {
        varint(field << 3 | 5U);
        const auto bits = std::bit_cast<uint32_t>(value);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes_ += static_cast<char>(bits >> shift & 0xFFU);
        }
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes_ += static_cast<char>(value | 0x80U);
        }
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

std::vector<double> numbersAt(const files::GgufMetadata& metadata,
                              const char* key,
                              const std::string& what) {
    const files::GgufValue* value = metadata.find(key);
    const auto elements = value ? value->elements() : std::nullopt;
    std::vector<double> numbers;
    for (const files::GgufValue& each : elements.value_or(std::vector<files::GgufValue>())) {
        const std::optional<double> number = each.number();
        if (!number) {
            refuseTokens(what, message("{} has an element that is no number", key));
        }
        numbers.push_back(*number);
    }
    return numbers;
}

std::string characterMapAt(const files::GgufMetadata& metadata) {
    std::string map;
    for (const int64_t byte : metadata.integers("tokenizer.ggml.precompiled_charsmap")
                                  .value_or(std::vector<int64_t>())) {
        map += static_cast<char>(byte);
    }
    return map;
}

}  // namespace

bool hasGgufPieces(const WeightFileHeader& file) {
    const auto model = file.metadata.find("tokenizer.ggml.model");
    return model != file.metadata.end() && model->second == "t5";
}

std::string piecesInGguf(const files::GgufMetadata& metadata, const std::string& what) {
    const std::vector<std::string> tokens =
        metadata.texts("tokenizer.ggml.tokens").value_or(std::vector<std::string>());
    const std::vector<double> scores = numbersAt(metadata, "tokenizer.ggml.scores", what);
    const std::vector<double> types = numbersAt(metadata, "tokenizer.ggml.token_type", what);
    if (tokens.empty() || scores.size() != tokens.size() || types.size() != tokens.size()) {
        refuseTokens(what,
                     message("tokenizer.ggml has {} tokens, {} scores and {} types",
                             tokens.size(),
                             scores.size(),
                             types.size()));
    }
    const auto last =
        std::find_if(types.rbegin(), types.rend(), [](double type) { return type != kUnusedType; });
    const auto count = static_cast<size_t>(types.rend() - last);
    const auto unknown = std::find(types.begin(), types.end(), kUnknownType) - types.begin();
    MessageWriter model;
    for (size_t i = 0; i < count; ++i) {
        model.text(
            1, MessageWriter().text(1, tokens[i]).real(2, static_cast<float>(scores[i])).bytes());
    }
    model.text(
        2,
        MessageWriter()
            .number(3, kUnigramKind)
            .number(40,
                    static_cast<uint64_t>(
                        metadata.integer("tokenizer.ggml.unknown_token_id").value_or(unknown)))
            .bytes());
    model.text(3, MessageWriter().text(2, characterMapAt(metadata)).bytes());
    return model.bytes();
}

}  // namespace lowtide::models
