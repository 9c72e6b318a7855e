#include "plugin/nn/conditioning/conditioning_statement.hpp"

#include "plugin/nn/encoder_prompts.hpp"

#include <algorithm>

namespace lowtide::models {

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
                 const tensor::PictureSize& picture) {
    const auto found = held.find(stated.name);
    const double number = found == held.end() ? stated.byDefault : found->second;
    if (number != 0 || stated.zero == ZeroMeans::Zero) {
        return number;
    }
    return static_cast<double>(stated.zero == ZeroMeans::PictureWidth ? picture.width
                                                                      : picture.height);
}

}  // namespace lowtide::models
