#include "plugin/checkpoints/convert/storage_form.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace lowtide::models {

Bytes storedBytes(const TensorLocation& location) {
    Bytes bytes = location.bytes();
    if (location.encoded) {
        for (const memory::Companion& companion : location.encoded->companions) {
            bytes += companion.bytes();
        }
    }
    return bytes;
}

void StoredFractions::add(DType type, const std::optional<memory::Encoded>& encoded, Bytes bytes) {
    const std::string storage = encoded ? encoded->encoding : std::string(nameOf(type));
    StoredFraction& fraction = fractions_[storage];
    fraction.storage = storage;
    ++fraction.tensors;
    fraction.bytes += bytes;
}

std::vector<StoredFraction> StoredFractions::sorted() const {
    std::vector<StoredFraction> all;
    for (const auto& [name, fraction] : fractions_) {
        all.push_back(fraction);
    }
    std::stable_sort(all.begin(), all.end(), [](const StoredFraction& a, const StoredFraction& b) {
        return a.bytes > b.bytes;
    });
    return all;
}

Bytes StoredFractions::bytes() const {
    Bytes sum = 0;
    for (const auto& [name, fraction] : fractions_) {
        sum += fraction.bytes;
    }
    return sum;
}

namespace {

constexpr std::array<StorageForm, 5> kStorageForms = {{
    {.name = "f16"},
    {.name = "f8", .encoding = "f8_e4m3", .comfyFormat = "float8_e4m3fn", .element = DType::F8E4M3},
    {.name = "int8",
     .encoding = "int8",
     .comfyFormat = "int8_tensorwise",
     .element = DType::I8,
     .scalesRows = true},
    {.name = "q8_0",
     .encoding = "q8_0",
     .ggmlType = files::GgmlType::Q8_0,
     .ggufFileType = 7},  // MOSTLY_Q8_0
    {.name = "q4_k",
     .encoding = "q4_k",
     .ggmlType = files::GgmlType::Q4_K,
     .ggufFileType = 14},  // MOSTLY_Q4_K_S
}};

constexpr int64_t kMostSmallElements = 1024;
constexpr int64_t kGgufRow = 256;
/// Layers that every step depends on and that weigh little.
constexpr std::string_view kTimeAndLabels[] = {"time_embed.",
                                               "label_emb.",
                                               "time_embedding.",
                                               "add_embedding.",
                                               "class_embedding.",
                                               "time_projection.",
                                               "text_embedding.",
                                               "img_emb.",
                                               "condition_embedder.",
                                               "t_embedder.",
                                               "p_embedder."};
constexpr std::string_view kAttentionProjections[] = {"proj_in.", "proj_out."};
constexpr std::string_view kFirstAndLast[] = {"conv_in.", "conv_out.", "patch_embedding."};
constexpr std::string_view kLastOfDiffusers = "proj_out.weight";
constexpr std::string_view kLdmFirstAndLast[] = {"input_blocks.0.0.weight", "out.2.weight"};

template <class Parts>
bool containsOneOf(std::string_view name, const Parts& parts) {
    return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
        return name.find(part) != name.npos;
    });
}

int64_t elementsOf(const TensorLocation& location) {
    return elementCount(location.shape).value_or(0);
}

/// What was encoded in the source comes as halves where it is not encoded again.
DType plainTypeOf(const TensorLocation& location) {
    return location.encoded ? DType::F16 : location.type;
}

bool fitsHalf(DType type) {
    return type == DType::F16 || type == DType::F8E4M3 || type == DType::F8E5M2;
}

/// Rows of 256 for a tensor whose own are no whole blocks of that.
Shape ggufShape(const TensorLocation& location) {
    const int64_t count = elementsOf(location);
    return count % kGgufRow == 0 && location.shape.back() % kGgufRow != 0
               ? Shape{count / kGgufRow, kGgufRow}
               : location.shape;
}

/// Elements with scales next to them.
memory::Encoded scaledAs(const StorageForm& form, const Shape& shape) {
    return {.encoding = std::string(form.encoding),
            .columns = shape.back(),
            .companions = {
                {.key = "weight_scale", .elementCount = form.scalesRows ? shape.front() : 1}}};
}

memory::Encoded blocksAs(const StorageForm& form, const Shape& shape) {
    const files::GgmlTypeInfo& info = files::infoOf(form.ggmlType);
    return {.encoding = std::string(form.encoding),
            .blockElements = info.elementsPerBlock,
            .blockBytes = info.bytesPerBlock,
            .columns = shape.back()};
}

}  // namespace

Bytes TargetTensor::bytes() const {
    return storedBytes(TensorLocation{.type = type, .shape = shape, .encoded = encoded});
}

std::span<const StorageForm> storageForms() {
    return kStorageForms;
}

const StorageForm& storageForm(std::string_view name) {
    const auto found = std::find_if(kStorageForms.begin(),
                                    kStorageForms.end(),
                                    [&](const StorageForm& form) { return form.name == name; });
    if (found == kStorageForms.end()) {
        std::vector<std::string> names;
        for (const StorageForm& form : kStorageForms) {
            names.emplace_back(form.name);
        }
        throw Error(ErrorKind::InvalidInput,
                    message("there is no storage {}", quotedName(name)),
                    message("choose {}", listSome(names)),
                    "storage");
    }
    return *found;
}

TargetTensor comfyTarget(const StorageForm& form,
                         std::string_view name,
                         const TensorLocation& location,
                         std::span<const std::string_view> precise) {
    if (form.encoding.empty()) {
        const bool isFloat = location.encoded || isFloating(location.type);
        return {location.shape, isFloat ? DType::F16 : location.type};
    }
    const bool isLinear = name.ends_with(".weight") && location.shape.size() == 2 &&
                          elementsOf(location) > kMostSmallElements &&
                          !containsOneOf(name, kTimeAndLabels) && !containsOneOf(name, precise) &&
                          name != kLastOfDiffusers;
    return isLinear ? TargetTensor{location.shape, form.element, scaledAs(form, location.shape)}
                    : TargetTensor{location.shape, plainTypeOf(location)};
}

TargetTensor ggufTarget(const StorageForm& form,
                        std::string_view name,
                        const TensorLocation& location,
                        std::span<const std::string_view> precise) {
    const DType plain = fitsHalf(plainTypeOf(location)) ? DType::F16 : DType::F32;
    const bool isPrecise =
        containsOneOf(name, kFirstAndLast) || containsOneOf(name, precise) ||
        name == kLastOfDiffusers ||
        std::find(std::begin(kLdmFirstAndLast), std::end(kLdmFirstAndLast), name) !=
            std::end(kLdmFirstAndLast);
    if (location.shape.size() < 2 || elementsOf(location) <= kMostSmallElements || isPrecise) {
        return {location.shape, plain};
    }
    const Shape shape = ggufShape(location);
    if (containsOneOf(name, kTimeAndLabels) || containsOneOf(name, kAttentionProjections) ||
        !files::byteCount(form.ggmlType, shape)) {
        return {location.shape, DType::F16};
    }
    return {shape, DType::F32, blocksAs(form, shape)};
}

}  // namespace lowtide::models
