#include "plugin/nn/conditioning/conditioning_spec.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <algorithm>

namespace lowtide::models {

namespace {

/// Tokens are on the last axis but one.
size_t tokensAxis(const Shape& shape) {
    return shape.size() - 2;
}

Json scopeJson(const tensor::ConditioningScope& scope) {
    Json json = {scope.strength, scope.start, scope.end};
    if (scope.area) {
        json.push_back({scope.area->xPixels,
                        scope.area->yPixels,
                        scope.area->widthPixels,
                        scope.area->heightPixels});
    }
    return json;
}

}  // namespace

std::optional<std::string> ConditioningSpec::specKey() const {
    Json key = Json::array();
    for (const tensor::ConditioningField& field : fields_) {
        key.push_back({field.name, field.kind, field.width});
    }
    for (const EntrySpec& entry : entries_) {
        key.push_back({{"tensors", entry.tensors}, {"scope", scopeJson(entry.scope)}});
    }
    return key.dump();
}

std::vector<int64_t> ConditioningSpec::tokensOf(const EntrySpec& entry) const {
    std::vector<int64_t> tokens;
    for (const tensor::ConditioningField& field : fields_) {
        if (field.kind == tensor::FieldKind::Sequence) {
            const auto found = entry.tensors.find(field.name);
            tokens.push_back(
                found == entry.tensors.end() ? 0 : found->second.at(tokensAxis(found->second)));
        }
    }
    return tokens;
}

Shape ConditioningSpec::shape() const {
    const auto first = std::find_if(fields_.begin(), fields_.end(), [](const auto& field) {
        return field.kind == tensor::FieldKind::Sequence;
    });
    LOWTIDE_ASSERT(first != fields_.end());
    int64_t tokens = 0;
    for (const EntrySpec& entry : entries_) {
        tokens += tokensOf(entry).front();
    }
    return {1, tokens, first->width};
}

std::vector<Bytes> ConditioningSpec::tensors() const {
    std::vector<Bytes> tensors;
    for (const EntrySpec& entry : entries_) {
        for (const auto& [name, shape] : entry.tensors) {
            tensors.push_back(elementCount(shape).value_or(0) * sizeOf(DType::F32));
        }
    }
    return tensors;
}

std::string negativeNameOf(const ConditioningNumber& number) {
    return "negative_" + number.name;
}

bool ConditioningStatement::takes(std::string_view parameter) const {
    for (size_t i = 0; i + 1 < kMostTextEncoders; ++i) {
        if (parameter == promptNameOf(i) || parameter == negativeNameOf(i)) {
            return texts > i + 1;
        }
    }
    if (parameter == "length") {
        return takesLength;
    }
    return std::any_of(numbers.begin(), numbers.end(), [&](const ConditioningNumber& number) {
        return parameter == number.name ||
               (number.ofNegative && parameter == negativeNameOf(number));
    });
}

tensor::NamedNumbers ConditioningStatement::numbersOf(const tensor::NamedNumbers& asked,
                                                      bool isNegative) const {
    tensor::NamedNumbers own;
    for (const ConditioningNumber& number : numbers) {
        const bool isOwn = isNegative && number.ofNegative;
        const auto found = asked.find(isOwn ? negativeNameOf(number) : number.name);
        const double byDefault = isOwn ? *number.ofNegative : number.byDefault;
        own[number.name] = found == asked.end() ? byDefault : found->second;
    }
    return own;
}

double numberFor(const ConditioningNumber& stated,
                 const tensor::NamedNumbers& held,
                 const tensor::ImageSize& image) {
    const auto found = held.find(stated.name);
    const double number = found == held.end() ? stated.byDefault : found->second;
    if (number != 0 || stated.zero == ZeroMeans::Zero) {
        return number;
    }
    return static_cast<double>(stated.zero == ZeroMeans::ImageWidth ? image.width : image.height);
}

}  // namespace lowtide::models
