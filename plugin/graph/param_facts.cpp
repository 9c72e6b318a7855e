#include "plugin/graph/param_facts.hpp"

#include "plugin/base/text.hpp"

#include <array>
#include <cmath>

namespace lowtide::graph {

namespace {

constexpr std::array kFactKinds = {
    "bool", "int", "float", "text", "choice", "file", "folder", "seed"};
constexpr size_t kMostShown = 80;

/// JSON has no NaN and no infinity.
Json factOf(const Json& value) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        return std::isnan(value.get<double>()) ? "NaN" : "infinity";
    }
    if (!value.is_string() || value.get_ref<const std::string&>().size() <= kMostShown) {
        return value;
    }
    std::string text = value.get<std::string>().substr(0, kMostShown);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) {
        text.pop_back();  // no half letters
    }
    return text + "...";
}

}  // namespace

Json paramFacts(const ParamDesc& param, const Json& value) {
    Json facts = {{"value", factOf(value)},
                  {"kind", kFactKinds.at(static_cast<size_t>(param.kind))}};
    if (param.min) {
        facts["min"] = formatNumber(*param.min);
    }
    if (param.max) {
        facts["max"] = formatNumber(*param.max);
    }
    if (!param.unit.empty()) {
        facts["unit"] = param.unit;
    }
    std::vector<std::string> choices;
    for (const ChoiceDesc& choice : param.choices) {
        choices.push_back(choice.id);
    }
    if (!choices.empty()) {
        facts["choices"] = listSome(choices, 40);
    }
    return facts;
}

}  // namespace lowtide::graph
