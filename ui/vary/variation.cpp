#include "ui/vary/variation.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

#include <set>

namespace lowtide::ui {

namespace {

constexpr std::string_view kPrecision = ".precision";
constexpr std::string_view kMemory = ".memory";

/// "node.precision=speed" as "node=speed".
std::string withoutSuffix(const std::string& setting, const std::string& param, size_t suffix) {
    return param.substr(0, param.size() - suffix) + setting.substr(param.size());
}

std::vector<std::string> valuesIn(const std::string& text) {
    std::vector<std::string> values(1);
    for (size_t i = 0; i < text.size(); ++i) {
        const bool isEscape =
            text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\');
        if (isEscape) {
            values.back() += text[++i];
        } else if (text[i] == ',') {
            values.emplace_back();
        } else {
            values.back() += text[i];
        }
    }
    return values;
}

void checkCount(size_t count) {
    if (count < 2) {
        throw Error(ErrorKind::InvalidInput,
                    "there is one variant only, and nothing to compare it with",
                    "give a parameter several values: --vary node.param=a,b");
    }
    if (count > kMostVariants) {
        throw Error(ErrorKind::InvalidInput,
                    "these are more than " + std::to_string(kMostVariants) + " variants",
                    "every --vary multiplies their number; vary fewer parameters or values");
    }
}

}  // namespace

AppliedSettings appliedSettings(const std::vector<std::string>& settings) {
    AppliedSettings applied;
    for (const std::string& setting : settings) {
        const std::string param = setting.substr(0, setting.find('='));
        if (param.ends_with(kPrecision)) {
            applied.precisions.push_back(withoutSuffix(setting, param, kPrecision.size()));
        } else if (param.ends_with(kMemory)) {
            applied.policies.push_back(withoutSuffix(setting, param, kMemory.size()));
        } else {
            applied.params.push_back(setting);
        }
    }
    return applied;
}

std::string Variant::name() const {
    return join(settings, " ");
}

Variation parseVariation(const std::string& text) {
    const size_t equals = text.find('=');
    const std::string param = trim(text.substr(0, equals));
    if (equals == std::string::npos || param.empty()) {
        throw Error(ErrorKind::InvalidInput,
                    quotedName(text) + " does not say what to vary",
                    "write node.param=a,b,c");
    }
    return {.param = param, .values = valuesIn(text.substr(equals + 1))};
}

std::vector<Variant> combinationsOf(const std::vector<Variation>& variations) {
    std::set<std::string> params;
    std::vector<Variant> variants(1);
    for (const Variation& variation : variations) {
        if (!params.insert(variation.param).second) {
            throw Error(ErrorKind::InvalidInput,
                        variation.param + " is varied twice",
                        "give all its values in one --vary");
        }
        if (variants.size() * variation.values.size() > kMostVariants) {
            checkCount(kMostVariants + 1);
        }
        std::vector<Variant> longer;
        for (const Variant& variant : variants) {
            for (const std::string& value : variation.values) {
                longer.push_back(variant);
                longer.back().settings.push_back(variation.param + "=" + value);
            }
        }
        variants = std::move(longer);
    }
    checkCount(variants.size());
    return variants;
}

}  // namespace lowtide::ui
