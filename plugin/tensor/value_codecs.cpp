#include "plugin/tensor/value_codecs.hpp"

#include "plugin/base/error.hpp"
#include "plugin/residency/scalar_type.hpp"
#include "plugin/tensor/stage_values.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace lowtide::tensor {

namespace {

using memory::EncodedValue;
using memory::WireRef;

/// Collects the parts of a value; the tensors live as long as what finish() returns.
class Encoder {
public:
    /// Undefined tensors are left out.
    void add(const std::string& name, const at::Tensor& value) {
        if (!value.defined()) {
            return;
        }
        LOWTIDE_ASSERT(value.is_cpu());
        const at::Tensor& kept = held_->emplace_back(value.contiguous());
        const std::optional<DType> type = elementTypeOf(kept.scalar_type());
        LOWTIDE_ASSERT(type.has_value());
        value_.tensors[name] = {
            .type = *type,
            .shape = kept.sizes().vec(),
            .bytes = {static_cast<const std::byte*>(kept.const_data_ptr()), kept.nbytes()}};
    }

    EncodedValue finish(Json metadata) {
        value_.metadata = std::move(metadata);
        value_.owner = held_;
        return std::move(value_);
    }

private:
    std::shared_ptr<std::vector<at::Tensor>> held_ = std::make_shared<std::vector<at::Tensor>>();
    EncodedValue value_;
};

[[noreturn]] void refuse(const Message& problem) {
    throw Error(ErrorKind::Corrupt, message("a kept value {}", problem));
}

/// A tensor of the file as one of our own; undefined when it is not there.
at::Tensor tensorOf(const EncodedValue& value, const std::string& name) {
    const auto found = value.tensors.find(name);
    if (found == value.tensors.end()) {
        return {};
    }
    at::Tensor made = at::empty(found->second.shape,
                                at::TensorOptions(residency::scalarTypeOf(found->second.type)));
    if (made.nbytes() != found->second.bytes.size()) {
        refuse(message("has a tensor \"{}\" of a wrong size", name));
    }
    if (made.nbytes() > 0) {
        std::memcpy(made.data_ptr(), found->second.bytes.data(), made.nbytes());
    }
    return made;
}

at::Tensor requiredTensor(const EncodedValue& value,
                          const std::string& name,
                          at::ScalarType type,
                          int64_t dimensions) {
    at::Tensor found = tensorOf(value, name);
    if (!found.defined() || found.scalar_type() != type || found.dim() != dimensions) {
        refuse(message("lacks the tensor \"{}\", or it is of another kind", name));
    }
    return found;
}

std::string requiredText(const JsonReader& reader, const char* key) {
    const std::optional<std::string> text = reader.text(key);
    if (!text) {
        refuse(message("lacks \"{}\"", key));
    }
    return *text;
}

int64_t requiredInteger(const JsonReader& reader, const char* key) {
    const std::optional<int64_t> number = reader.integer(key);
    if (!number) {
        refuse(message("lacks \"{}\"", key));
    }
    return *number;
}

Json toJson(const Provenance& provenance) {
    return {{"prompt", provenance.prompt},
            {"negative", provenance.negative},
            {"fields", provenance.fields},
            {"of_pictures", provenance.ofImages},
            {"rate", provenance.rate}};
}

Provenance::Fields fieldsFrom(const Json& json) {
    Provenance::Fields fields;
    for (const Json& field : json) {
        if (!field.is_array() || field.size() != 2 || !field[0].is_string() ||
            !field[1].is_string()) {
            refuse(message("has a provenance that is no list of pairs"));
        }
        fields.emplace_back(field[0].get<std::string>(), field[1].get<std::string>());
    }
    return fields;
}

Provenance provenanceFrom(const EncodedValue& value) {
    const JsonReader outer(value.metadata, "a kept value");
    const Json* json = outer.member("provenance");
    if (!json) {
        refuse(message("lacks \"provenance\""));
    }
    const JsonReader reader(*json, "the provenance of a kept value");
    Provenance provenance{.prompt = requiredText(reader, "prompt"),
                          .negative = requiredText(reader, "negative")};
    if (const Json* fields = reader.member("fields")) {
        provenance.fields = fieldsFrom(*fields);
    }
    if (const Json* images = reader.member("of_pictures")) {
        for (const Json& fields : *images) {
            provenance.ofImages.push_back(fieldsFrom(fields));
        }
    }
    provenance.rate = reader.number("rate").value_or(0);
    return provenance;
}

double requiredNumber(const JsonReader& reader, const char* key) {
    const std::optional<double> number = reader.number(key);
    if (!number) {
        refuse(message("lacks \"{}\"", key));
    }
    return *number;
}

Json toJson(const ConditioningScope& scope) {
    Json json = {{"strength", scope.strength}, {"start", scope.start}, {"end", scope.end}};
    if (scope.area) {
        json["area"] = {{"x", scope.area->xPixels},
                        {"y", scope.area->yPixels},
                        {"width", scope.area->widthPixels},
                        {"height", scope.area->heightPixels}};
    }
    return json;
}

ConditioningScope scopeFrom(const Json& json) {
    const JsonReader reader(json, "an entry of a kept conditioning");
    ConditioningScope scope{.area = std::nullopt,
                            .strength = requiredNumber(reader, "strength"),
                            .start = requiredNumber(reader, "start"),
                            .end = requiredNumber(reader, "end")};
    if (const Json* area = reader.member("area")) {
        const JsonReader sides(*area, "the area of a kept conditioning");
        scope.area = ImageArea{.xPixels = requiredInteger(sides, "x"),
                               .yPixels = requiredInteger(sides, "y"),
                               .widthPixels = requiredInteger(sides, "width"),
                               .heightPixels = requiredInteger(sides, "height")};
    }
    return scope;
}

constexpr std::pair<const char*, FieldKind> kFieldKinds[] = {
    {"sequence", FieldKind::Sequence}, {"vector", FieldKind::Vector}, {"image", FieldKind::Image}};

Json toJson(const ConditioningField& field) {
    const auto* kind = std::find_if(std::begin(kFieldKinds),
                                    std::end(kFieldKinds),
                                    [&](const auto& known) { return known.second == field.kind; });
    return {{"name", field.name}, {"kind", kind->first}, {"width", field.width}};
}

ConditioningField fieldFrom(const Json& json) {
    const JsonReader reader(json, "a field of a kept conditioning");
    const std::string named = requiredText(reader, "kind");
    const auto* kind = std::find_if(std::begin(kFieldKinds),
                                    std::end(kFieldKinds),
                                    [&](const auto& known) { return known.first == named; });
    if (kind == std::end(kFieldKinds)) {
        refuse(message("has a field of the unknown kind \"{}\"", named));
    }
    return {.name = requiredText(reader, "name"),
            .kind = kind->second,
            .width = requiredInteger(reader, "width")};
}

/// A list of the metadata that has something in it.
const Json& requiredList(const JsonReader& reader, const char* key) {
    const Json* list = reader.member(key);
    if (!list || !list->is_array() || list->empty()) {
        refuse(message("lacks \"{}\"", key));
    }
    return *list;
}

/// Tensors are named by their field and the number of their prompt: "embeds.0".
class ConditioningCodec final : public memory::ValueCodec {
public:
    [[nodiscard]] std::string_view type() const override { return "CONDITIONING"; }

    [[nodiscard]] EncodedValue encode(const WireRef& value) const override {
        const auto& conditioning = dynamic_cast<const Conditioning&>(*value);
        Encoder encoder;
        Json fields = Json::array();
        for (const ConditioningField& field : conditioning.fields()) {
            fields.push_back(toJson(field));
        }
        Json entries = Json::array();
        for (const ConditioningEntry& entry : conditioning.entries()) {
            for (const auto& [name, tensor] : entry.tensors) {
                encoder.add(name + "." + std::to_string(entries.size()), tensor);
            }
            Json json = toJson(entry.scope);
            json["numbers"] = entry.numbers;
            entries.push_back(std::move(json));
        }
        return encoder.finish({{"prompt", conditioning.prompt()},
                               {"other_prompts", conditioning.otherPrompts()},
                               {"clip_skip", conditioning.clipSkip()},
                               {"embeddings", conditioning.embeddings()},
                               {"fields", std::move(fields)},
                               {"entries", std::move(entries)}});
    }

    [[nodiscard]] WireRef decode(const EncodedValue& value) const override {
        const JsonReader reader(value.metadata, "a kept conditioning");
        ConditioningFields fields;
        for (const Json& field : requiredList(reader, "fields")) {
            fields.push_back(fieldFrom(field));
        }
        std::vector<ConditioningEntry> entries;
        for (const Json& entry : requiredList(reader, "entries")) {
            entries.push_back({.tensors = tensorsFrom(value, fields, entries.size()),
                               .numbers = numbersFrom(entry),
                               .scope = scopeFrom(entry)});
        }
        return std::make_shared<Conditioning>(
            std::move(fields),
            std::move(entries),
            requiredText(reader, "prompt"),
            static_cast<int>(requiredInteger(reader, "clip_skip")),
            reader.texts("other_prompts").value_or(std::vector<std::string>()),
            reader.texts("embeddings").value_or(std::vector<std::string>()));
    }

private:
    static NamedNumbers numbersFrom(const Json& entry) {
        const JsonReader reader(entry, "an entry of a kept conditioning");
        const Json* json = reader.member("numbers");
        if (!json || !json->is_object()) {
            refuse(message("lacks \"numbers\""));
        }
        const JsonReader numbers(*json, "the numbers of a kept conditioning");
        NamedNumbers found;
        for (const auto& [name, value] : json->items()) {
            found[name] = requiredNumber(numbers, name.c_str());
        }
        return found;
    }

    /// Of one prompt: of each field that it has.
    static decltype(ConditioningEntry::tensors) tensorsFrom(const EncodedValue& value,
                                                            const ConditioningFields& fields,
                                                            size_t entry) {
        decltype(ConditioningEntry::tensors) tensors;
        for (const ConditioningField& field : fields) {
            const std::string name = field.name + "." + std::to_string(entry);
            at::Tensor tensor = tensorOf(value, name);
            if (!tensor.defined()) {
                continue;
            }
            const int64_t least = field.kind == FieldKind::Sequence ? 3 : 2;  // [1, T, D], [1, P]
            if (tensor.scalar_type() != at::kFloat || tensor.dim() < least ||
                tensor.size(-1) != field.width) {
                refuse(message("has a tensor \"{}\" that its field does not describe", name));
            }
            tensors.emplace(field.name, std::move(tensor));
        }
        if (tensors.empty()) {
            refuse(message("has no tensor of its prompt {}", entry));
        }
        if (const std::string name = kPromptMask + ("." + std::to_string(entry));
            value.tensors.contains(name)) {
            tensors.emplace(kPromptMask, requiredTensor(value, name, at::kFloat, 4));
        }
        return tensors;
    }
};

/// Null: it begins with no image.
std::shared_ptr<const ImageConditioning> imageConditioningFrom(const EncodedValue& value) {
    constexpr int64_t kAxesOfVideo = 5;
    constexpr int64_t kAxesOfStates = 3;
    if (!value.tensors.contains("beside")) {
        return nullptr;
    }
    return std::make_shared<const ImageConditioning>(ImageConditioning{
        .extraChannels = requiredTensor(value, "beside", at::kFloat, kAxesOfVideo),
        .visionEmbeds = value.tensors.contains("seen")
                            ? requiredTensor(value, "seen", at::kFloat, kAxesOfStates)
                            : at::Tensor()});
}

/// Latent images with the sampler's state, or an empty latent, which is its size alone.
class LatentCodec final : public memory::ValueCodec {
public:
    [[nodiscard]] std::string_view type() const override { return "LATENT"; }

    [[nodiscard]] EncodedValue encode(const WireRef& value) const override {
        Encoder encoder;
        if (const auto* empty = dynamic_cast<const EmptyLatents*>(value.get())) {
            addImageConditioning(encoder, empty->imageConditioning().get());
            return encoder.finish({{"width", empty->size().width},
                                   {"height", empty->size().height},
                                   {"frames", empty->size().frames},
                                   {"batch", empty->batch()},
                                   {"rate", empty->rate()}});
        }
        const auto& latents = dynamic_cast<const Latents&>(*value);
        encoder.add("samples", latents.samples());
        encoder.add("deviation", latents.deviation());
        addImageConditioning(encoder, latents.imageConditioning().get());
        Json metadata = {{"provenance", toJson(latents.provenance())}};
        if (const SamplerCarry* carry = latents.carry().get()) {
            metadata["carry"] = {{"schedule", carry->schedule},
                                 {"step", carry->step},
                                 {"history", carry->history.size()}};
            for (size_t i = 0; i < carry->history.size(); ++i) {
                encoder.add("carry.history." + std::to_string(i), carry->history[i]);
            }
            encoder.add("carry.scalars", at::tensor(carry->scalars, at::kDouble));
            encoder.add("carry.generator", carry->generator);
        }
        return encoder.finish(std::move(metadata));
    }

    [[nodiscard]] WireRef decode(const EncodedValue& value) const override {
        const JsonReader reader(value.metadata, "a kept latent");
        if (reader.has("width")) {
            return std::make_shared<EmptyLatents>(
                ImageSize{.width = requiredInteger(reader, "width"),
                          .height = requiredInteger(reader, "height"),
                          .frames = requiredInteger(reader, "frames")},
                requiredInteger(reader, "batch"),
                requiredNumber(reader, "rate"),
                imageConditioningFrom(value));
        }
        return std::make_shared<Latents>(samplesFrom(value),
                                         provenanceFrom(value),
                                         carryFrom(value, reader),
                                         tensorOf(value, "deviation"),
                                         imageConditioningFrom(value));
    }

private:
    static void addImageConditioning(Encoder& encoder, const ImageConditioning* imageConditioning) {
        if (imageConditioning) {
            encoder.add("beside", imageConditioning->extraChannels);
            encoder.add("seen", imageConditioning->visionEmbeds);
        }
    }

    /// [B, C, h, w] or [B, C, F, h, w].
    static at::Tensor samplesFrom(const EncodedValue& value) {
        constexpr int64_t kOfVideos = 5;
        const auto found = value.tensors.find("samples");
        const bool haveFrames =
            found != value.tensors.end() && found->second.shape.size() == kOfVideos;
        return requiredTensor(value, "samples", at::kFloat, haveFrames ? kOfVideos : 4);
    }

    static std::shared_ptr<const SamplerCarry> carryFrom(const EncodedValue& value,
                                                         const JsonReader& reader) {
        const Json* json = reader.member("carry");
        if (!json) {
            return nullptr;
        }
        const JsonReader own(*json, "the sampler's state of a kept latent");
        auto carry = std::make_shared<SamplerCarry>();
        carry->schedule = requiredText(own, "schedule");
        carry->step = static_cast<int>(requiredInteger(own, "step"));
        const int64_t entries = requiredInteger(own, "history");
        for (int64_t i = 0; i < entries; ++i) {
            // An entry that the sampler has not filled yet is undefined and has no tensor.
            carry->history.push_back(tensorOf(value, "carry.history." + std::to_string(i)));
        }
        const at::Tensor scalars = requiredTensor(value, "carry.scalars", at::kDouble, 1);
        const auto* first = scalars.const_data_ptr<double>();
        carry->scalars.assign(first, first + scalars.numel());
        carry->generator = tensorOf(value, "carry.generator");
        return carry;
    }
};

class ImageCodec final : public memory::ValueCodec {
public:
    [[nodiscard]] std::string_view type() const override { return "IMAGE"; }

    [[nodiscard]] EncodedValue encode(const WireRef& value) const override {
        const auto& images = dynamic_cast<const Images&>(*value);
        Encoder encoder;
        encoder.add("pixels", images.pixels());
        return encoder.finish({{"provenance", toJson(images.provenance())}});
    }

    [[nodiscard]] WireRef decode(const EncodedValue& value) const override {
        constexpr int64_t kPixelsDimensions = 4;  // [B, 3, H, W]
        return std::make_shared<Images>(
            requiredTensor(value, "pixels", at::kFloat, kPixelsDimensions), provenanceFrom(value));
    }
};

class MaskCodec final : public memory::ValueCodec {
public:
    [[nodiscard]] std::string_view type() const override { return "MASK"; }

    [[nodiscard]] EncodedValue encode(const WireRef& value) const override {
        Encoder encoder;
        encoder.add("values", dynamic_cast<const Masks&>(*value).values());
        return encoder.finish(Json::object());
    }

    [[nodiscard]] WireRef decode(const EncodedValue& value) const override {
        constexpr int64_t kValuesDimensions = 4;  // [B, 1, H, W]
        return std::make_shared<Masks>(
            requiredTensor(value, "values", at::kFloat, kValuesDimensions));
    }
};

}  // namespace

memory::ValueCodecs stageValueCodecs() {
    memory::ValueCodecs codecs;
    codecs.push_back(std::make_unique<ConditioningCodec>());
    codecs.push_back(std::make_unique<LatentCodec>());
    codecs.push_back(std::make_unique<ImageCodec>());
    codecs.push_back(std::make_unique<MaskCodec>());
    return codecs;
}

std::optional<DType> elementTypeOf(c10::ScalarType type) noexcept {
    switch (type) {
        case c10::kDouble:
            return DType::F64;
        case c10::kFloat:
            return DType::F32;
        case c10::kHalf:
            return DType::F16;
        case c10::kBFloat16:
            return DType::BF16;
        case c10::kLong:
            return DType::I64;
        case c10::kInt:
            return DType::I32;
        case c10::kByte:
            return DType::U8;
        case c10::kBool:
            return DType::Bool;
        default:
            return std::nullopt;
    }
}

}  // namespace lowtide::tensor
