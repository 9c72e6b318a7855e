#include "plugin/base/error.hpp"
#include "plugin/checkpoints/layouts/layout.hpp"
#include "plugin/checkpoints/single_file/component_maps.hpp"
#include "plugin/checkpoints/single_file/gguf_pieces.hpp"
#include "plugin/checkpoints/single_file/ldm_parts.hpp"
#include "plugin/checkpoints/single_file/t5_names.hpp"
#include "plugin/checkpoints/single_file/t5_settings.hpp"
#include "plugin/checkpoints/single_file/tokenizer_beside.hpp"
#include "plugin/checkpoints/single_file/tokenizer_sizes.hpp"
#include "plugin/checkpoints/weight_map.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/input_file.hpp"

#include <utility>

namespace lowtide::models {

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
        return wanTextName;
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

std::string readPieces(const WeightMap& file, const TensorPlace& place) {
    const Bytes size = place.bytes();
    if (place.type != DType::U8 || size > kLargestTokenizer) {
        throw Error(ErrorKind::Corrupt,
                    file.what + ", \"" + std::string(kPiecesTensor) + "\": no tokenizer of bytes",
                    "get the file again");
    }
    std::string text(static_cast<size_t>(size), '\0');
    files::InputFile(file.files[place.file].path)
        .read(std::as_writable_bytes(std::span(text)), place.offset);
    return text;
}

/// Pieces first: they are a quarter of the bytes, and both give the same ids.
std::span<const TokenizerForm> unigramForms() {
    static const std::vector<TokenizerForm> forms = {{{kPiecesFile}, tokensOfPieces},
                                                     {{"tokenizer.json"}, tokensOfUnigramJson}};
    return forms;
}

/// In the file, or else beside it.
FileDocuments tokenizerOf(const SharedHeader& file,
                          const ModelSource& source,
                          const Json& settings,
                          std::vector<memory::WeightFile>& stamps) {
    FileDocuments found{.className = kTokenizerClass, .files = {}};
    const auto pieces = file->map.tensors.find(kPiecesTensor);
    if (pieces != file->map.tensors.end()) {
        found.files[kPiecesFile] = {
            .path = file->map.what + ", \"" + std::string(kPiecesTensor) + "\"",
            .read = [file, place = pieces->second] { return readPieces(file->map, place); }};
        return found;
    }
    if (!hasGgufPieces(*file)) {
        static constexpr const char* kSettings[] = {kTokenizerSettings};
        const bool isUmt5 = settings.at("model_type") == "umt5";
        return tokenizerBeside(
            source.path.path,
            {.className = kTokenizerClass,
             .forms = unigramForms(),
             .settings = kSettings,
             .rows = settings.at("vocab_size").get<int64_t>(),
             .remedy = std::string("put spiece.model of ") + (isUmt5 ? "UMT5 XXL" : "T5 v1.1 XXL") +
                       " into its folder, or into tokenizer/ there"},
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
    parts.documents["tokenizer"] = tokenizerOf(file, source, stated, parts.files);
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

/// A T5 encoder alone: ComfyUI's umt5_xxl with its tokenizer inside, WAN's own .pth, llama.cpp's
/// GGUF.
const Layout& t5_encoder() {
    static const Layout layout{.name = "t5_encoder",
                               .component = "text_encoder",
                               .kind = "text_encoder",
                               .use = "choose it in Load text encoder or Load text encoders",
                               .detect = detectT5,
                               .open = openT5,
                               .label = labelT5};
    return layout;
}

}  // namespace lowtide::models
