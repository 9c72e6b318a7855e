#include "plugin/checkpoints/convert/tensor_converter.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/text.hpp"
#include "plugin/checkpoints/single_file/ldm_schedule.hpp"
#include "plugin/encodings/scaled_elements.hpp"
#include "plugin/files/gguf.hpp"
#include "plugin/files/safetensors.hpp"
#include "plugin/residency/element_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace lowtide::models {

namespace {

/// Space for the source's bytes of a piece, and for its numbers where blocks are read around it.
constexpr Bytes kConvertScratch = 16 * kMiB;

}  // namespace

ConvertWorkspace::ConvertWorkspace(Bytes total, GoesOn goesOn)
    : total_(total),
      goesOn_(std::move(goesOn)),
      numbers_(kPieceElements),
      back_(kPieceElements),
      scratch_(kConvertScratch) {}

void ConvertWorkspace::wrote(Bytes bytes) {
    done_ += bytes;
    if (goesOn_ && !goesOn_(done_, total_)) {
        stop_.cancel(CancelMode::Now);
    }
    stop().throwIfStopped();
}

namespace {

/// From here on a number becomes infinite as a half.
constexpr float kTooLargeForHalf = 65520;

memory::Storage storageOf(const NamedLocation& tensor) {
    const TensorLocation& location = tensor.second;
    return {.key = tensor.first,
            .fileOffset = location.offset,
            .fileType = location.type,
            .elementCount = elementCount(location.shape).value_or(0),
            .encoded = location.encoded};
}

}  // namespace

TensorConverter::TensorConverter(const NamedLocation& tensor,
                                 TargetTensor target,
                                 std::shared_ptr<const files::InputFile> file,
                                 const std::string& role,
                                 ConvertWorkspace& workspace)
    : tensor_(tensor),
      target_(std::move(target)),
      file_(std::move(file)),
      workspace_(workspace),
      elements_(file_, role, storageOf(tensor), workspace.scratch()),
      encoding_(target_.encoded ? &encodings::encodingOf(*target_.encoded) : nullptr) {}

double TensorConverter::error() const {
    return squares_ > 0 ? std::sqrt(differences_ / squares_) : 0;
}

bool TensorConverter::isCopied() const {
    return !encoding_ && !tensor_.second.encoded && tensor_.second.type == target_.type;
}

bool TensorConverter::hasScales() const {
    return target_.encoded && !target_.encoded->companions.empty();
}

void TensorConverter::fill(std::span<std::byte> piece, Bytes offset) {
    if (isCopied()) {
        file_->read(piece, tensor_.second.offset + offset, workspace_.stop());
        workspace_.wrote(static_cast<Bytes>(piece.size()));
        return;
    }
    if (hasScales() && scales_.empty()) {
        findScales();
    }
    const Bytes blockBytes = encoding_ ? target_.encoded->blockBytes : sizeOf(target_.type);
    const int64_t blockElements = encoding_ ? target_.encoded->blockElements : 1;
    int64_t first = offset / blockBytes * blockElements;
    for (Bytes done = 0; done < static_cast<Bytes>(piece.size());) {
        const int64_t left = (static_cast<Bytes>(piece.size()) - done) / blockBytes * blockElements;
        const int64_t count = std::min(ConvertWorkspace::kPieceElements, left);
        const Bytes bytes = count / blockElements * blockBytes;
        readNumbers(first, count);
        fillElements(piece.data() + done, first, count);
        measure(count);
        workspace_.wrote(bytes);
        done += bytes;
        first += count;
    }
}

void TensorConverter::readNumbers(int64_t first, int64_t count) {
    elements_.read(reinterpret_cast<std::byte*>(workspace_.numbers()),
                   DType::F32,
                   first,
                   count,
                   workspace_.stop());
    requireHeld(first, count);
}

void TensorConverter::requireHeld(int64_t first, int64_t count) const {
    const std::span numbers(workspace_.numbers(), static_cast<size_t>(count));
    const auto refuse = [&](ErrorKind kind, auto found, Phrase problem, Phrase hint) {
        throw Error(kind,
                    message("{}, {}: number {} is {}, {}",
                            quotedName(file_->name()),
                            quotedName(tensor_.first),
                            first + (found - numbers.begin()),
                            formatNumber(double(*found)),
                            problem),
                    hint);
    };
    if (encoding_) {
        const auto found = std::find_if_not(
            numbers.begin(), numbers.end(), [](float each) { return std::isfinite(each); });
        if (found != numbers.end()) {
            refuse(ErrorKind::Corrupt,
                   found,
                   phrase("which no encoding holds"),
                   phrase("the file is damaged: get it again, or choose another one"));
        }
    } else if (target_.type == DType::F16) {
        const auto found = std::find_if(numbers.begin(), numbers.end(), [](float each) {
            return std::fabs(each) >= kTooLargeForHalf && std::isfinite(each);
        });
        if (found != numbers.end()) {
            refuse(ErrorKind::InvalidInput,
                   found,
                   phrase("f16 holds up to 65504"),
                   phrase("choose f8 or int8, which leave this tensor in its type or scale it"));
        }
    }
}

void TensorConverter::findScales() {
    const int64_t rows = target_.encoded->companions.front().elementCount;
    const int64_t all = elementCount(target_.shape).value_or(0);
    const int64_t columns = all / rows;
    std::vector<float> largest(static_cast<size_t>(rows));
    for (int64_t first = 0; first < all; first += ConvertWorkspace::kPieceElements) {
        const int64_t count = std::min(ConvertWorkspace::kPieceElements, all - first);
        readNumbers(first, count);
        for (int64_t i = 0; i < count;) {
            const int64_t row = (first + i) / columns;
            const int64_t ofRow = std::min(count - i, (row + 1) * columns - first - i);
            float& most = largest[static_cast<size_t>(row)];
            most = std::max(most, residency::largestMagnitude(workspace_.numbers() + i, ofRow));
            i += ofRow;
        }
        workspace_.wrote(0);
    }
    for (const float most : largest) {
        scales_.push_back(encodings::scaleFor(most, encoding_->largestElement));
    }
}

void TensorConverter::fillElements(std::byte* bytes, int64_t first, int64_t count) {
    if (encoding_) {
        encode(bytes, first, count);
        return;
    }
    const auto* numbers = reinterpret_cast<const std::byte*>(workspace_.numbers());
    auto* back = reinterpret_cast<std::byte*>(workspace_.back());
    residency::convertElements(bytes, target_.type, numbers, DType::F32, count);
    residency::convertElements(back, DType::F32, bytes, target_.type, count);
}

void TensorConverter::encode(std::byte* bytes, int64_t first, int64_t count) {
    const memory::Encoded& encoded = *target_.encoded;
    const encodings::Part part{first, count};
    std::vector<std::span<const std::byte>> companions;
    for (size_t i = 0; i < encoded.companions.size(); ++i) {
        const encodings::ByteRange range = encodings::companionRange(encoded, i, part);
        companions.push_back(
            std::as_bytes(std::span(scales_))
                .subspan(static_cast<size_t>(range.begin), static_cast<size_t>(range.count)));
    }
    const encodings::StoredPart stored{
        .tensor = &encoded, .part = part, .blocks = bytes, .companions = companions};
    encoding_->encode(stored, workspace_.numbers(), bytes);
    if (const auto fault = encoding_->fault(stored)) {
        throw Error(ErrorKind::InvalidInput,
                    message("{}, {}: its numbers are too large for {}: {}",
                            quotedName(file_->name()),
                            quotedName(tensor_.first),
                            encoding_->label,
                            *fault),
                    message("choose f8 or int8, whose scales are f32"));
    }
    encoding_->decode(stored, workspace_.back());
}

void TensorConverter::measure(int64_t count) {
    const float* numbers = workspace_.numbers();
    const float* back = workspace_.back();
    for (int64_t i = 0; i < count; ++i) {
        if (std::isfinite(numbers[i])) {
            const double difference = double(back[i]) - double(numbers[i]);
            differences_ += difference * difference;
            squares_ += double(numbers[i]) * double(numbers[i]);
        }
    }
}

namespace {

using files::GgufValue;
using files::GgufValueType;

constexpr std::string_view kWeight = "weight";
constexpr const char* kStorageKey = "lowtide.storage";
constexpr const char* kPrediction = "modelspec.prediction_type";
constexpr int64_t kQuantisationVersion = 2;  ///< llama.cpp's GGML_QNT_VERSION
constexpr std::string_view kNoLongerTrue[] = {"modelspec.hash_sha256"};
/// From modelspec's metadata to GGUF's own keys.
constexpr std::pair<const char*, const char*> kGgufKeys[] = {
    {"modelspec.title", "general.name"},
    {"modelspec.author", "general.author"},
    {"modelspec.license", "general.license"},
    {"license", "general.license"}};

std::string writtenBy(const StorageForm& form) {
    return std::string(form.name) + ", re-encoded by Lowtide " LOWTIDE_VERSION;
}

/// License, modelspec and what reveals the prediction; nothing of a trainer's machine.
std::map<std::string, std::string> keptMetadata(const ConvertSource& source) {
    std::map<std::string, std::string> kept;
    for (const auto& [key, text] : source.weights.metadata) {
        const bool isStated =
            key == "license" || key == "global_step" || key.starts_with("modelspec.");
        const bool isTrue = std::find(std::begin(kNoLongerTrue), std::end(kNoLongerTrue), key) ==
                            std::end(kNoLongerTrue);
        if (isStated && isTrue) {
            kept.emplace(key, text);
        }
    }
    return kept;
}

void copyBytes(std::span<std::byte> piece, Bytes offset, std::span<const std::byte> bytes) {
    std::memcpy(piece.data(), bytes.data() + offset, piece.size());
}

/// What lies next to an encoded weight.
void addCompanions(const StorageForm& form,
                   const TensorConverter& tensor,
                   std::vector<files::TensorSource>& sources) {
    const std::string layer = tensor.name().substr(0, tensor.name().size() - kWeight.size());
    sources.push_back({.name = layer + "weight_scale",
                       .type = DType::F32,
                       .shape = form.scalesRows ? Shape{tensor.target().shape.front(), 1} : Shape{},
                       .fill = [&tensor](std::span<std::byte> piece, Bytes offset) {
                           copyBytes(piece, offset, std::as_bytes(tensor.scales()));
                       }});
    std::string settings = Json{{"format", form.comfyFormat}}.dump();
    settings.resize(static_cast<size_t>(alignUp(static_cast<Bytes>(settings.size()), 8)), ' ');
    sources.push_back({.name = layer + "comfy_quant",
                       .type = DType::U8,
                       .shape = {static_cast<int64_t>(settings.size())},
                       .fill = [settings](std::span<std::byte> piece, Bytes offset) {
                           copyBytes(piece, offset, std::as_bytes(std::span(settings)));
                       }});
}

files::FillPiece fillOf(TensorConverter& tensor) {
    return [&tensor](std::span<std::byte> piece, Bytes offset) { tensor.fill(piece, offset); };
}

files::GgmlType ggmlTypeOf(const StorageForm& form, const TargetTensor& target) {
    return target.encoded              ? form.ggmlType
           : target.type == DType::F16 ? files::GgmlType::F16
                                       : files::GgmlType::F32;
}

GgufValue shapeValue(const Shape& shape) {
    std::vector<GgufValue> sizes;
    for (const int64_t size : shape) {
        sizes.push_back(GgufValue::ofInteger(GgufValueType::Int32, size));
    }
    return GgufValue::ofArray(GgufValueType::Int32, sizes);
}

files::GgufMetadata ggufMetadata(const StorageForm& form, const ConvertSource& source) {
    files::GgufMetadata metadata;
    metadata.set("general.architecture", GgufValue::ofText(source.architecture));
    metadata.set("general.quantization_version",
                 GgufValue::ofInteger(GgufValueType::Uint32, kQuantisationVersion));
    metadata.set("general.file_type",
                 GgufValue::ofInteger(GgufValueType::Uint32, form.ggufFileType));
    metadata.set("general.quantized_by", GgufValue::ofText("Lowtide " LOWTIDE_VERSION));
    std::map<std::string, std::string> kept = keptMetadata(source);
    if (const auto prediction = statedPrediction(source.weights)) {
        kept.emplace(kPrediction, *prediction == "v_prediction" ? "v" : *prediction);
    }
    for (const auto& [from, to] : kGgufKeys) {
        if (const auto found = kept.find(from); found != kept.end()) {
            metadata.set(to, GgufValue::ofText(found->second));
        }
    }
    kept.emplace(kStorageKey, writtenBy(form));
    for (const auto& [key, text] : kept) {
        metadata.set(key, GgufValue::ofText(text));
    }
    return metadata;
}

}  // namespace

void writeComfyFile(const std::string& path,
                    const StorageForm& form,
                    const ConvertSource& source,
                    const TensorConverters& tensors,
                    const StopToken& stop) {
    std::vector<files::TensorSource> sources;
    for (const auto& tensor : tensors) {
        sources.push_back({.name = tensor->name(),
                           .type = tensor->target().type,
                           .shape = tensor->target().shape,
                           .fill = fillOf(*tensor)});
        if (tensor->target().encoded) {
            addCompanions(form, *tensor, sources);
        }
    }
    std::map<std::string, std::string> metadata = keptMetadata(source);
    metadata.emplace("format", "pt");  // transformers and diffusers ask for it
    metadata.emplace(kStorageKey, writtenBy(form));
    files::writeSafetensors(path, sources, metadata, stop);
}

void writeGgufFile(const std::string& path,
                   const StorageForm& form,
                   const ConvertSource& source,
                   const TensorConverters& tensors,
                   const StopToken& stop) {
    files::GgufMetadata metadata = ggufMetadata(form, source);
    std::vector<files::GgufSource> sources;
    for (const auto& tensor : tensors) {
        const std::string name(source.nameInDenoiser(tensor->name()));
        const Shape& original = source.weights.map.tensors.at(tensor->name()).shape;
        if (tensor->target().shape != original) {
            metadata.set("comfy.gguf.orig_shape." + name, shapeValue(original));
        }
        sources.push_back({.name = name,
                           .type = ggmlTypeOf(form, tensor->target()),
                           .shape = tensor->target().shape,
                           .fill = fillOf(*tensor)});
    }
    files::writeGguf(path, metadata, sources, stop);
}

}  // namespace lowtide::models
