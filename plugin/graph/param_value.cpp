#include "plugin/graph/param_value.hpp"

#include "plugin/base/text.hpp"
#include "plugin/graph/document.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

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
        putMessage(facts, "choices", listSome(choices, 40));
    }
    return facts;
}

namespace {

constexpr size_t kShownBytes = 80;

/// The value as a user reads it in a message, cut where it is long.
std::string shown(const Json& value) {
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        const auto number = value.get<double>();
        return std::isnan(number) ? "NaN" : number > 0 ? "infinity" : "-infinity";
    }
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kShownBytes) {
        size_t end = kShownBytes;
        while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
            --end;  // never inside a UTF-8 sequence
        }
        text = text.substr(0, end) + "...";
    }
    return text;
}

Phrase nounOf(ParamKind kind) {
    switch (kind) {
        case ParamKind::Bool:
            return phrase("true or false");
        case ParamKind::Int:
            return phrase("a whole number");
        case ParamKind::Seed:
            return phrase("a whole number");
        case ParamKind::Float:
            return phrase("a number");
        case ParamKind::Text:
            return phrase("a text");
        case ParamKind::Choice:
            return phrase("one of a list");
        case ParamKind::File:
            return phrase("the path of a file");
        case ParamKind::Folder:
            return phrase("the path of a folder");
    }
    return phrase("a value");
}

std::vector<std::string> choiceIds(const ParamDesc& param) {
    std::vector<std::string> ids;
    for (const ChoiceDesc& choice : param.choices) {
        ids.push_back(choice.id);
    }
    return ids;
}

ParamRefusal refusal(std::string code, const ParamDesc& param, Message reason) {
    return {std::move(code), std::move(reason), message("give {}", acceptedBy(param))};
}

ParamRefusal wrongType(const ParamDesc& param, const Json& value) {
    return refusal("invalid_input_type",
                   param,
                   value.is_null()
                       ? message("is missing")
                       : message("is {}, which is not {}", shown(value), nounOf(param.kind)));
}

ParamCheck withinRange(const ParamDesc& param, const Json& value, double number, Scalar scalar) {
    if (param.min && number < *param.min) {
        return refusal(
            "value_smaller_than_min",
            param,
            message("is {}, the smallest is {}", shown(value), formatNumber(*param.min)));
    }
    if (param.max && number > *param.max) {
        return refusal("value_bigger_than_max",
                       param,
                       message("is {}, the largest is {}", shown(value), formatNumber(*param.max)));
    }
    return scalar;
}

ParamCheck checkInt(const ParamDesc& param, const Json& value) {
    if (!value.is_number_integer()) {
        return wrongType(param, value);
    }
    if (value.is_number_unsigned() &&
        value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return refusal("value_bigger_than_max",
                       param,
                       message("is {}, which is more than 64 bits hold", shown(value)));
    }
    const auto number = value.get<int64_t>();
    return withinRange(param, value, static_cast<double>(number), number);
}

ParamCheck checkSeed(const ParamDesc& param, const Json& value) {
    if (!value.is_number_integer()) {
        return wrongType(param, value);
    }
    if (!value.is_number_unsigned() && value.get<int64_t>() < 0) {
        return refusal(
            "value_smaller_than_min", param, message("is {}, a seed is at least 0", shown(value)));
    }
    const auto number = value.get<uint64_t>();
    return withinRange(param, value, static_cast<double>(number), number);
}

ParamCheck checkFloat(const ParamDesc& param, const Json& value) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
        return wrongType(param, value);
    }
    const auto number = value.get<double>();
    return withinRange(param, value, number, number);
}

ParamCheck checkText(const ParamDesc& param, const Json& value) {
    if (!value.is_string()) {
        return wrongType(param, value);
    }
    const auto& text = value.get_ref<const std::string&>();
    const std::vector<std::string> ids = choiceIds(param);
    if (param.kind == ParamKind::Choice && std::find(ids.begin(), ids.end(), text) == ids.end()) {
        const std::string near = nearestName(text, ids);
        return refusal(
            "value_not_in_list",
            param,
            near.empty()
                ? message("is {}, which is not in the list", shown(value))
                : message(
                      "is {}, which is not in the list; did you mean \"{}\"?", shown(value), near));
    }
    return Scalar(text);
}

template <typename Number>
Json numberFromText(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
        return Json(text);
    }
    return Json(number);
}

}  // namespace

ParamCheck checkParam(const ParamDesc& param, const Json& value) {
    switch (param.kind) {
        case ParamKind::Bool:
            return value.is_boolean() ? ParamCheck(Scalar(value.get<bool>()))
                                      : ParamCheck(wrongType(param, value));
        case ParamKind::Int:
            return checkInt(param, value);
        case ParamKind::Seed:
            return checkSeed(param, value);
        case ParamKind::Float:
            return checkFloat(param, value);
        default:
            return checkText(param, value);
    }
}

Json paramFromText(const ParamDesc& param, std::string_view text) {
    switch (param.kind) {
        case ParamKind::Bool:
            return text == "true" ? Json(true) : text == "false" ? Json(false) : Json(text);
        case ParamKind::Int:
            return numberFromText<int64_t>(text);
        case ParamKind::Seed:
            return text.starts_with('-') ? numberFromText<int64_t>(text)
                                         : numberFromText<uint64_t>(text);
        case ParamKind::Float:
            return numberFromText<double>(text);
        default:
            return Json(text);
    }
}

namespace {

Message numberWithin(const ParamDesc& param) {
    const Phrase noun = nounOf(param.kind);
    if (param.min && param.max) {
        return message(
            "{} from {} to {}", noun, formatNumber(*param.min), formatNumber(*param.max));
    }
    if (param.min) {
        return message("{} of at least {}", noun, formatNumber(*param.min));
    }
    if (param.max) {
        return message("{} of at most {}", noun, formatNumber(*param.max));
    }
    return noun;
}

}  // namespace

Message acceptedBy(const ParamDesc& param) {
    if (param.kind == ParamKind::Choice) {
        return message("one of: {}", listSome(choiceIds(param), 40));
    }
    if (param.kind == ParamKind::Seed) {
        return message(
            "{} from {} to {}", nounOf(param.kind), 0, std::numeric_limits<uint64_t>::max());
    }
    const Message number = numberWithin(param);
    return param.unit.empty() || param.unit == "none" ? number
                                                      : message("{} ({})", number, param.unit);
}

Json toJson(const Scalar& value) {
    struct Visitor {
        Json operator()(std::monostate) const { return nullptr; }

        Json operator()(bool flag) const { return flag; }

        Json operator()(int64_t number) const { return number; }

        Json operator()(uint64_t number) const { return number; }

        Json operator()(double number) const { return number; }

        Json operator()(const std::string& text) const { return text; }
    };

    return std::visit(Visitor{}, value);
}

Json valueOf(const DocumentNode& node, const ParamDesc& param) {
    const auto own = node.params.find(param.id);
    return own == node.params.end() ? toJson(param.defaultValue) : *own;
}

std::string canonicalText(const Scalar& value) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "n"; }

        std::string operator()(bool flag) const { return flag ? "b1" : "b0"; }

        std::string operator()(int64_t number) const { return "i" + std::to_string(number); }

        std::string operator()(uint64_t number) const { return "u" + std::to_string(number); }

        std::string operator()(double number) const { return "f" + formatNumber(number); }

        std::string operator()(const std::string& text) const { return "s" + text; }
    };

    return std::visit(Visitor{}, value);
}

}  // namespace lowtide::graph
